package check_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// The oracle of the rules about guards: machines small enough that all their
// values can be gone through. It shares no code with check/guard or
// check/explore; a guard is made as text and as a function side by side.

// values are what the guards of the machine below can read.
type values struct {
	a, n, w int // the field a, event.n, event.wait in nanoseconds
	x       int // the field x, -1 for unset
	tier    int
	f, h    bool // event.f; what the host says of h(event.n)
	limit   int
	text    int // the length of event.text
}

// condition is a guard as text and as a function.
type condition struct {
	text string
	eval func(values) bool
}

var operators = []struct {
	text string
	eval func(a, b int) bool
}{
	{"==", func(a, b int) bool { return a == b }},
	{"!=", func(a, b int) bool { return a != b }},
	{"<", func(a, b int) bool { return a < b }},
	{"<=", func(a, b int) bool { return a <= b }},
	{">", func(a, b int) bool { return a > b }},
	{">=", func(a, b int) bool { return a >= b }},
}

var tiers = []string{"gold", "silver", "plain"}

// atom is a random comparison.
func atom(r *rand.Rand) condition {
	op := operators[r.IntN(len(operators))]
	k := r.IntN(5)
	switch r.IntN(11) {
	case 0:
		return condition{fmt.Sprintf("a %s %d", op.text, k), func(v values) bool { return op.eval(v.a, k) }}
	case 1:
		return condition{fmt.Sprintf("event.n %s %d", op.text, k), func(v values) bool { return op.eval(v.n, k) }}
	case 2:
		k -= 2
		return condition{fmt.Sprintf("a - event.n %s %d", op.text, k), func(v values) bool { return op.eval(v.a-v.n, k) }}
	case 3:
		return condition{fmt.Sprintf("event.n + %d %s limit", k, op.text), func(v values) bool { return op.eval(v.n+k, v.limit) }}
	case 4:
		return condition{fmt.Sprintf("event.wait %s %dns", op.text, k), func(v values) bool { return op.eval(v.w, k) }}
	case 5:
		t := r.IntN(len(tiers))
		if r.IntN(2) == 0 {
			return condition{"tier == Tier." + tiers[t], func(v values) bool { return v.tier == t }}
		}
		return condition{"tier != Tier." + tiers[t], func(v values) bool { return v.tier != t }}
	case 6:
		return condition{"event.f", func(v values) bool { return v.f }}
	case 7:
		return condition{"h(event.n)", func(v values) bool { return v.h }}
	case 8:
		return condition{fmt.Sprintf("x is set && x %s %d", op.text, k), func(v values) bool { return v.x >= 0 && op.eval(v.x, k) }}
	case 9:
		return condition{"x is not set", func(v values) bool { return v.x < 0 }}
	}
	return condition{fmt.Sprintf("len(event.text) %s %d", op.text, k), func(v values) bool { return op.eval(v.text, k) }}
}

// guardOf is a random guard of some depth.
func guardOf(r *rand.Rand, depth int) condition {
	if depth == 0 || r.IntN(3) == 0 {
		return atom(r)
	}
	x, y := guardOf(r, depth-1), guardOf(r, depth-1)
	switch r.IntN(3) {
	case 0:
		return condition{"!(" + x.text + ")", func(v values) bool { return !x.eval(v) }}
	case 1:
		return condition{"(" + x.text + ") && (" + y.text + ")", func(v values) bool { return x.eval(v) && y.eval(v) }}
	}
	return condition{"(" + x.text + ") || (" + y.text + ")", func(v values) bool { return x.eval(v) || y.eval(v) }}
}

// sample is a machine with two handlers of Go, the first with a chain of two
// arms. How far Set sets a and x decides which values runs meet.
type sample struct {
	arms     [3]condition
	topA     int // a is 1, or below this
	topX     int // x is unset, or below this
	gold     bool
	internal bool // Go is a result
}

func newSample(r *rand.Rand) sample {
	s := sample{topA: r.IntN(5), topX: r.IntN(5), gold: r.IntN(2) == 0, internal: r.IntN(3) == 0}
	for i := range s.arms {
		s.arms[i] = guardOf(r, 2)
	}
	return s
}

