package check_test

import "strings"

// mutation is one fault put into one of the example machines.
type mutation struct {
	machine string // the example's folder; "archive" is in testdata
	kind    string
	what    string // in words, for the table
	old     string // stands exactly once in the source
	new     string
	must    string // rules of which one has to find it; none: nothing does
	sound   string // then why the machine is still sound,
	missed  string // or why no rule sees it
}

// drop takes out the lines of old, which is given in full.
func drop(machine, what, old, must string) mutation {
	return mutation{machine: machine, kind: "drop a handler", what: what, old: old, must: must}
}

// island adds two states that no run enters and that point at each other.
func island(machine string) mutation {
	return mutation{
		machine: machine, kind: "an island", what: "two states that point at each other, and nothing at them",
		new: `
    state IslandEast { after 1m -> IslandWest }
    state IslandWest { after 1m -> IslandEast }
`,
		must: "unreachable-state",
	}
}

// livelock sends old, an arm, into two states that no run leaves.
func livelock(machine, old, must string) mutation {
	arm := old[:strings.LastIndex(old, "-> ")] + "-> LivelockEast"
	return mutation{
		machine: machine, kind: "a livelock", what: "`" + old + "` leads into two states that only lead to each other",
		old: old, new: arm + `
    // the states of the livelock stand at the end`,
		must: must,
	}
}

// livelocked are the states of a livelock, that stand at the machine's top level.
const livelocked = `
    state LivelockEast { after 1m -> LivelockWest unbounded }
    state LivelockWest { after 1m -> LivelockEast unbounded }
`

