// @ts-check
// What a person types into OrderFulfillment, key by key: a comment, a state, a slip and
// its repair, an event with a field, and all of it taken away again.
"use strict";

/**
 * @typedef {object} Part
 * @property {string} behind the text behind which the cursor stands, where that first is
 * @property {number} erase how many keys go before the cursor, one by one
 * @property {string} type what is typed then
 */

/**
 * @param {string} order the text of the machine
 * @returns {Part[]}
 */
function session(order) {
  const comment = "\n    // An order that stands here may wait: 🙂, é and 中 are signs, too.";
  const event = "\n    event Escalate { level int 0..3 }";
  const handler = "\n            on Escalate when event.level >= 2 -> AwaitingManagerApproval";
  const state = "\n\n    state Parked {\n        on Resume -> Unpaid\n        after 7d -> Cancelled\n    }";
  const bound = " max 3 { reason = event.reason }";
  const first = "on Declined -> InventoryReserved";
  if (!order.includes(first + bound)) throw new Error("the example is another: write the session again");
  return [
    { behind: "event Resume", erase: 0, type: comment },
    { behind: comment, erase: 0, type: event },
    { behind: "state PaymentAuthorized {", erase: 0, type: handler },
    // A slip: the bound of a loop goes, and what assigns the reason.
    { behind: first + bound, erase: bound.length, type: "" },
    { behind: first, erase: 0, type: bound },
    { behind: "initial Unpaid", erase: 0, type: state },
    { behind: state, erase: state.length, type: "" },
    { behind: handler, erase: handler.length, type: "" },
    { behind: event, erase: event.length, type: "" },
    { behind: comment, erase: [...comment].length + 1, type: "" },
  ];
}

module.exports = { session };
