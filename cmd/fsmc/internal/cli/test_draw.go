package cli

import (
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/codegen/svg"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

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
