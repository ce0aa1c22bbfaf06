package explore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang"
)

// explored is the product of src and the work that it took.
func explored(t *testing.T, src string) *search {
	t.Helper()
	unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
	for _, d := range unit.Diags {
		t.Fatalf("%s: %s", d.Span, d.Message)
	}
	x, _ := exploration(flat.New(unit.Program.Machines[0]), DefaultLimit, newTracked(unit.Program.Machines[0]))
	if x == nil {
		t.Fatal("it is past the limit")
	}
	return x
}

// TestManyEdges explores configurations with many edges, most of them to
// configurations that are known: each stands once, and looking for it takes a few
// looks at the table.
func TestManyEdges(t *testing.T) {
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
				if k := (edge{x.To[e], x.edges[e]}); seen[k] {
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
