package check

import "github.com/fsmc-dev/fsmc/lang/ir"

// asked is each question that can be left open, as a clause.
var asked = map[string]string{
	"unreachable-state":  "whether any run enters it",
	"no-way-to-finish":   "whether every run can finish",
	"unbounded-loop":     "whether a cycle can be taken without end",
	"spinning-loop":      "whether a cycle that waits for nothing can be taken without end",
	"read-before-set":    "whether every field that is read has been set",
	"out-of-range":       "whether every effect stays in the range of its field",
	"assertion-violated": "whether an assert holds",
	"bound-without-else": "whether a bound can run out with nothing to take over",
	"deferred-lost":      "whether every deferred event is taken in the end",
	"over-budget":        "whether the worst case keeps to the budget",
	"overlapping-guards": "whether two handlers of one trigger can both apply",
	"guard-gap":          "whether some arm always takes an event",
	"unhandled-case":     "whether some arm always takes what comes from within the run",
	"require-violated":   "whether a `require` always holds",
}

// Text is the message of a finding that q was left open.
func (q Question) Text() string {
	what := asked[q.Rule]
	if what == "" {
		what = "whether some run shows " + q.Rule
	}
	text := "undecided: " + what
	if q.State != nil && q.State.Path != "" {
		text += " (" + Quote(q.State.Path) + ")"
	}
	return text
}

// Help says what would settle q.
func (q Question) Help(m *ir.Machine) string {
	if q.finding != nil {
		return "A way there was found, but no values and times with which it is a run: keep the data in question in a boolean, an enum or a ranged field, or give the timers around it room."
	}
	for _, a := range m.Arms {
		if a.Max != nil && *a.Max > 100 {
			return "Raise --max-configurations, or lower the bounds: a `max` over 100 alone makes for as many configurations."
		}
	}
	return "Raise --max-configurations, give the fields that guards read narrower ranges, or keep the data in question in a boolean or an enum."
}
