package explore

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// counting are machines of which a part has paths that are long, and those in which an event leads to many ends.
var counting = []struct {
	longest int // path, at least
	src     string
}{{40, `
machine Fans(as [0..40]string, bs [0..40]string) {
    context { a int 0..40 = 0, b int 0..40 = 0 }
    event Ok
    activity w(x string) -> Ok
    initial S
    state S {
        do w(x) for x in as limit 4 as p timeout 1m
        do w(x) for x in bs as q timeout 1m
        on p.Ok { a = a + 1 }
        on q.Ok { b = b + 1 }
        on p.failed, q.failed {}
        on done when a > 30 && b < 3 -> T else -> U
    }
    terminal T
    terminal U
}`}, {6, `
machine Flags {
    context { a bool = false, b bool = false, c bool = false, d bool = false, e bool = false, f bool = false, g bool = false, n int 0..99 = 0 }
    event E { a bool, b bool, c bool, d bool, e bool, f bool, g bool }
    event F
    initial S
    after 1d -> T
    state S {
        on E { a = event.a b = event.b c = event.c d = event.d e = event.e f = event.f g = event.g }
        on F when a && b && c && d && e && f && g && n < 99 { n = n + 1 } else when n == 50 -> T else ignore
    }
    terminal T
}`}}

// TestPart: a part is the same each time; the paths that it has hang together, are paths of the whole, and are
// not short alone.
func TestPart(t *testing.T) {
	for _, c := range counting {
		m := langtest.Machine(t, c.src)
		one, other := Part(flat.New(m, nil), 300), Part(flat.New(m, nil), 300)
		if !one.partial || one.Configurations() != other.Configurations() || len(one.To) != len(other.To) {
			t.Errorf("it has %d and %d configurations, %d and %d edges", one.Configurations(), other.Configurations(), len(one.To), len(other.To))
		}
		longest := 0
		for to := range int32(one.Configurations()) {
			path, at := one.PathTo(to), int32(0)
			longest = max(longest, len(path))
			for i, e := range path {
				if one.From(e) != at {
					t.Fatalf("edge %d of the path to configuration %d starts in %d and not in %d", i, to, one.From(e), at)
				}
				at = one.To[e]
			}
			if at != to {
				t.Fatalf("the path to configuration %d leads to %d", to, at)
			}
		}
		if longest < c.longest {
			t.Errorf("the longest of the shortest paths has %d steps", longest)
		}
		for _, s := range m.States {
			for _, path := range one.Into(s) {
				if last := one.Leaf(one.To[path[len(path)-1]]); !last.Inside(s) {
					t.Errorf("a path into %s leads into %s", s.Path, last.Path)
				}
			}
		}
		for _, a := range m.Arms {
			for _, path := range one.Along(a) {
				if one.Arm(path[len(path)-1]) != a {
					t.Errorf("a path along the arm in line %d ends with another", a.Span.Start.Line)
				}
			}
		}
	}
}
