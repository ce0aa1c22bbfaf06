// Package scenarios writes scenarios for runs that the checker has found: scenarios.go chooses
// few that together take every arm, writer.go writes one, value.go the values in it. moves.go writes
// one for the moves of a simulation.
//
// Each is written while its run is taken along on the step of the runtime, so that what is
// written is what the run did.
package scenarios

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Generated are scenarios of one machine that together take every arm that can be taken.
type Generated struct {
	Scenarios []Scenario
	Missed    []Missed // the arms that none of them takes; those that reject take nothing
}

// Scenario is the text of one.
type Scenario struct {
	Title string
	Text  string
	arms  map[int]bool // that it takes
	halts string       // why it halts at the end; empty where it does not
	torn  string       // a host guard that has to say yes and no at once; empty for none
}

// Missed is an arm that no scenario takes.
type Missed struct {
	Arm  *ir.Arm
	Name string // such as "Idle on Go"
	Why  string // as a clause
}

// Generate writes scenarios for the runs of cover, and chooses few of them: always the one that
// takes most arms which none chosen before takes, the shorter one first. Titles begin with
// prefix. The outcome depends on the machine alone. The error is that the runtime does not take m.
func Generate(m *ir.Machine, cover *ir.Cover, prefix string) (*Generated, error) {
	x, err := machine.Compile(table.WithoutJitter(m))
	if err != nil {
		return nil, err
	}
	var taken ir.StableNames
	names := ir.ArmNames(m, &taken)
	why := map[int]string{}
	for _, a := range cover.Missed {
		why[a.ID] = "no run to it is known that a scenario can say"
	}
	var all []Scenario
	for i := range cover.Runs {
		run := &cover.Runs[i]
		s, err := write(m, x, run)
		if err != nil {
			why[targetOf(run).ID] = err.Error()
		} else if !s.arms[targetOf(run).ID] {
			why[targetOf(run).ID] = s.why()
		}
		if s != nil {
			all = append(all, *s)
		}
	}
	out := &Generated{}
	covered := map[int]bool{}
	for best := next(all, covered); best >= 0; best = next(all, covered) {
		s := all[best]
		s.title(prefix, m.Name, names, covered)
		for arm := range s.arms {
			covered[arm] = true
		}
		out.Scenarios = append(out.Scenarios, s)
	}
	for i, a := range m.Arms {
		if !covered[i] && a.Kind != ir.Reject {
			reason := cmp.Or(why[i], "it lies on the way to an arm that no scenario takes")
			out.Missed = append(out.Missed, Missed{a, names[i], reason})
		}
	}
	return out, nil
}

// why is why s does not take the arm that it was for.
func (s *Scenario) why() string {
	if s.torn != "" {
		return "host guard " + s.torn + " has to say yes and no at once"
	}
	if s.halts != "" {
		return "the run halts before it: " + s.halts
	}
	return "the run to it hangs on the id of the run, or on a wait that jitter makes longer"
}

// next is the scenario that takes most arms which are not covered yet; -1 where none does.
func next(all []Scenario, covered map[int]bool) int {
	best, most := -1, 0
	for i := range all {
		n := 0
		for arm := range all[i].arms {
			if !covered[arm] {
				n++
			}
		}
		if n > most || n == most && n > 0 && len(all[i].Text) < len(all[best].Text) {
			best, most = i, n
		}
	}
	return best
}

// title names s after the last arm that it takes and none before it does: no two have that.
func (s *Scenario) title(prefix, machine string, names []string, covered map[int]bool) {
	last := -1
	for arm := range s.arms {
		if !covered[arm] {
			last = max(last, arm)
		}
	}
	s.Title = prefix + names[last]
	s.Text = fmt.Sprintf("scenario %s of %s%s", strconv.Quote(s.Title), machine, s.Text)
}

// Text is what stands in a file of scenarios: they, and a comment for each arm that is missed.
func (g *Generated) Text(machine string) string {
	var b strings.Builder
	for i := range g.Scenarios {
		b.WriteString("\n" + g.Scenarios[i].Text)
	}
	for _, m := range g.Missed {
		fmt.Fprintf(&b, "\n// No scenario takes %s of %s: %s.", strconv.Quote(m.Name), machine, oneLine(m.Why))
	}
	if len(g.Missed) > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
