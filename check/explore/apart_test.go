package explore_test

import (
	"fmt"
	"os"
	"testing"
)

// stuck is a machine whose run goes on where it got stuck: only on the way back to A
// is the number read again.
const stuck = `machine M {
    enum Where { a, b }
    context { where Where = Where.a, n int 0..%d = 0 }
    event Go
    event Wrong
    event Count
    initial A
    state A {
        on Count when n < %[1]d { n = n + 1 } else -> Done
        on Go -> B
        on Wrong -> Stuck { where = Where.a }
    }
    state B {
        on Go -> Done
        on Wrong -> Stuck { where = Where.b }
    }
    state Stuck { on Go -> Resuming }
    state Resuming { on done when %s -> B else -> A }
    terminal Done
}`

func TestApart(t *testing.T) {
	const n = 50
	each := map[string]int{"A": n + 1, "B": 1, "Stuck": n + 2, "Resuming": n + 2}
	for _, guard := range []string{
		"where == Where.b", "Where.a != where", "!(where == Where.a)",
		"where == Where.b && where != Where.a", "where == Where.b || where != Where.a",
	} {
		p := product(t, fmt.Sprintf(stuck, n, guard))
		got := map[string]int{}
		for c := range int32(p.Configurations()) {
			if s := p.Leaf(c); s != nil {
				got[s.Path]++
			}
		}
		for path, want := range each {
			if got[path] != want {
				t.Errorf("when %s: %d configurations in %s, want %d", guard, got[path], path, want)
			}
		}
	}
	// What the field does not decide keeps the number alive everywhere.
	if p := product(t, fmt.Sprintf(stuck, n, "where == Where.b || n == 7")); p.Configurations() < 4*n {
		t.Errorf("%d configurations, want the number told apart in each state", p.Configurations())
	}
}

// TestApartOrder is the largest of the examples, which had 478,361 configurations.
func TestApartOrder(t *testing.T) {
	src, err := os.ReadFile("../../examples/orderfulfillment/orderfulfillment.fsm")
	if err != nil {
		t.Fatal(err)
	}
	if p := product(t, string(src)); p.Configurations() > 10_000 {
		t.Errorf("%d configurations, want at most 10,000", p.Configurations())
	}
}
