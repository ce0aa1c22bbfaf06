package breaking

import (
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/breaking/product"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

var behaviourChanged = &Rule{
	Name: "behaviour-changed", Family: Promises, run: runBehaviourChanged,
	Summary: "in some run the old machine does one thing, and the new one another",
}

// What the search leaves open is said by the same run of it.
var behaviourUndecided = &Rule{
	Name: "behaviour-undecided", Family: Promises,
	Summary: "whether both machines do the same in all runs is undecided",
}

func runBehaviourChanged(p *pair) {
	if movesText(p.old) == movesText(p.new) {
		return
	}
	found, err := product.Explore(p.old, p.new, p.path, p.limit)
	if err != nil {
		p.rule = behaviourUndecided
		p.report(Point{Message: "whether both do the same is undecided: " + err.Error(), Help: "The runtime does not take one of the machines: fsmc check says why."})
		return
	}
	run := "a shortest run to it"
	if found.Spread {
		run = "a run to it, and there may be shorter ones"
	}
	for _, d := range found.Differences {
		message := d.Text
		if n := len(d.Witness.Path); n > 1 {
			message = "at " + check.Quote(d.Witness.Path[n-2].Input) + ", " + message
		} else {
			message = "at the start, " + message
		}
		p.report(Point{Old: d.Old.Span, New: d.New.Span, Message: message, Witness: d.Witness, Bites: Bites{State: d.Stands, None: d.Stands == ""},
			Help: "The witness is " + run + ". If the change is meant, allow it with `//fsmc:allow-breaking behaviour-changed because …` above the place."})
	}
	if !found.Whole && len(found.Differences) == 0 {
		p.rule = behaviourUndecided
		p.report(Point{
			Message: "no difference was found, but there is more than was tried: " + strconv.Itoa(found.Pairs) + " pairs of configurations were explored",
			Help:    "Let it try more with --max-configurations, or allow it with a reason.",
		})
	}
}

// movesText is the fingerprint of m without what no step reads: asserts, and a budget to
// which runs are not held.
func movesText(m *ir.Machine) string {
	var out []string
	for line := range strings.SplitSeq(fingerprint(m), "\n") {
		if !strings.HasPrefix(line, "assert ") && (len(m.Enforced()) > 0 || !strings.HasPrefix(line, "budget ")) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}
