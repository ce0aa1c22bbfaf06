package table

import (
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/scenario"
)

// Test is a scenario that can be played. Several may be played at once.
type Test struct {
	Scenario *ir.Scenario
	Plan     *scenario.Scenario
	machine  *machine.Machine
}

// Play plays it.
func (t *Test) Play() scenario.Outcome { return scenario.Play(t.machine, t.Plan) }

// Tests are those of list that want takes, in order; none of them is broken. text is what stands
// at a place of the source. The error is a bug.
func Tests(list []*ir.Scenario, want func(*ir.Scenario) bool, text func(token.Span) string) ([]*Test, error) {
	machines := map[*ir.Machine]*machine.Machine{}
	var out []*Test
	for _, s := range list {
		if !want(s) {
			continue
		}
		m, known := machines[s.Machine]
		if !known {
			var err error
			if m, err = machine.Compile(WithoutJitter(s.Machine)); err != nil {
				return nil, err
			}
			machines[s.Machine] = m
		}
		out = append(out, &Test{s, CompileScenario(s, text), m})
	}
	return out, nil
}
