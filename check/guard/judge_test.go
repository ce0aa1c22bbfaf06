package guard_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// TestJudge: what a Judge excludes Satisfy refutes; and where every atom is about
// data that is given, it excludes all that Satisfy refutes.
func TestJudge(t *testing.T) {
	tally := map[string]int{}
	for seed := range 2 * len(themes) {
		r := rand.New(rand.NewPCG(2, uint64(seed)))
		th := &themes[seed%len(themes)]
		var texts []string
		for range 40 {
			texts = append(texts, th.random(r, 1+r.IntN(6)))
		}
		list, input, m := guards(t, texts...)
		for i, e := range list {
			g := guard.Read(e, input)
			data := dataOf(th, m)
			judge := guard.NewJudge(g.Holds, data)
			if judge == nil {
				t.Fatalf("%s: no judge", texts[i])
			}
			for range 20 {
				values, facts := given(r, th, data)
				excluded := excludes(judge, values)
				refuted := guard.Satisfy(append(facts, g.Holds)...).Verdict == guard.Unsat
				if excluded && !refuted {
					t.Fatalf("%s is excluded for %+v, and can hold", texts[i], values)
				}
				if closed(e) && refuted && !excluded && !slices.Contains(values, guard.Some()) {
					t.Fatalf("%s cannot hold, and is not excluded for %+v", texts[i], values)
				}
				switch {
				case !excluded:
					tally["not excluded"]++
				case closed(e):
					tally["excluded, of data alone"]++
				default:
					tally["excluded"]++
				}
			}
		}
	}
	for _, outcome := range []string{"excluded", "excluded, of data alone", "not excluded"} {
		if tally[outcome] < 200 {
			t.Errorf("%d questions were %s, too few to mean much", tally[outcome], outcome)
		}
	}
}

// closed reports whether all of e is about parameters and context fields, and of
// strings only about constants: of two strings a Judge knows too little.
func closed(e ir.Expr) bool {
	yes := true
	ir.Walk(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Call, *ir.FieldRef, *ir.Len:
			yes = false
		case *ir.Binary:
			_, x := e.X.(*ir.VarRef)
			_, y := e.Y.(*ir.VarRef)
			yes = yes && !(x && y && e.X.Type().Kind == ir.String)
		}
		return true
	})
	return yes
}

// dataOf are the parameters and context fields of th.
func dataOf(th *theme, m *ir.Machine) []*ir.Var {
	var out []*ir.Var
	for _, v := range append(m.Params, m.Fields...) {
		if _, read := th.fields[v.Name]; read {
			out = append(out, v)
		}
	}
	return out
}

// given chooses a value for each of data, as a Judge and as a formula has it.
func given(r *rand.Rand, th *theme, data []*ir.Var) (values []guard.Value, facts []guard.Formula) {
	for _, v := range data {
		choice := th.fields[v.Name][r.IntN(len(th.fields[v.Name]))]
		if choice == nil {
			values, facts = append(values, guard.Unset()), append(facts, guard.Not(guard.IsSet(v)))
			continue
		}
		if r.IntN(8) == 0 {
			values, facts = append(values, guard.Some()), append(facts, guard.IsSet(v))
			continue
		}
		k := &ir.Const{Kind: v.Type.Kind}
		switch choice := choice.(type) {
		case bool:
			if choice {
				k.Int = 1
			}
		case int64:
			k.Int = choice
		case float64:
			k.Float = choice
		case string:
			if k.Str = choice; v.Type.Kind == ir.EnumKind {
				k.Int = int64(slices.Index(v.Type.Enum.Values, choice))
			}
		}
		facts = append(facts, guard.IsSet(v), guard.Equal(v, k))
		switch v.Type.Kind {
		case ir.Float:
			values = append(values, guard.Float(k.Float))
		case ir.String:
			values = append(values, guard.Text(k.Str))
		default:
			values = append(values, guard.From(k.Int, k.Int))
		}
	}
	return values, facts
}

// TestJudgeOfIntervals: a number that lies between two others is one of neither.
func TestJudgeOfIntervals(t *testing.T) {
	list, input, m := guards(t, "x > 1", "f >= 0.5", "x != 0")
	x, f := field(t, m, "x"), field(t, m, "f")
	for _, c := range []struct {
		e        ir.Expr
		v        *ir.Var
		value    guard.Value
		excluded bool
	}{
		{list[0], x, guard.From(-3, 1), true},
		{list[0], x, guard.From(1, 2), false},
		{list[0], x, guard.From(2, math.MaxInt64), false},
		{list[1], f, guard.Between(0, 0.5), true},
		{list[1], f, guard.Between(0.25, 0.75), false},
		{list[1], f, guard.Between(math.Inf(-1), 0), true},
		{list[1], f, guard.Float(0.5), false},
		{list[2], x, guard.From(0, 0), true},
		{list[2], x, guard.From(0, 1), false},
	} {
		j := guard.NewJudge(guard.Read(c.e, input).Holds, []*ir.Var{c.v})
		if got := excludes(j, []guard.Value{c.value}); got != c.excluded {
			t.Errorf("%s with %+v: excluded is %t, want %t", ir.ExprText(c.e), c.value, got, c.excluded)
		}
	}
}

// TestJudgeOfTwoAtoms: what two atoms exclude together about a field of the input
// is seen, too.
func TestJudgeOfTwoAtoms(t *testing.T) {
	list, input, m := guards(t, "event.n >= x && event.n <= y")
	j := guard.NewJudge(guard.Read(list[0], input).Holds, []*ir.Var{field(t, m, "x"), field(t, m, "y")})
	for _, c := range []struct {
		x, y     int64
		excluded bool
	}{{2, 1, true}, {2, 2, false}, {-3, -1, true}, {-3, 0, false}} {
		if got := excludes(j, []guard.Value{guard.From(c.x, c.x), guard.From(c.y, c.y)}); got != c.excluded {
			t.Errorf("x = %d, y = %d: excluded is %t, want %t", c.x, c.y, got, c.excluded)
		}
	}
}

// excludes asks j in the two ways that it knows.
func excludes(j *guard.Judge, values []guard.Value) bool {
	return j.ExcludesAtSight(values) || j.ExcludesBySearch()
}
