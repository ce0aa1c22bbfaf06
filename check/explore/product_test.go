package explore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

func product(t testing.TB, src string) *explore.Product {
	t.Helper()
	p := explore.NewProduct(flat.New(langtest.Machine(t, src), nil), explore.DefaultLimit)
	if p == nil {
		t.Fatal("past the limit")
	}
	return p
}

// reached lists the states that p enters, in source order.
func reached(p *explore.Product) string {
	var out []string
	for _, s := range p.Table.Machine.States[1:] {
		if _, ok := p.Entered(s); ok {
			out = append(out, s.Path)
		}
	}
	return strings.Join(out, " ")
}

func TestProductData(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"a counter of one's own", `
    context { retries int 0..3 = 0 }
    initial A
    state A {
        on Go when retries < 3 -> A { retries = retries + 1 }
        on Go when retries >= 3 -> Done
        on Back when retries > 3 -> Never
    }`, "A Done"},
		{"a flag set and a flag read", `
    context { ok bool = false, mode Mode = Mode.slow }
    enum Mode { slow, fast }
    initial A
    state A { on Go -> B { mode = Mode.fast } }
    state B {
        on done when ok -> Never
        on done when !ok && mode == Mode.fast -> Done
        on done when !ok && mode == Mode.slow -> Never
    }`, "A B Done"},
		{"payload regions are consistent in a step", `
    event Told { n int }
    initial A
    state A {
        on Told when event.n < 3 -> B
        on Told when event.n >= 3 && event.n != 5 -> Done
    }
    state B { on Told when event.n < 3 && event.n > 1 && event.n != 2 -> Never }`, "A B Done"},
		{"a payload copied and compared later", `
    context { n int = 0, kind string = "" }
    event Told { n int, kind string }
    initial A
    state A { on Told when event.n > 10 && event.kind == "x" -> B { n = event.n, kind = event.kind } }
    state B {
        on Go when n > 5 && kind == "x" -> Done
        on Go when n <= 5 || kind != "x" -> Never
    }`, "A B Done"},
		{"max of the run, of a visit and of a scope", `
    initial Group
    state Group {
        initial A
        state A { on Go -> B max 2 per Group
                    else -> Done }
        state B { on Go -> A unbounded
                  on Back -> Out }
    }
    state Out { on Go -> Group max 1
                  else -> Never }`, "Group Group.A Group.B Out Done Never"},
		{"a parameter decides", `
    initial A
    state A {
        on done when limit > 3 -> B
        on done when limit <= 3 -> Done
    }
    state B { on Go when limit <= 3 -> Never
              on Go when limit > 3 -> Done }`, "A B Done"},
		{"a require redirects by data", `
    context { ready bool = false }
    initial A
    state A { on Go -> B
              on Back -> B { ready = true } }
    state B { require ready else -> C
              on Go when !ready -> Never
              on Go when ready -> Done }
    state C { on Go -> Done }`, "A B C Done"},
		{"host guards agree within a step", `
    guard may(n int)
    initial A
    state A {
        on Go when may(limit) -> B
        on Go when !may(limit) -> Done
    }
    state B { on Go when may(limit) && !may(limit) -> Never
              on Back -> Done }`, "A B Done"},
		{"set and unset", `
    context { name string }
    initial A
    state A { on Go -> B { name = "x" }
              on Back when name is set -> Never }
    state B { on Go when name is set -> Done
              on Back when name is not set -> Never }`, "A B Done"},
		{"two fields by value", `
    context { i int 0..5 = 0, j int 0..5 = 3 }
    initial A
    state A {
        on Go when i < j -> A { i = i + 1 }
        on Go when i == j -> Done
        on Go when i > j -> Never
    }`, "A Done"},
		{"the timer that comes first", `
    initial A
    state A {
        after 1h -> Done
        after 2h -> Never
    }`, "A Done"},
		{"a deferred event comes first", `
    initial A
    state A { defer Back
              after 1h -> B }
    state B { on Back -> Done
              on Go -> C }
    state C { on Back -> Done }`, "A B Done C"},
	} {
		t.Run(test.name, func(t *testing.T) {
			src := "machine M(limit int) {\n event Go\n event Back\n" + test.src + "\n    terminal Done\n    terminal Never failure\n}"
			if got := reached(product(t, src)); !cmp.Equal(strings.Fields(got), sortedLike(strings.Fields(test.want), got)) {
				t.Errorf("entered %q, want %q", got, test.want)
			}
		})
	}
}

// sortedLike is want where it has the same names as got, in the order of got.
func sortedLike(want []string, got string) []string {
	have := strings.Fields(got)
	if len(have) != len(want) {
		return want
	}
	for _, w := range want {
		if !strings.Contains(" "+got+" ", " "+w+" ") {
			return want
		}
	}
	return have
}

// grid is a machine with n configurations, about: k counters up to 9 each.
func grid(k int) string {
	var b strings.Builder
	b.WriteString("machine Grid {\n event Go\n")
	for i := range k {
		fmt.Fprintf(&b, " event E%d\n", i)
	}
	b.WriteString(" initial A\n state A {\n  on Go -> Done\n")
	for i := range k {
		fmt.Fprintf(&b, "  on E%d -> A max 9 else reject\n", i)
	}
	b.WriteString(" }\n terminal Done\n}\n")
	return b.String()
}

func BenchmarkProduct(b *testing.B) {
	m := langtest.Machine(b, grid(6))
	table := flat.New(m, nil)
	for b.Loop() {
		p := explore.NewProduct(table, explore.DefaultLimit)
		b.ReportMetric(float64(p.Configurations()), "configurations")
		b.ReportMetric(float64(len(p.To)), "edges")
	}
}

// TestUnreadFieldLeavesItsRange: a constant that is out of range leads nowhere, and that is no guess, though nothing
// reads the field.
func TestUnreadFieldLeavesItsRange(t *testing.T) {
	m := langtest.Machine(t, "machine M {\n context { two int 0..2 = 2, n int 0..1 = 0 }\n event E\n initial A\n state A { on E { n = two } }\n terminal T\n}\n")
	p := explore.NewProduct(flat.New(m, nil), explore.DefaultLimit)
	if p.Guessed || len(p.Faults()) != 1 {
		t.Errorf("guessed: %t, %d faults; the effect always leaves the range", p.Guessed, len(p.Faults()))
	}
}
