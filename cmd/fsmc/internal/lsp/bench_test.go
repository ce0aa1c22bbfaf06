package lsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// large is a machine of n states, each with an activity and a retry.
func large(n int) string {
	var b strings.Builder
	b.WriteString("machine Chain {\n    activity work(n int) cost usd 0.01\n    context { n int 0..9 = 0 }\n    initial S0\n    on failed -> F\n    on cancel -> F\n")
	for i := range n {
		fmt.Fprintf(&b, "    state S%d {\n        do work(n) timeout 1m\n        on failed retry 3 else -> F\n        on done when n == 0 -> S%d { n = n } else -> S%d\n    }\n", i, i+1, i+1)
	}
	fmt.Fprintf(&b, "    state S%d { on done -> T }\n    terminal T\n    terminal F failure\n}\n", n)
	return b.String()
}

// BenchmarkLarge measures a text of 1,000 states as a person meets it: answers about a
// text at rest, and from an edit to its findings of names, and of rules with the quiet
// before them.
func BenchmarkLarge(b *testing.B) {
	c := begin(b, Options{Quiet: 150 * time.Millisecond})
	c.open("a.fsm", large(1000))
	c.settle()
	at := c.at("a.fsm", "S500", 1)
	for name, method := range map[string]string{"hover": "textDocument/hover", "definition": "textDocument/definition", "completion": "textDocument/completion", "highlight": "textDocument/documentHighlight", "symbols": "textDocument/documentSymbol", "tokens": "textDocument/semanticTokens/full"} {
		b.Run(name, func(b *testing.B) {
			measure(b, func() {
				var answer any
				c.must(method, at, &answer)
			})
		})
	}
	edits := 0
	touch := func() {
		edits++
		place := strings.Index(c.texts["a.fsm"], "timeout 1m") + len("timeout ")
		c.edit("a.fsm", place, place+1, fmt.Sprint(1+edits%9))
	}
	f := c.s.allFolders()[0]
	b.Run("edit to names", func(b *testing.B) {
		measure(b, func() {
			touch()
			until(b, c, func() bool {
				return c.found[c.uri("a.fsm")].Version != nil && *c.found[c.uri("a.fsm")].Version == c.versions["a.fsm"]
			})
		})
	})
	b.Run("edit to rules", func(b *testing.B) {
		measure(b, func() {
			touch()
			c.sync()
			for {
				f.mu.Lock()
				over := f.whole == f.latest
				f.mu.Unlock()
				if over {
					return
				}
				time.Sleep(time.Millisecond)
			}
		})
	})
}

func until(b *testing.B, c *client, over func() bool) {
	for {
		c.mu.Lock()
		ok := over()
		c.mu.Unlock()
		if ok {
			return
		}
		time.Sleep(200 * time.Microsecond)
	}
}

// measure reports the 95th percentile beside the mean.
func measure(b *testing.B, once func()) {
	var took []time.Duration
	for b.Loop() {
		begun := time.Now()
		once()
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}
