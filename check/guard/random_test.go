package guard_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/guard"
)

// A theme is what one random question is about: the fields that its guards read,
// with values enough to decide it (the strings have more of each length than are
// compared at once), and the comparisons that they are made of.
type theme struct {
	fields map[string][]any // nil among the values stands for unset
	atoms  []func(*rand.Rand) string
}

var ops = []string{"==", "!=", "<", "<=", ">", ">="}

func pick(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

func ints(lo, hi int64, more ...any) []any {
	for n := lo; n <= hi; n++ {
		more = append(more, n)
	}
	return more
}

func small(r *rand.Rand) string { return strconv.Itoa(r.IntN(9) - 4) }

var (
	truths  = []any{false, true}
	strs    = []any{"", "u", "v", "w", "uu", "vv", "ww", "uuu", "vvv", "uuuu"}
	numbers = func(names ...string) func(*rand.Rand) string {
		return func(r *rand.Rand) string {
			x, y, op := pick(r, names...), pick(r, names...), pick(r, ops...)
			switch r.IntN(6) {
			case 0:
				return x + " " + op + " " + y
			case 1:
				return x + " - " + y + " " + op + " " + small(r)
			case 2:
				return x + " + " + small(r) + " " + op + " " + y
			case 3:
				return small(r) + " " + op + " " + y
			case 4:
				return x + " " + op + " " + y + " - " + small(r)
			}
			return x + " " + op + " " + small(r)
		}
	}
	fixed = func(texts ...string) func(*rand.Rand) string {
		return func(r *rand.Rand) string { return pick(r, texts...) }
	}
)

var themes = []theme{
	{
		fields: map[string][]any{"x": ints(-3, 3), "y": ints(-3, 3), "event.n": ints(0, 10)},
		atoms:  []func(*rand.Rand) string{numbers("x", "y", "event.n")},
	},
	{
		fields: map[string][]any{"x": ints(-3, 3), "z": ints(-3, 3, nil), "b": truths, "c": append(truths, nil)},
		atoms: []func(*rand.Rand) string{
			numbers("x", "z"), fixed("b", "c", "b == c", "c != b", "z is set", "c is not set", "b != true"),
		},
	},
	{
		fields: map[string][]any{"s": strs, "t": append(strs, nil), "event.text": strs},
		atoms: []func(*rand.Rand) string{
			func(r *rand.Rand) string {
				names := []string{"s", "t", "event.text", `""`, `"u"`, `"vv"`}
				return pick(r, names[:3]...) + pick(r, " == ", " != ") + pick(r, names...)
			},
			func(r *rand.Rand) string {
				return "len(" + pick(r, "s", "t", "event.text") + ") " + pick(r, ops...) + " " + strconv.Itoa(r.IntN(3))
			},
			fixed("len(s) - len(t) >= 1", "len(s) == len(event.text)", "t is set"),
		},
	},
	{
		fields: map[string][]any{
			"k": {"red", "green", "blue"}, "j": {"red", "green", "blue", nil}, "event.kind": {"red", "green", "blue"}, "z": ints(-3, 3, nil),
		},
		atoms: []func(*rand.Rand) string{func(r *rand.Rand) string {
			names := []string{"k", "j", "event.kind", "Kind.red", "Kind.green", "Kind.blue"}
			return pick(r, names[:3]...) + pick(r, " == ", " != ") + pick(r, names...)
		}, fixed("kindly(k)", "kindly(j)", "kindly(Kind.blue)"), numbers("z")},
	},
	{
		fields: map[string][]any{"x": ints(-3, 3), "y": ints(-3, 3), "b": truths},
		atoms: []func(*rand.Rand) string{
			numbers("x", "y"), fixed("small(x)", "small(y)", "small(1)", "eq(x, y)", "eq(y, x)", "given(b)", "given(x < y)", "b"),
		},
	},
	{
		fields: map[string][]any{"f": {-1.0, -0.25, 0.0, 0.25, 0.5, 0.75, 2.0}, "g": {-1.0, -0.25, 0.0, 0.25, 0.5, 0.75, 2.0, nil}},
		atoms: []func(*rand.Rand) string{func(r *rand.Rand) string {
			return pick(r, "f", "g") + " " + pick(r, ops...) + " " + pick(r, "f", "g", "0", "0.5")
		}, fixed("g is set", "odd(f)", "odd(g)")},
	},
}

// random is a guard of at most n comparisons.
func (th *theme) random(r *rand.Rand, n int) string {
	if n <= 1 {
		atom := th.atoms[r.IntN(len(th.atoms))](r)
		if r.IntN(6) == 0 {
			return "!(" + atom + ")"
		}
		return atom
	}
	left := 1 + r.IntN(n-1)
	text := th.random(r, left) + pick(r, " && ", " || ") + th.random(r, n-left)
	if r.IntN(4) == 0 {
		return "!(" + text + ")"
	}
	return "(" + text + ")"
}

// TestRandom compares answers with those of trying everything.
func TestRandom(t *testing.T) { testRandom(t) }

// TestRandomAsMany does it as where there are many comparisons.
func TestRandomAsMany(t *testing.T) {
	guard.Few(1)
	defer guard.Few(64)
	testRandom(t)
}

func testRandom(t *testing.T) {
	batches := 36
	if testing.Short() {
		batches = 10
	}
	tally := map[string]int{}
	for seed := range batches {
		r := rand.New(rand.NewPCG(1, uint64(seed)))
		th := &themes[seed%len(themes)]
		var texts []string
		for range 60 {
			texts = append(texts, th.random(r, 1+r.IntN(6)))
		}
		list, input, m := guards(t, texts...)
		for i := 0; i+3 <= len(list); i += 3 {
			q := &question{t: t, th: th, m: m, list: list[i : i+3], text: strings.Join(texts[i:i+3], "\n")}
			for _, e := range q.list {
				q.guards = append(q.guards, guard.Read(e, input))
			}
			for name, v := range q.ask() {
				tally[name+" "+v.String()]++
			}
		}
	}
	for _, name := range []string{"overlap", "gap", "dead", "stuck"} {
		for _, v := range []string{"sat", "unsat"} {
			if tally[name+" "+v] < batches/2 {
				t.Errorf("%s is %s %d times, too rarely to mean much", name, v, tally[name+" "+v])
			}
		}
	}
}
