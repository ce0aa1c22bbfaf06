package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/codegen/svg"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// covered is what the scenarios of a machine took, and what they did not.
type covered struct {
	Machine string   `json:"machine"`
	Taken   int      `json:"taken"`
	All     int      `json:"all"`
	Missed  []missed `json:"missed"`

	machine *ir.Machine
	parts   *takenParts
}

// missed is what no scenario took.
type missed struct {
	Place string `json:"place"`
	What  string `json:"what"`
}

func (c *covered) write(w io.Writer) {
	fmt.Fprintf(w, "%s: %d of %d taken\n", c.Machine, c.Taken, c.All)
	for _, m := range c.Missed {
		fmt.Fprintf(w, "  %s: %s\n", m.Place, m.What)
	}
}

// coverOf is what scenarios took of their machines, in the order in which these come first.
func coverOf(list []played) []covered {
	taken := map[*ir.Machine]*takenParts{}
	var order []*ir.Machine
	for i := range list {
		m := list[i].test.Scenario.Machine
		if taken[m] == nil {
			taken[m] = &takenParts{arms: map[int]bool{}, redirects: map[int]bool{}, states: map[int]bool{}}
			order = append(order, m)
		}
		taken[m].note(list[i].Records)
	}
	out := make([]covered, len(order))
	for i, m := range order {
		out[i] = taken[m].of(m)
		out[i].machine, out[i].parts = m, taken[m]
	}
	return out
}

// takenParts are the arms that runs took, and the states that they entered or were turned away from.
type takenParts struct{ arms, redirects, states map[int]bool }

func (t *takenParts) note(records []*machine.Record) {
	for _, r := range records {
		t.arms[r.Arm] = true
		t.states[r.To] = true
		for _, s := range r.Redirects {
			t.redirects[s] = true
		}
	}
}

func (t *takenParts) of(m *ir.Machine) covered {
	c := covered{Machine: m.Name, Missed: []missed{}}
	count := func(taken bool, at token.Span, what string) {
		c.All++
		if taken {
			c.Taken++
			return
		}
		c.Missed = append(c.Missed, missed{fmt.Sprintf("%s:%d:%d", at.Start.Filename, at.Start.Line, at.Start.Column), what})
	}
	var names ir.StableNames
	for i, name := range ir.ArmNames(m, &names) {
		if m.Arms[i].Kind != ir.Reject {
			count(t.arms[i], m.Arms[i].Span, "arm "+name)
		}
	}
	for _, s := range m.States {
		switch {
		case s.Kind == ir.Terminal:
			count(t.states[s.ID], s.Span, "terminal "+s.Path)
		case s.Require != nil:
			count(t.redirects[s.ID], s.Span, "else of require in "+s.Path)
		}
	}
	return c
}

// coverList is --cover without a file. The help shows it, as --cover[="FILE"].
const coverList = "FILE"

// canDraw refuses a picture that cannot be made, before anything is played.
func (t *tester) canDraw(tests []*table.Test) error {
	if t.cover == "" || t.cover == coverList {
		return nil
	}
	if !strings.HasSuffix(t.cover, ".svg") {
		return fmt.Errorf("--cover=%s: the picture is SVG, in a file that ends in .svg", t.cover)
	}
	for _, other := range tests[1:] {
		if a, b := tests[0].Scenario.Machine, other.Scenario.Machine; a != b {
			return fmt.Errorf("--cover=%s draws one machine, and the scenarios are of %s and %s: name the files of one, or use --run", t.cover, a.Name, b.Name)
		}
	}
	return nil
}

// drawCover writes the picture of what the scenarios took.
func (t *tester) drawCover(r *tested) error {
	if t.cover == "" || t.cover == coverList {
		return nil
	}
	c := &r.cover[0]
	return t.writeMade(t.cover, svg.Target.Generate(c.machine, codegen.Options{Cover: c.parts.drawn(c.machine)}))
}

// drawn is what was taken, by the names that a drawing has.
func (t *takenParts) drawn(m *ir.Machine) *drawing.Coverage {
	c := &drawing.Coverage{Arms: map[string]bool{}, States: map[string]bool{}}
	for i, name := range ir.ArmNames(m, new(ir.StableNames)) {
		c.Arms[name] = t.arms[i]
	}
	for _, s := range m.States {
		c.States[s.Path] = t.states[s.ID]
	}
	return c
}
