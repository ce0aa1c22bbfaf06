package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// WhetherEntered is the question of unreachable-state, which the framework asks,
// too.
const WhetherEntered = "whether any run enters it"

// Text is the message of a finding that q was left open.
func (q Question) Text() string {
	text := "undecided: " + WhetherEntered
	if q.rule != nil {
		text = "undecided: " + q.rule.Question
	}
	switch {
	case len(q.others) > 0:
		return text + " (" + q.names() + ")"
	case q.State != nil && q.State.Path != "":
		return text + " (" + Quote(q.State.Path) + ")"
	}
	return text
}

// names are the states that q is about.
func (q Question) names() string {
	return some(ir.Paths(append([]*ir.State{q.State}, q.others...)), maxNames)
}

// maxNames is the most states that a question names.
const maxNames = 8

// gather makes one finding of all questions of a rule that the limit left open:
// they have one cause.
func gather(list []found) []found {
	at := map[string]int{}
	var out []found
	for _, f := range list {
		q := f.Question
		if q == nil || !q.past || q.State == nil {
			out = append(out, f)
			continue
		}
		i, known := at[q.Rule]
		if !known {
			at[q.Rule] = len(out)
			out = append(out, f)
			continue
		}
		first := out[i].Question
		first.others = append(first.others, q.State)
		out[i].Message = first.Text()
	}
	return out
}

// Helps gives for each question about m what would settle it.
func Helps(m *ir.Machine) func(Question) string {
	past, other := sync.OnceValue(func() string { return pastHelp(m) }), sync.OnceValue(func() string { return otherHelp(m) })
	return func(q Question) string {
		switch {
		case q.Changes != nil:
			return lapHelp(m, q.Changes)
		case q.past:
			return past()
		}
		return other()
	}
}

// lapHelp is the help where each lap of a cycle changes v: a number ends a cycle if it moves
// towards what it is compared with, and that has a range.
func lapHelp(m *ir.Machine, v *ir.Var) string {
	help := fmt.Sprintf("The checker found a cycle, but each lap changes %s, which decides whether there is another lap. Bound an arm of the cycle with `max N`", Quote(v.Name))
	if open := openBeside(m, func(w *ir.Var) bool { return w == v && v.Type.Range != nil }); len(open) > 0 {
		return help + fmt.Sprintf(", or give %s a range that ends before that of %s.", some(open, maxNames), Quote(v.Name))
	}
	return help + ", or keep what ends it in a boolean, an enum or an int with a range."
}

// openBeside names the numbers without a range that guards compare with one of those given.
func openBeside(m *ir.Machine, with func(*ir.Var) bool) []string {
	var names []string
	for e := range m.Exprs() {
		ir.Walk(e, func(e ir.Expr) bool {
			b, ok := e.(*ir.Binary)
			if !ok {
				return true
			}
			x, isVar := b.X.(*ir.VarRef)
			y, both := b.Y.(*ir.VarRef)
			if isVar && both && b.Op.Opposite() != "" {
				for _, sides := range [][2]*ir.Var{{x.Var, y.Var}, {y.Var, x.Var}} {
					if open := sides[1]; with(sides[0]) && open.Type.Kind == ir.Int && open.Type.Range == nil {
						names = append(names, open.Name)
					}
				}
			}
			return true
		})
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// pastHelp is the help of what the limit left open.
func pastHelp(m *ir.Machine) string {
	help := "Raise --max-configurations, lower the bounds, or give the fields that guards read narrower ranges."
	if list := multipliers(m); list != "" {
		help += " What multiplies: " + list + "."
	}
	return help
}

// otherHelp is the help where a path was found that is no run that was shown.
func otherHelp(m *ir.Machine) string {
	if names := data.Coarse(m); len(names) > 0 {
		help := coarseHelp(names)
		if open := openBeside(m, func(v *ir.Var) bool { return v.Type.Range != nil }); len(open) > 0 {
			help += fmt.Sprintf(" Give %s a range, too.", some(open, maxNames))
		}
		return help
	}
	return "The checker found a path, but no values and times that make it a run. Keep the data in question in a boolean, an enum or a field with a range, or give the timers around it more time."
}

// coarseHelp says that some data has too many values to be followed one by one.
func coarseHelp(names []string) string {
	have := "has"
	if len(names) > 1 {
		have = "have"
	}
	return fmt.Sprintf("The checker found a path, but no values and times that make it a run. %s %s too many values for each to be followed, so that comparisons with other data and sums are followed only approximately: narrow the range, raise --max-configurations, have a host `guard` compare, clamp what is computed with `min` and `max`, or give the timers around it room.", some(names, maxNames), have)
}

// maxMultipliers is the most kinds of data and bounds that multipliers names.
const maxMultipliers = 6

// busiest is the leaf with the most activities side by side; nil where none has several. Each
// runs, waits for a retry, or has ended.
func busiest(m *ir.Machine) *ir.State {
	most := slices.MaxFunc(m.States, func(a, b *ir.State) int { return len(a.Dos) - len(b.Dos) })
	if len(most.Dos) < 2 {
		return nil
	}
	return most
}

// multipliers says what the configurations of m are many by, the greatest first:
// "6 bounds of 4 values, stuck_at 7".
func multipliers(m *ir.Machine) string {
	bounds := map[uint64]int{}
	type part struct {
		text   string
		weight float64
	}
	var parts []part
	for _, d := range data.Dimensions(m) {
		if d.Field == nil {
			bounds[d.Values]++
			continue
		}
		parts = append(parts, part{fmt.Sprintf("%q %d values", d.Field.Name, d.Values), math.Log(float64(d.Values))})
	}
	if s := busiest(m); s != nil {
		parts = append(parts, part{fmt.Sprintf("%d activities side by side in %s", len(s.Dos), Quote(s.Path)), float64(len(s.Dos)) * math.Log(3)})
	}
	for values, n := range bounds {
		text := fmt.Sprintf("a bound of %d values", values)
		if n > 1 {
			text = fmt.Sprintf("%d bounds of %d values", n, values)
		}
		parts = append(parts, part{text, float64(n) * math.Log(float64(values))})
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.text, b.text))
	})
	var texts []string
	for _, p := range parts[:min(len(parts), maxMultipliers)] {
		texts = append(texts, p.text)
	}
	return strings.Join(texts, ", ")
}
