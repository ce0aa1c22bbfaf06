package explore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// explored is the product of src and the work that it took.
func explored(t *testing.T, src string) *search {
	t.Helper()
	m := langtest.Machine(t, src)
	x, _ := exploration(flat.New(m, nil), DefaultLimit, data.New(m), nil)
	if x == nil {
		t.Fatal("it is past the limit")
	}
	return x
}

// TestManyEdges explores configurations with many edges, most of them to
// configurations that are known: each stands once, and looking for it takes a few
// looks at the table.
func TestManyEdges(t *testing.T) {
	before := WideFrom
	WideFrom = 1 << 30
	defer func() { WideFrom = before }()
	for _, n := range []int{3, 6, 9} {
		var fields, sets, payload strings.Builder
		for i := range n {
			fmt.Fprintf(&fields, "b%d bool = false\n", i)
			fmt.Fprintf(&payload, "f%d bool\n", i)
			fmt.Fprintf(&sets, "b%d = event.f%d\n", i, i)
		}
		all := strings.TrimSuffix(strings.ReplaceAll(strings.ReplaceAll(fields.String(), " bool = false", ""), "\n", " && "), " && ")
		x := explored(t, fmt.Sprintf("machine M {\n context { %s }\n event E { %s }\n event G\n initial S\n"+
			" state S { on E { %s }\n on G when %s -> T else reject }\n terminal T\n}\n",
			fields.String(), strings.ReplaceAll(strings.TrimSpace(payload.String()), "\n", ", "), sets.String(), all))
		many := 1 << n
		// The start, each with each but itself, and one end; cancel ends the run of each.
		if got, want := len(x.To), 1+many*(many-1)+1; got < want || got > want+many {
			t.Errorf("%d booleans: %d edges, not %d", n, got, want)
		}
		type edge struct{ to, label int32 }
		for c := range int32(x.Len()) {
			seen := map[edge]bool{}
			for e := x.First[c]; e < x.First[c+1]; e++ {
				if k := (edge{x.To[e], x.labelAt[e]}); seen[k] {
					t.Fatalf("%d booleans: configuration %d has an edge twice", n, c)
				} else {
					seen[k] = true
				}
			}
		}
		if each := x.probes / len(x.To); each > 8 {
			t.Errorf("%d booleans: %d looks at the table for each of %d edges", n, each, len(x.To))
		}
	}
}

// TestChainOfHostGuards: what a chain of arms with three host guards each takes
// grows with the square of its length at most, not with 3 to the power of it.
func TestChainOfHostGuards(t *testing.T) {
	for name, pair := range map[string][2]string{
		"in arms":         {"on E when f%[1]d() && g%[1]d() && h%[1]d() -> T", "\n else when f%[1]d() && g%[1]d() && h%[1]d() -> T"},
		"in one guard":    {"on E when f%[1]d() && g%[1]d()", " || f%[1]d() && g%[1]d()"},
		"with each twice": {"on E when f0() && f1()", " || f%[1]d() && f%[2]d()"},
		"of fields":       {"on X when event.x%[1]d && event.y%[1]d -> T", "\n else when event.x%[1]d && event.y%[1]d -> T"},
	} {
		runs := func(n int) int {
			var guards, arms, fields strings.Builder
			for i := range n + 1 {
				fmt.Fprintf(&guards, "guard f%[1]d()\n guard g%[1]d()\n guard h%[1]d()\n", i)
				fmt.Fprintf(&fields, "x%[1]d bool, y%[1]d bool, ", i)
			}
			for i := range n {
				text := pair[min(i, 1)]
				if strings.Contains(text, "%[2]d") {
					fmt.Fprintf(&arms, text, i, i+1)
				} else if strings.Contains(text, "%[1]d") {
					fmt.Fprintf(&arms, text, i)
				} else {
					arms.WriteString(text)
				}
			}
			if !strings.HasSuffix(pair[0], "-> T") {
				arms.WriteString(" -> T")
			}
			x := explored(t, fmt.Sprintf("machine M {\n %s event E\n event X { %s }\n initial S\n state S { %s\n else -> U }\n terminal T\n terminal U\n}\n",
				guards.String(), strings.TrimSuffix(fields.String(), ", "), arms.String()))
			if _, entered := x.Entered(x.Table.Machine.Root.Children[2]); !entered {
				t.Errorf("%s: nothing is taken by the else", name)
			}
			return x.Tries
		}
		if small, large := runs(10), runs(20); large > 6*small {
			t.Errorf("%s: %d runs of a step for 10 arms, %d for 20", name, small, large)
		}
	}
}
