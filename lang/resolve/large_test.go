package resolve_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/lang"
)

// large is a machine of n leaves in composites of ten, each leaf with an
// activity, a retry, a guarded arm and a timer.
func large(n int) []byte {
	var b strings.Builder
	b.WriteString(`machine Large(id string) {
    failures { transient }
    context { count int 0..9 = 0 }
    event Ready { count int 0..9 }
    activity work(id string, n int) -> Ready
    initial G0
    on failed -> Failed
`)
	for g := range n / 10 {
		fmt.Fprintf(&b, "    state G%d {\n        initial S0\n        after 24h -> Failed\n", g)
		for s := range 10 {
			target := fmt.Sprintf("S%d", s+1)
			if s == 9 {
				target = fmt.Sprintf("G%d", g+1)
			}
			if s == 9 && g == n/10-1 {
				target = "Done"
			}
			fmt.Fprintf(&b, `        state S%d {
            do work(id, count + 1) timeout 30s
            on Ready when count < 5 && event.count != 3 -> %s { count = event.count }
                else -> Failed
            on failed(transient, timeout) retry 3 backoff 1s..30s else -> Failed
        }
`, s, target)
		}
		b.WriteString("    }\n")
	}
	b.WriteString("    terminal Done\n    terminal Failed failure\n}\n")
	return []byte(b.String())
}

// TestLarge holds that the time grows with the text, also where every target
// is misspelt or every name taken.
func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	const states, limit = 10_000, 30 * time.Second // generous: what is quadratic takes minutes
	src := large(states)
	for _, c := range []struct {
		name     string
		src      string
		findings bool
	}{
		{"sound", string(src), false},
		{"misspelt targets", strings.ReplaceAll(string(src), "-> S", "-> X"), true},
		{"one name for all", strings.ReplaceAll(string(src), "state S", "state S0 {} state S"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			unit := lang.Load([]lang.Source{{Name: "large.fsm", Src: []byte(c.src)}})
			if took := time.Since(start); took > limit {
				t.Errorf("took %s", took)
			}
			if got := len(unit.Diags) > 0; got != c.findings {
				t.Errorf("%d findings", len(unit.Diags))
			}
			if got := len(unit.Program.Machines[0].States); got < states {
				t.Errorf("%d states", got)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		src := large(n)
		b.Run(fmt.Sprintf("states=%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				unit := lang.Load([]lang.Source{{Name: "large.fsm", Src: src}})
				if len(unit.Diags) != 0 {
					b.Fatal(unit.Diags[0].Message)
				}
			}
		})
	}
}
