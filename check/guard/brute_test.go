package guard_test

import (
	"fmt"
	"slices"
	"sort"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// worlds calls f with every choice of values for the fields, until it returns
// false.
func (th *theme) worlds(f func(values map[string]any) bool) {
	names := make([]string, 0, len(th.fields))
	for name := range th.fields {
		names = append(names, name)
	}
	sort.Strings(names)
	values := map[string]any{}
	var choose func(i int) bool
	choose = func(i int) bool {
		if i == len(names) {
			return f(values)
		}
		for _, v := range th.fields[names[i]] {
			if delete(values, names[i]); v != nil {
				values[names[i]] = v
			}
			if !choose(i + 1) {
				return false
			}
		}
		return true
	}
	choose(0)
}

// result is how a guard comes out.
type result struct{ holds, stuck bool }

// exists reports whether there are values, and answers of the host, for which ok
// accepts how list comes out.
func (th *theme) exists(list []ir.Expr, ok func([]result) bool) bool {
	found := false
	results := make([]result, len(list))
	th.worlds(func(values map[string]any) bool {
		for said := (&answers{}); ; {
			w := &world{values: values, verdict: said.next}
			said.asked = said.asked[:0]
			for i, e := range list {
				results[i].holds, results[i].stuck = w.holds(e)
			}
			if found = ok(results); found || !said.advance() {
				break
			}
		}
		return !found
	})
	return found
}

// answers are what the host says to one question after another. They are tried
// like the digits of a number, the last first.
type answers struct {
	given []bool
	asked []string
}

func (a *answers) next(_ string, args []any) bool {
	key := fmt.Sprintf("%q", args)
	i := slices.Index(a.asked, key)
	if i < 0 {
		i, a.asked = len(a.asked), append(a.asked, key)
	}
	if i == len(a.given) {
		a.given = append(a.given, false)
	}
	return a.given[i]
}

// advance goes to the next answers, and reports whether there are any.
func (a *answers) advance() bool {
	for n := len(a.given) - 1; n >= 0; n-- {
		if !a.given[n] {
			a.given = append(a.given[:n], true)
			return true
		}
	}
	return false
}
