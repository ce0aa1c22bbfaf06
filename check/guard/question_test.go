package guard_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// question is three random guards.
type question struct {
	t      testing.TB
	th     *theme
	m      *ir.Machine
	list   []ir.Expr
	guards []guard.Guard
	text   string
}

func (q *question) ask() map[string]guard.Verdict {
	g := q.guards
	return map[string]guard.Verdict{
		"overlap": q.compare("overlap", overlap(g[0], g[1]), func(r []result) bool { return r[0].holds && r[1].holds }),
		"gap": q.compare("gap", gap(g...), func(r []result) bool {
			return !slices.ContainsFunc(r, func(r result) bool { return r.holds || r.stuck })
		}),
		"dead": q.compare("dead", reach(g[:2], g[2]), func(r []result) bool {
			return !r[0].holds && !r[0].stuck && !r[1].holds && !r[1].stuck && r[2].holds
		}),
		"stuck":   q.compare("stuck", guard.Satisfy(stuck(g[0])), func(r []result) bool { return r[0].stuck }),
		"implies": q.compare("implies", counter(g[0].Holds, g[1].Holds), func(r []result) bool { return r[0].holds && !r[1].holds }),
		"not held": q.compare("not held", guard.Satisfy(notHeld(g[0]), g[1].Computed()), func(r []result) bool {
			return !r[0].holds && !r[1].stuck
		}),
	}
}

// compare holds a against the oracle, which accepts results that are ok.
func (q *question) compare(name string, a guard.Answer, ok func([]result) bool) guard.Verdict {
	q.t.Helper()
	want := q.th.exists(q.list, ok)
	switch {
	case a.Verdict == guard.Undecided:
		q.t.Errorf("%s of\n%s\nundecided", name, q.text)
	case want != (a.Verdict == guard.Sat):
		q.t.Errorf("%s of\n%s\n%s, and trying everything says %t", name, q.text, a.Verdict, want)
	case want:
		w := q.world(a.Model)
		results := make([]result, len(q.list))
		for i, e := range q.list {
			results[i].holds, results[i].stuck = w.holds(e)
		}
		if !ok(results) {
			q.t.Errorf("%s of\n%s\nthe model does not show it: %s", name, q.text, a.Model.Text())
		}
	}
	return a.Verdict
}

// world is m as a world, completed: fields of which m says nothing get a value,
// and calls the answer of one with equal arguments, else no.
func (q *question) world(m *guard.Model) *world {
	w := worldOf(q.t, m)
	w.values = q.th.complete(m)
	said := map[string]bool{}
	first := &world{values: w.values, verdict: func(call string, args []any) bool {
		if answer, known := m.Guards[call]; known {
			said[fmt.Sprintf("%q", args)] = answer
		}
		return m.Guards[call]
	}}
	for _, e := range q.list {
		ir.Walk(e, func(part ir.Expr) bool {
			if call, ok := part.(*ir.Call); ok {
				first.holds(call)
			}
			return true
		})
	}
	strict := w.verdict
	w.verdict = func(call string, args []any) bool {
		if _, known := m.Guards[call]; known {
			return strict(call, args)
		}
		return said[fmt.Sprintf("%q", args)]
	}
	return w
}

// complete adds plain values for what m leaves open because no answer depends on
// it.
func (th *theme) complete(m *guard.Model) map[string]any {
	values := m.Values()
	for name, domain := range th.fields {
		_, has := values[name]
		if _, long := values["len("+name+")"]; !has && !long && !slices.Contains(m.Unset, name) {
			values[name] = domain[len(domain)-1]
			if values[name] == nil {
				values[name] = domain[0]
			}
		}
	}
	return values
}
