package explore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// flagged is a machine with n flags that one event sets, and with the arms given.
func flagged(t *testing.T, n int, event, arms string) *flat.Table {
	t.Helper()
	event, after, _ := strings.Cut(event, " else")
	if after != "" {
		after = " else" + after
	}
	var b strings.Builder
	b.WriteString("machine Flags {\n context {\n")
	for i := range n {
		fmt.Fprintf(&b, "  f%d bool = false\n", i)
	}
	b.WriteString(" }\n event Go\n event Clear\n event Told {\n")
	for i := range n {
		fmt.Fprintf(&b, "  x%d bool\n", i)
	}
	b.WriteString(" }\n initial Wait\n after 24h -> Late\n state Wait {\n  on Told " + event + " {")
	for i := range n {
		fmt.Fprintf(&b, " f%d = f%d || event.x%d", i, i, i)
	}
	b.WriteString(" }" + after + "\n" + arms + " }\n state Other {\n  on Go when f1 && !f2 -> Third else -> Done\n  on Clear -> Wait unbounded { f0 = false }\n }\n" +
		" state Third { on Go when f0 -> Done else reject }\n terminal Done\n terminal Late failure\n}\n")
	return flat.New(langtest.Machine(t, b.String()), nil)
}

// TestFlagsOneByOne: an event that brings flags one by one leads to the same
// configurations.
func TestFlagsOneByOne(t *testing.T) {
	for _, event := range []string{"-> Wait unbounded", "", "when !f0 -> Wait unbounded else reject", "-> Wait max 2 else reject", "-> Other"} {
		for _, arms := range []string{
			"  on Go when f0 && f1 && f2 && f3 && f4 -> Done else reject\n",
			"  on Go when f0 && !f1 || f2 && !f3 -> Other else when !f0 && f4 -> Third else -> Wait unbounded\n",
			"  on Go -> Other\n  on Clear when f3 -> Done else -> Wait unbounded { f3 = false f4 = true }\n",
		} {
			table := flagged(t, 5, event, arms)
			full := NewProduct(table, DefaultLimit)
			few, _ := TryLarge(table, 0, DefaultLimit)
			if full == nil || few == nil {
				t.Fatalf("%s %s: no product", event, arms)
			}
			if got, want := few.Configurations(), full.Configurations(); got != want {
				t.Errorf("%s %s: %d configurations, want %d", event, arms, got, want)
			}
			for _, a := range table.Machine.Arms {
				if few.Taken(a) != full.Taken(a) {
					t.Errorf("%s %s: arm of line %d: taken is %v", event, arms, a.Span.Start.Line, few.Taken(a))
				}
			}
			for _, s := range table.Machine.States {
				_, got := few.Entered(s)
				if _, want := full.Entered(s); got != want {
					t.Errorf("%s %s: %s: entered is %v", event, arms, s.Path, got)
				}
				if got, want := doomedIn(few, s), doomedIn(full, s); got != want {
					t.Errorf("%s %s: %d configurations of %s are doomed, want %d", event, arms, got, s.Path, want)
				}
			}
			if plain := event == "-> Wait unbounded" || event == ""; plain != (len(few.To) < len(full.To)) {
				t.Errorf("%s %s: %d edges, of %d", event, arms, len(few.To), len(full.To))
			}
		}
	}
}

// doomedIn counts the doomed configurations of s.
func doomedIn(p *Product, s *ir.State) int {
	n := 0
	for c, doomed := range p.Doomed() {
		if doomed && c > 0 && c < p.Configurations() && p.Leaf(int32(c)) == s {
			n++
		}
	}
	return n
}