// mutations are the faults, machine by machine.
var mutations = []mutation{
	drop("codereview", "no one takes `CommentsPosted`", "on CommentsPosted -> Summarizing\n", "unhandled-result"),
	drop("codereview", "no one takes `failed` at the top", "on failed -> Failed  ", "unhandled-failure"),
	drop("codereview", "no deadline for the run", "after 24h -> Expired", "waits-forever"),
	{machine: "codereview", kind: "swap a bound's scope", what: "`max 5 per visit` of the state that the loop leaves",
		old: "AwaitingRetry max 5", new: "AwaitingRetry max 5 per visit", must: "unbounded-loop"},
	{machine: "codereview", kind: "swap a bound's scope", what: "three more fetches `per run` in place of per visit",
		old: "retry 3 backoff 1s..30s", new: "retry 3 per run backoff 1s..30s",
		sound: "FetchingDiff is visited once, so that both mean the same"},
	{machine: "codereview", kind: "forget an else", what: "`RateLimited` for the sixth time",
		old: "                  else -> Failed\n", must: "bound-without-else"},
	{machine: "codereview", kind: "forget an else", what: "`fetch_diff` fails for the fourth time",
		old: "1s..30s else -> Failed", new: "1s..30s",
		sound: "`on failed -> Failed` of the machine takes over"},
	drop("codereview", "no one takes a file that cannot be reviewed", "on file.Failed -> Failed\n", "unhandled-result"),
	drop("codereview", "no one takes `done` of the files", "on done -> PostingComments\n", "unhandled-done"),
	{machine: "codereview", kind: "raise a factor", what: "four retries of each analysis, in a child",
		old: "retry 3 backoff 1s..1m", new: "retry 4 backoff 1s..1m",
		sound: "`on over_budget` holds the review and its files to the budget while they run"},
	{machine: "codereview", kind: "drop a range", what: "files of any number",
		old: "patches  [0..50]string", new: "patches  []string", must: "missing-range"},
	{machine: "codereview", kind: "shorten a timeout", what: "`analyze` ends before a heartbeat can be missed",
		old: "timeout 2m heartbeat 30s", new: "timeout 20s heartbeat 30s", must: "never-fires"},
	island("codereview"),
	livelock("codereview", "on SummaryDone -> Completed", "over-budget"),

	drop("tasklifecycle", "no one takes a lost heartbeat", `on failed(silent) -> Stalled { last_failure = "heartbeat_lost" }`, "unhandled-failure"),
	drop("tasklifecycle", "the lease never runs out", `after 30s -> Unassigned { last_failure = "lease expired" }`, "waits-forever"),
	drop("tasklifecycle", "all offers are out, and no one takes `done`", "        on done {}\n", "unhandled-done"),
	drop("tasklifecycle", "no one takes a person's answer", "on InputGiven -> Unassigned { answer = event.answer, pause = 1s }", "unused"),
	{machine: "tasklifecycle", kind: "widen a guard", what: "`offer <= 12` where the range ends",
		old: "offer < 12", new: "offer <= 12", must: "out-of-range"},
	{machine: "tasklifecycle", kind: "widen a guard", what: "`declines < 5`, of three agents",
		old: "declines < 2", new: "declines < 5", must: "out-of-range undecided"},
	{machine: "tasklifecycle", kind: "widen a guard", what: "any agent may start, whoever accepted",
		old: "event.agent == agent && event.offer == offer", new: "event.offer == offer",
		sound: "no promise speaks of who starts; that is what a test is for"},
	{machine: "tasklifecycle", kind: "reset a counter in its loop", what: "a stalled task starts counting offers again from zero",
		old: "on done, failed -> Unassigned", new: "on done, failed -> Unassigned { offer = 0 }", must: "unbounded-loop undecided"},
	{machine: "tasklifecycle", kind: "reset a counter in its loop", what: "a person's `Resume` starts counting offers again from zero",
		old: "on Resume -> Unassigned { pause = 1s }", new: "on Resume -> Unassigned { pause = 1s, offer = 0 }", must: "unbounded-loop undecided"},
	{machine: "tasklifecycle", kind: "swap a bound's scope", what: "five retries `per visit` in place of per run",
		old: "retry 5 per run", new: "retry 5", must: "over-budget"},
	{machine: "tasklifecycle", kind: "swap a bound's scope", what: "`max 3 per Repairing`, which the loop itself enters",
		old: "Repairing max 3", new: "Repairing max 3 per Repairing", must: "unbounded-loop undecided"},
	{machine: "tasklifecycle", kind: "forget an else", what: "the thirteenth offer",
		old: "            else -> Failed\n    }\n\n    // The first", new: "    }\n\n    // The first", must: "unhandled-case"},
	{machine: "tasklifecycle", kind: "forget an else", what: "an acceptance of an offer of yesterday",
		old: "-> Pending { agent = event.agent }\n                                         else reject\n",
		new: "-> Pending { agent = event.agent }\n", must: "guard-gap"},
	{machine: "tasklifecycle", kind: "shorten a timeout", what: "`work` ends before a heartbeat can be missed",
		old: "timeout 2h heartbeat 2m", new: "timeout 1m heartbeat 2m", must: "never-fires"},
	{machine: "tasklifecycle", kind: "shorten a timeout", what: "a pause ends before the person is reminded",
		old: `after 3d -> Failed { last_failure = "paused for too long" }`, new: `after 12h -> Failed { last_failure = "paused for too long" }`, must: "never-fires"},
	island("tasklifecycle"),
	livelock("tasklifecycle", "on TestsPassed -> Unassigned", "no-way-to-finish undecided"),

	drop("orderfulfillment", "no one takes a charge that was declined",
		"on Declined -> Unpaid.PaymentAuthorized max 3 { reason = event.reason }\n               else -> Compensating { reason = event.reason }", "unhandled-result"),
	drop("orderfulfillment", "both activities end, and no one takes `done`", "on done -> FulfillmentTriggered", "unhandled-done"),
	{machine: "orderfulfillment", kind: "drop a handler", what: "no compensation when an operator cancels",
		old:   "    on cancel -> Compensating { reason = \"cancelled by the operator\" }\n",
		sound: "a cancelled run that no state answers ends where it stands: the machine may mean it"},
	{machine: "orderfulfillment", kind: "widen a guard", what: "every amount needs a person",
		old: "amount > 50_000", new: "amount > 0", must: "dead-arm"},
	{machine: "orderfulfillment", kind: "widen a guard", what: "`mended <= 3` where the range ends",
		old: "on Resume when mended < 3", new: "on Resume when mended <= 3", must: "out-of-range"},
	{machine: "orderfulfillment", kind: "narrow a guard", what: "who has paid gets back only what was reserved",
		old: "when mended < 3 && charge is set", new: "when mended < 1 && charge is set", must: "assertion-violated"},
	{machine: "orderfulfillment", kind: "reset a counter in its loop", what: "each resumption forgets the one before",
		old: "-> Resuming { mended = mended + 1 }", new: "-> Resuming { mended = 0 }", must: "unbounded-loop"},
	{machine: "orderfulfillment", kind: "swap a bound's scope", what: "declined `max 3 per visit` of the state that the loop enters",
		old: "InventoryReserved max 3", new: "InventoryReserved max 3 per visit", must: "unbounded-loop"},
	{machine: "orderfulfillment", kind: "forget an else", what: "the payment was not captured",
		old: "when event.captured -> Charged else -> Voided", new: "when event.captured -> Charged", must: "unhandled-case"},
	drop("orderfulfillment", "no one takes a charge that has gone through after all", "on money.Charged -> Refunding\n", "unhandled-result"),
	drop("orderfulfillment", "no one undoes what was told when a part cannot be told", "on Notice.Stuck -> Undoing { reason = event.reason }\n", "unhandled-result"),
	{machine: "orderfulfillment", kind: "shorten a timeout", what: "an approval runs out before the reminder",
		old: `after 24h -> Compensating`, new: `after 3h -> Compensating`, must: "never-fires"},
	island("orderfulfillment"),
	livelock("orderfulfillment", "on MarkDelivered -> Delivered", "no-way-to-finish"),

	drop("researchpipeline", "no one takes a researcher's report", "on r.ReportWritten { reports = reports + event.path }", "unhandled-result"),
	drop("researchpipeline", "no one takes `failed`", "on failed -> Failed { problem = event.message }", "unhandled-failure"),
	drop("researchpipeline", "no deadline for the person", `after 7d -> Failed { problem = "no one reviewed the first phase" }`, "over-budget"),
	{machine: "researchpipeline", kind: "forget an else", what: "the researchers are done, and no one wants a pause",
		old: "            else -> Synthesizing\n", must: "unhandled-case"},
	{machine: "researchpipeline", kind: "forget an else", what: "`archive` fails for the fourth time",
		old: "on failed retry 3 backoff 5s..1m else -> Failed { problem = \"delivered, but not archived\" }", new: "on failed retry 3 backoff 5s..1m",
		sound: "`on failed -> Failed` of the machine takes over"},
	{machine: "researchpipeline", kind: "swap the join", what: "the first report, and not `done`, starts the synthesis",
		old: "on r.ReportWritten { reports = reports + event.path }", new: "on r.ReportWritten -> Synthesizing { reports = reports + event.path }", must: "dead-arm"},
	{machine: "researchpipeline", kind: "drop a require", what: "the synthesis does not ask whether there are reports",
		old:   "require len(reports) > 0 else -> Failed\n",
		sound: "there is one on every way that leads there; the `require` says so to the reader"},
	{machine: "researchpipeline", kind: "forget an else", what: "nobody asks whether there is a report",
		old: "on done when len(reports) == 0 -> Failed { problem = \"no one has found anything\" }\n            else when pause_after",
		new: "on done when pause_after", must: "require-violated"},
	{machine: "researchpipeline", kind: "raise a factor", what: "nine researchers, where eight are counted",
		old: "perspectives [1..8]string", new: "perspectives [1..9]string", must: "over-budget out-of-range"},
	{machine: "researchpipeline", kind: "drop a range", what: "researchers of any number",
		old: "perspectives [1..8]string", new: "perspectives []string", must: "missing-range"},
	{machine: "researchpipeline", kind: "shorten a timeout", what: "the phase ends before a researcher may",
		old: "after 22m -> Failed", new: "after 5m -> Failed", must: "never-fires"},
	{machine: "researchpipeline", kind: "shorten a timeout", what: "the review runs out before the reminder",
		old: "after 7d -> Failed", new: "after 12h -> Failed", must: "never-fires"},
	island("researchpipeline"),
	livelock("researchpipeline", "on Continue -> Synthesizing", "no-way-to-finish"),

	drop("documentagent", "no one takes an outline that is unclear", "on OutlineUnclear -> AwaitingFeedback { question = event.question }", "unhandled-result"),
	drop("documentagent", "sessions do not expire", "after 24h idle -> Expired", "waits-forever"),
	{machine: "documentagent", kind: "widen a guard", what: "a person may approve what is not there",
		old: "on Approved when sections is set -> Finalizing else reject", new: "on Approved -> Finalizing", must: "require-violated"},
	{machine: "documentagent", kind: "widen a guard", what: "feedback leads to the sections, outline or not",
		old: "rounds < 5 && outline is set", new: "rounds < 5", must: "require-violated"},
	{machine: "documentagent", kind: "drop a require", what: "the sections do not ask whether there is an outline",
		old:   "require outline is set else -> GeneratingOutline\n",
		sound: "no run comes there without one; the `require` is for a session whose data was damaged"},
	{machine: "documentagent", kind: "swap a bound's scope", what: "`StartOver` `max 3 per visit` of the state that the loop enters",
		old: "Idle max 3", new: "Idle max 3 per visit", must: "unbounded-loop"},
	{machine: "documentagent", kind: "reset a counter in its loop", what: "an unclear outline starts counting rounds again from zero",
		old: "AwaitingFeedback { question = event.question }\n        on failed(transient, timeout) retry 2 backoff 2s..30s\n                                 else -> Error { error_message = event.message }\n    }\n\n    // Without",
		new: "AwaitingFeedback { question = event.question, rounds = 0 }\n        on failed(transient, timeout) retry 2 backoff 2s..30s\n                                 else -> Error { error_message = event.message }\n    }\n\n    // Without", must: "unbounded-loop"},
	{machine: "documentagent", kind: "forget an else", what: "`StartOver` for the fourth time",
		old: " else reject\n    }\n\n    terminal", new: "\n    }\n\n    terminal", must: "bound-without-else"},
	{machine: "documentagent", kind: "forget to clear", what: "the old outline stays when a session starts over",
		old:   "            outline = unset\n",
		sound: "old data breaks no rule; `require` holds with it, and only a person knows that it is old"},
	{machine: "documentagent", kind: "shorten a timeout", what: "a session expires before the nudge",
		old: "after 24h idle", new: "after 5h idle", must: "never-fires"},
	{machine: "documentagent", kind: "shorten a timeout", what: "`write_sections` ends before it can be seen to stall",
		old: "timeout 30m progress 10m", new: "timeout 5m progress 10m", must: "never-fires"},
	{machine: "documentagent", kind: "return too much", what: "a session that expires returns its document, too",
		old: "terminal Expired failure", new: "terminal Expired failure returns document", must: "read-before-set"},
	island("documentagent"),
	livelock("documentagent", "on ReviewPassed -> Finalizing", "over-budget"),

	drop("archive", "no one takes a box that cannot be read", "on scan.Unreadable {}\n", "unhandled-result"),
	drop("archive", "no one takes `done` of the boxes", "        on done when len(boxes) > 0 && scanned == 0 -> Lost\n            else -> Archived\n", "unhandled-done"),
	drop("archive", "no one takes a box whose run could not start", "        on scan.failed {}\n", "unhandled-failure"),
	{machine: "archive", kind: "forget a timeout", what: "`open_box` may never answer, and neither may a child",
		old: "do open_box(box) timeout 5m", new: "do open_box(box)", must: "waits-forever"},
	{machine: "archive", kind: "raise a factor", what: "three retries of each page, in a child",
		old: "on failed(timeout) retry 2", new: "on failed(timeout) retry 3", must: "over-budget"},
	{machine: "archive", kind: "raise a factor", what: "two retries of each child",
		old: "retry 1 backoff 1m", new: "retry 2 backoff 1m", must: "over-budget"},
	{machine: "archive", kind: "raise a factor", what: "a page costs 0.03 usd",
		old: "cost usd 0.02", new: "cost usd 0.03", must: "over-budget"},
	{machine: "archive", kind: "raise a factor", what: "six boxes, where five are counted",
		old: "boxes [0..5]string", new: "boxes [0..6]string", must: "out-of-range"},
	{machine: "archive", kind: "lower a limit", what: "one box at a time",
		old: "limit 2 as scan", new: "limit 1 as scan", must: "over-budget"},
	{machine: "archive", kind: "swap a bound's scope", what: "a box is scanned again without end",
		old: "retry 1 backoff 1m else {}", new: "retry unbounded backoff 1m", must: "over-budget"},
	{machine: "archive", kind: "drop a range", what: "boxes of any number",
		old: "boxes [0..5]string", new: "boxes []string", must: "missing-range"},
	{machine: "archive", kind: "widen a guard", what: "a box without pages is scanned, too",
		old: "len(event.pages) > 0", new: "len(event.pages) >= 0", must: "dead-arm"},
	{machine: "archive", kind: "widen a guard", what: "`missing < 5`, of four pages",
		old: "missing < 3", new: "missing < 5", must: "dead-arm"},
	{machine: "archive", kind: "narrow a guard", what: "more than four pages, which no box has",
		old: "len(event.pages) > 0", new: "len(event.pages) > 4", must: "dead-arm unreachable-state"},
	{machine: "archive", kind: "forget an else", what: "a box without pages",
		old: "-> Pages { pages = event.pages }\n                                       else -> Unreadable\n", new: "-> Pages { pages = event.pages }\n", must: "unhandled-case"},
	{machine: "archive", kind: "forget to clear", what: "the pages of a box that cannot be read are not counted as missing",
		old:   "on Blank { missing = missing + 1 }",
		new:   "on Blank {}",
		sound: "no promise speaks of blank pages; that is what a test is for"},
	{machine: "archive", kind: "reset a counter in its loop", what: "each page that is scanned forgets those that are missing",
		old:   "on Scanned {}",
		new:   "on Scanned { missing = 0 }",
		sound: "the elements end all the same, and the count is less than it was"},
	{machine: "archive", kind: "drop a handler", what: "money bounds the search, and nothing takes `over_budget`",
		old: "    on over_budget -> Stopped\n", must: "over-budget"},
	{machine: "archive", kind: "drop a handler", what: "the budget of the search, which `over_budget` is about",
		old: "    budget { tokens 10_000, time 6h }\n", must: "dead-arm"},
	{machine: "archive", kind: "hold another cost", what: "money ends the search, and no time does",
		old: "on over_budget -> Stopped", new: "on over_budget(tokens) -> Stopped", must: "over-budget"},
	{machine: "archive", kind: "stay where time ends", what: "`over_budget(time)` leaves the search where it is",
		old: "on over_budget -> Stopped", new: "on over_budget -> Stopped\n    on over_budget(time) ignore", must: "over-budget"},
	{machine: "archive", kind: "stay where money ends", what: "`over_budget` leaves the search where it is",
		old: "on over_budget -> Stopped", new: "on over_budget {}", must: "over-budget"},
	{machine: "archive", kind: "stay where money ends", what: "`over_budget` goes on looking, without end",
		old: "on over_budget -> Stopped", new: "on over_budget -> Looking", must: "over-budget"},
	{machine: "archive", kind: "drop a handler", what: "children spend the money of all shelves, and nothing takes `over_budget` there",
		old: "        on over_budget -> Closed\n", must: "unhandled-budget"},
	{machine: "archive", kind: "drop a handler", what: "a child alone may pass the budget where nothing takes `over_budget`",
		old: "        on over_budget -> Catalogued\n", must: "unhandled-budget"},
	{machine: "archive", kind: "hold another cost", what: "a budget of a cost that no child has",
		old: "budget { tokens 20_000 }", new: "budget { pages 20_000 }", must: "unknown-name"},
	{machine: "archive", kind: "stay where money ends", what: "`over_budget` lets the children go on",
		old: "on over_budget -> Closed", new: "on over_budget {}", must: "unreachable-state"},
	{machine: "archive", kind: "drop a question", what: "whether an event brings the record that is read",
		old: "on Moved when event.to is set && event.to.number > 50", new: "on Moved when event.to.number > 50", must: "read-before-set"},
	{machine: "archive", kind: "drop a question", what: "whether there is a record of which one place is set",
		old: "else when event.to is set && place is set ->", new: "else when event.to is set ->", must: "read-before-set"},
	{machine: "archive", kind: "drop a question", what: "whether an element has the record with the place that is asked for",
		old: "when event.item.to is set && event.item.to.note is set {", new: "when event.item.to is set {", must: "read-before-set"},
	{machine: "archive", kind: "drop a question", what: "whether the record is there in which a place is asked for",
		old: "when event.item.to is set && event.item.to.note is set {", new: "when event.item.to.note is set {",
		sound: "a place in a record is set only where the record is"},
	{machine: "archive", kind: "take a record for sure", what: "a message must have what an event may not bring",
		old: "event Kept   { reader string, on Shelf? }", new: "event Kept   { reader string, on Shelf }", must: "read-before-set"},
}
