package breaking

import (
	"cmp"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/parallel"
)

// DefaultLimit is the Limit that is enough for most machines.
const DefaultLimit = 10_000

// Options say how far Compare looks.
type Options struct {
	Limit  int                  // the most pairs of configurations of two machines that are explored, and the most configurations of one
	Called map[*ir.Machine]bool // old machines that others call which are not in the old program
}

// Result is what Compare finds.
type Result struct {
	Points  []Point  // what breaks and nothing allows, in the order of the new text
	Allowed []Point  // what a comment allows
	Same    int      // machines that mean the same in both programs
	Paired  int      // machines that both programs have
	Added   []string // machines that the old program has not
	Pairs   []Pair   // of machines that differ
}

// Pair is a machine that both programs have.
type Pair struct{ Old, New *ir.Machine }

// Compare says what of old breaks where new takes its place. Machines are paired by
// their names, and those of one name by their folders. Neither program may have errors of names or types: what they are about is
// left out. Pairs are compared side by side on all cores; the outcome does not depend on
// how many there are.
func Compare(old, new *ir.Program, o Options) *Result {
	out := &Result{}
	partners, called := matched(old.Machines, new.Machines), calledIn(old)
	paired := map[*ir.Machine]bool{}
	var pairs []*pair
	for _, m := range old.Machines {
		is := partners[m]
		if is == nil {
			out.Points = append(out.Points, removedMachine(m, new))
			continue
		}
		paired[is] = true
		pairs = append(pairs, &pair{old: m, new: is, called: called[m] || o.Called[m], limit: o.Limit})
	}
	for _, m := range new.Machines {
		if !paired[m] {
			out.Added = append(out.Added, m.Name)
		}
	}
	same := make([]bool, len(pairs))
	parallel.Do(len(pairs), func(i int) { same[i] = pairs[i].compare() })
	out.Paired = len(pairs)
	for i, p := range pairs {
		out.Points = append(out.Points, p.points...)
		if same[i] {
			out.Same++
		} else {
			out.Pairs = append(out.Pairs, Pair{p.old, p.new})
		}
	}
	out.allow(new)
	for _, list := range [][]Point{out.Points, out.Allowed} {
		slices.SortStableFunc(list, comparePoints)
	}
	return out
}

// comparePoints is by place, then by family and what is shorter.
func comparePoints(a, b Point) int {
	return cmp.Or(
		cmp.Compare(a.New.Start.Filename, b.New.Start.Filename),
		cmp.Compare(a.New.Start.Offset, b.New.Start.Offset),
		cmp.Compare(a.Old.Start.Filename, b.Old.Start.Filename),
		cmp.Compare(a.Old.Start.Offset, b.Old.Start.Offset),
		cmp.Compare(a.Rule.Name, b.Rule.Name),
		cmp.Compare(a.Message, b.Message),
	)
}

// compare applies the rules, and reports whether both machines mean the same, so that
// none can find anything.
func (p *pair) compare() (same bool) {
	if fingerprint(p.old) == fingerprint(p.new) {
		return true
	}
	p.states = renamed(p.old, p.new)
	for _, r := range Rules {
		if p.rule = r; r.run != nil {
			r.run(p)
		}
	}
	return false
}

// calledIn are the machines of prog that others call.
func calledIn(prog *ir.Program) map[*ir.Machine]bool {
	out := map[*ir.Machine]bool{}
	for _, m := range prog.Machines {
		for _, a := range m.Activities {
			if a.Machine != nil {
				out[a.Machine] = true
			}
		}
	}
	return out
}
