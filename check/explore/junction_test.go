package explore

import (
	"fmt"
	"strings"
	"testing"
)

// numbered is format for each number below n.
func numbered(n int, sep, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i))
	}
	return strings.Join(parts, sep)
}

// flags is a machine whose event sets n booleans, with the members given in its state.
func flags(n int, members string) string {
	return fmt.Sprintf("machine M {\n context { %s }\n event E { %s }\n event G\n initial S\n state S {\n %s\n on G when %s -> T else reject }\n terminal T\n}\n",
		numbered(n, ", ", "b# bool = false"), numbered(n, ", ", "f# bool"), members, numbered(n, " && ", "b#"))
}

// TestWideGrows counts work, not time: where an event sets k booleans at once, the
// edges and the runs of steps grow with the configurations, 2^k, and not with their
// square; and however it is written there are as many configurations.
func TestWideGrows(t *testing.T) {
	for _, c := range []struct {
		name    string
		source  func(n int) string
		configs func(n int) int
	}{
		{"all", func(n int) string { return flags(n, "on E { "+numbered(n, "\n", "b# = event.f#")+" }") }, func(n int) int { return 1<<n + 2 }},
		{"all but one", func(n int) string { return flags(n, "on E { "+numbered(n-1, "\n", "b# = event.f#")+" }") }, func(n int) int { return 1<<(n-1) + 1 }},
		{"under a guard over the payload", func(n int) string {
			return flags(n, "on E when event.f0 { "+numbered(n, "\n", "b# = event.f#")+" } else when event.f1 -> S { "+numbered(n, "\n", "b# = event.f#")+" } else reject")
		}, func(n int) int { return 3<<(n-2) + 3 }},
		{"or else nothing", func(n int) string {
			return flags(n, "on E when event.f0 || event.f1 { "+numbered(n, "\n", "b# = event.f#")+" } else ignore")
		}, func(n int) int { return 3<<(n-2) + 3 }},
		{"or else one", func(n int) string {
			return flags(n, "on E when event.f0 || event.f1 { "+numbered(n, "\n", "b# = event.f#")+" } else { b2 = event.f2 }")
		}, func(n int) int { return 3<<(n-2) + 4 }},
		{"under a guard over what was", func(n int) string {
			return flags(n, "on E when b0 || b1 { "+numbered(n, "\n", "b# = event.f#")+" } else { b0 = event.f0 b1 = event.f1 }")
		}, func(n int) int { return 1<<n + 2 }},
		{"in a cycle", func(n int) string {
			return strings.Replace(flags(n, "on E -> R { "+numbered(n, "\n", "b# = event.f#")+" }"), "terminal T", "state R { on G -> S }\n terminal T", 1)
		}, func(n int) int { return 2<<n + 2 }},
	} {
		work := func(n int) (edges, runs int) {
			x := explored(t, c.source(n))
			if got, want := x.Configurations(), c.configs(n); got != want {
				t.Errorf("%s: %d configurations with %d booleans, want %d", c.name, got, n, want)
			}
			if len(x.stands) == 0 {
				t.Errorf("%s: no junction", c.name)
			}
			return len(x.To), x.Tries
		}
		edges, runs := work(8)
		moreEdges, moreRuns := work(12)
		if moreEdges > 17*edges || moreRuns > 17*runs {
			t.Errorf("%s: %d edges and %d runs of steps with 8 booleans, %d and %d with 12", c.name, edges, runs, moreEdges, moreRuns)
		}
	}
}

// TestFewEnds: an input with fewer ends than are worth it has no junction, and nothing
// that leads back to where it starts.
func TestFewEnds(t *testing.T) {
	x := explored(t, strings.Replace(flags(7, "on E { b0 = event.f0 b1 = event.f1 }"), "T else reject", "T else ignore", 1))
	if len(x.stands) > 0 {
		t.Errorf("%d junctions, want none", len(x.stands))
	}
	for c := range int32(x.Configurations()) {
		for _, to := range x.Successors(c) {
			if to == c {
				t.Errorf("configuration %d leads to itself by what counts for nothing", c)
			}
		}
	}
}
