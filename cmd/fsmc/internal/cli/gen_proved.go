package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// provedBounds is the worst case of m as the generators take it; nil where it
// is not known.
func provedBounds(m *ir.Machine) *ir.Bounds {
	w := check.Bounds(m, explore.DefaultLimit)
	if w == nil {
		return nil
	}
	bound := func(f check.Figure) ir.Bound {
		return ir.Bound{Name: f.Name, Most: f.Amount, Exact: f.Exact, Why: w.Why(f.Name)}
	}
	all := func(figures []check.Figure) (out []ir.Bound) {
		for _, f := range figures {
			out = append(out, bound(f))
		}
		return out
	}
	return &ir.Bounds{Steps: bound(w.Steps), Time: bound(w.Time), Costs: all(w.Costs), Attempts: all(w.Activities)}
}

// covers are the runs of each machine for the test that stands beside output.
func covers(unit *lang.Unit, output string) (func(*ir.Machine) *ir.Cover, error) {
	if !strings.HasSuffix(output, ".go") {
		return nil, errors.New("a test file needs a Go file to stand beside: name it with -o")
	}
	found := map[*ir.Machine]*ir.Cover{}
	for _, m := range unit.Program.Machines {
		if found[m] = check.Cover(m, explore.DefaultLimit); found[m] == nil {
			return nil, fmt.Errorf("machine %q can reach more than %d configurations: there is no test that takes every arm", m.Name, explore.DefaultLimit)
		}
	}
	return func(m *ir.Machine) *ir.Cover { return found[m] }, nil
}