func (s sample) source() string {
	var b strings.Builder
	b.WriteString(`machine Sample(limit int 0..4) {
    enum Tier { gold, silver, plain }
    context { a int 0..4 = 1, x int 0..4, tier Tier = Tier.plain }
    event Go { n int 0..4, f bool, wait duration 0s..4ns, text string }
    event SetA { n int 0..4 }
    event SetX { n int 0..4 }
    event Gold
    guard h(n int)
    activity work() -> Go
    initial S
    after 1d -> Done
    on failed -> Done
    state S {
`)
	if s.internal {
		b.WriteString("        do work() timeout 1h\n")
	}
	fmt.Fprintf(&b, "        on SetA when event.n < %d { a = event.n } else reject\n", s.topA)
	fmt.Fprintf(&b, "        on SetX when event.n < %d { x = event.n } else reject\n", s.topX)
	if s.gold {
		b.WriteString("        on Gold { tier = Tier.gold }\n")
	}
	fmt.Fprintf(&b, "        on Go when %s -> Done\n            else when %s -> Done\n", s.arms[0].text, s.arms[1].text)
	fmt.Fprintf(&b, "        on Go when %s -> Done\n    }\n    terminal Done\n}\n", s.arms[2].text)
	text := b.String()
	if !s.internal {
		text = strings.Replace(text, "    activity work() -> Go\n", "", 1)
		text = strings.Replace(text, "    on failed -> Done\n", "", 1)
	}
	return text
}

// all calls f with every combination of values, and whether some run meets it.
func (s sample) all(f func(v values, met bool)) {
	for i := range 5 * 5 * 5 * 6 * 3 * 2 * 2 * 5 * 6 {
		take := func(n int) int { k := i % n; i /= n; return k }
		v := values{a: take(5), n: take(5), w: take(5), x: take(6) - 1, tier: take(3), f: take(2) == 0, h: take(2) == 0, limit: take(5), text: take(6)}
		if v.tier != 2 && !s.gold {
			continue // nothing assigns it: it is a constant
		}
		f(v, (v.a == 1 || v.a < s.topA) && v.x < s.topX && (v.tier == 2 || v.tier == 0 && s.gold))
	}
}

// verdicts are what is true of a sample.
type verdicts struct {
	overlap, overlapMet, gapMet bool
	alive                       [3]bool
}

func (s sample) truth() verdicts {
	var t verdicts
	s.all(func(v values, met bool) {
		h := [3]bool{s.arms[0].eval(v), s.arms[1].eval(v), s.arms[2].eval(v)}
		both := (h[0] || h[1]) && h[2]
		t.overlap = t.overlap || both
		t.overlapMet = t.overlapMet || both && met
		t.gapMet = t.gapMet || !h[0] && !h[1] && !h[2] && met
		if met {
			t.alive = [3]bool{t.alive[0] || h[0], t.alive[1] || h[1] && !h[0], t.alive[2] || h[2]}
		}
	})
	return t
}

// said reads the same out of findings.
func (s sample) said(list diag.List) verdicts {
	t := verdicts{alive: [3]bool{true, true, true}}
	arms := strings.Split(s.source(), "\n")
	line := 0
	for i, text := range arms {
		if strings.HasPrefix(text, "        on Go ") {
			line = i + 1 // of the last
		}
	}
	for _, d := range list {
		switch d.Rule {
		case "overlapping-guards":
			t.overlap = true
			t.overlapMet = t.overlapMet || d.Severity == diag.Error
		case "guard-gap", "unhandled-case":
			t.gapMet = true
		case "dead-arm":
			if at := d.Span.Start.Line - (line - 2); at >= 0 && at < 3 {
				t.alive[at] = false
			}
		}
	}
	return t
}

// TestGuardsAgainstBruteForce compares the rules about guards with what going
// through all values gives, on random machines.
func TestGuardsAgainstBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 25))
	seen := map[verdicts]int{}
	for range 120 {
		s := newSample(r)
		want := s.truth()
		list := check.Run(program(t, []byte(s.source())), all.Rules)
		got := s.said(list)
		if want.alive == [3]bool{} && !s.internal {
			want.gapMet = got.gapMet // a handler that is all dead is one finding
		}
		if got != want {
			t.Errorf("said %+v, true is %+v of\n%s%s", got, want, s.source(), lines(list))
		}
		seen[want]++
	}
	if len(seen) < 15 {
		t.Errorf("only %d different verdicts", len(seen))
	}
}
