package lsp

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
)

// TestTyping plays a session in which a person types into the largest example, a key at a time, and
// takes it back: what the rules have found is shown all the time, and nothing of old texts is kept.
// FSMC_KEYS=10000 for a long one.
func TestTyping(t *testing.T) {
	keys := 300
	if given := os.Getenv("FSMC_KEYS"); given != "" {
		var err error
		if keys, err = strconv.Atoi(given); err != nil {
			t.Fatal(err)
		}
	}
	src, err := os.ReadFile("../../../../examples/orderfulfillment/orderfulfillment.fsm")
	if err != nil {
		t.Fatal(err)
	}
	text := string(src) + "\nmachine Spare {\n    event Go\n    initial A\n    state A { on Go -> T }\n    terminal T\n}\n"
	const typed = "\n    // What a person adds.\n    event Reminded { times int 0..9 }\n    on Reminded when event.times > 3 -> Nowhere { }\n"
	c := begin(t, Options{})
	c.open("order.fsm", text)
	c.settle()
	before := c.findings()
	if !strings.Contains(before, "waits-forever") {
		t.Fatalf("there is nothing to be seen:\n%s", before)
	}
	at := strings.Index(text, "    context {")
	held := uint64(0)
	for made := 0; made < keys; made += 2 * len(typed) {
		c.mu.Lock()
		c.every = nil
		c.mu.Unlock()
		for i := range len(typed) {
			c.edit("order.fsm", at+i, at+i, typed[i:i+1])
		}
		c.settle()
		for i := len(typed); i > 0; i-- {
			c.edit("order.fsm", at+i-1, at+i, "")
		}
		c.settle()
		c.mu.Lock()
		for _, p := range c.every {
			if !slices.ContainsFunc(p.Diagnostics, func(d proto.Diagnostic) bool { return d.Code == "waits-forever" }) {
				t.Errorf("version %d: what the rules had found is gone: %v", *p.Version, p.Diagnostics)
			}
		}
		c.every = nil
		c.mu.Unlock()
		if now := heap(); held == 0 {
			held = now
		} else if now > held+16<<20 {
			t.Fatalf("after %d keys %d MB are held, at first it was %d MB", made, now>>20, held>>20)
		}
	}
	if after := c.findings(); after != before {
		t.Errorf("at the end it finds\n%s\nand at the beginning\n%s", after, before)
	}
	t.Logf("%d keys, %d MB are held, at first it was %d MB", keys, heap()>>20, held>>20)
}

// heap is what is in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
