package main

import (
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime"
)

// answer is what an agent is told of an order: where it stands, what may be
// done next, and one line for whoever has little room for context. The events
// are those that the machine takes there; the agent need not guess.
type answer struct {
	State   string   `json:"current_state"`
	Allowed []string `json:"next_allowed_actions"`
	Summary string   `json:"summary"`
}

// answerTo answers an agent that has looked at an order or sent it an event.
func answerTo(run OrderFulfillmentRun) answer {
	a := answer{State: run.View.State, Allowed: []string{}, Summary: summary(run)}
	for _, e := range run.Events {
		a.Allowed = append(a.Allowed, e.Name)
	}
	return a
}

// refuse answers an agent whose event was refused. It has changed nothing; the
// refusal itself knows where the order stood and what it takes there.
func refuse(r *runtime.Rejected) answer {
	return answer{State: r.State, Allowed: r.Allowed, Summary: fmt.Sprintf("Refused, and nothing has changed: %s.", r.Why)}
}

// String is the answer as a tool would give it.
func (a answer) String() string {
	text, err := runtime.EncodeJSON(a)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// summary says in one line how far the order is.
func summary(run OrderFulfillmentRun) string {
	amount := dollars(run.Params.Amount)
	switch run.State {
	case OrderFulfillmentStateUnpaidCreated:
		return "New, for " + amount + ". Nothing is reserved yet."
	case OrderFulfillmentStateUnpaidInventoryReserved:
		return "Goods reserved. Ready to authorize " + amount + "."
	case OrderFulfillmentStateUnpaidPaymentAuthorized:
		return amount + " authorized. Ready to capture."
	case OrderFulfillmentStateUnpaidAwaitingManagerApproval:
		return amount + " authorized. A manager has to approve the charge."
	case OrderFulfillmentStatePaidPaymentCaptured:
		return fmt.Sprintf("Payment of %s captured (%s). Ready to trigger fulfillment.", amount, run.Data.Charge.Value)
	case OrderFulfillmentStatePaidFulfillmentTriggered:
		return amount + " paid, parcel packed. Waiting for the carrier."
	case OrderFulfillmentStatePaidShipped:
		return "On its way, tracking " + run.Data.Tracking.Value + "."
	case OrderFulfillmentStatePaidDelivered:
		return "Delivered. It can be returned for a month."
	case OrderFulfillmentStateNeedsAttention:
		return fmt.Sprintf("Stuck while %s: %s. A person has to repair it.", run.Data.StuckAt, run.Data.Reason)
	case OrderFulfillmentStateReturned:
		return amount + " refunded."
	case OrderFulfillmentStateCancelled:
		return "Cancelled: " + run.Data.Reason + "."
	}
	for _, a := range run.Activities {
		return a.Activity + " is under way."
	}
	return "Over."
}

func dollars(cents int64) string { return fmt.Sprintf("$%d.%02d", cents/100, cents%100) }
