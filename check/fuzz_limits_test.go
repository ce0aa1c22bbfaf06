package check_test

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

const (
	// fuzzLimit is the configurations of a machine that the fuzzed checker tells
	// apart. It is what ends a check, so that no clock decides a verdict.
	fuzzLimit = 10_000

	// patience is when a check counts as hung, and most as out of bounds. Both
	// are many times what any input of a few kilobytes takes. While it fuzzes, go test
	// itself ends the process after ten seconds, and what is instrumented takes five
	// times as long: no seed may take a second.
	patience = 2 * time.Minute
	most     = 1 << 30 // bytes of heap
)

// FuzzLimits resolves and checks any text within bounds of time and memory.
func FuzzLimits(f *testing.F) {
	if flag.Lookup("test.fuzz").Value.String() != "" { // else TestNasty has them
		for _, src := range nasty() {
			f.Add([]byte(src))
		}
	}
	for _, s := range langtest.Sources(f, "rule/*/testdata/*.fsm") {
		f.Add(s.Src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 32<<10 {
			t.Skip("larger than the bounds are meant for")
		}
		watched(t, src)
	})
}

// TestNasty checks the shapes that multiply, each within the bounds.
func TestNasty(t *testing.T) {
	for name, src := range nasty() {
		t.Run(name, func(t *testing.T) { watched(t, []byte(src)) })
	}
}

// watched resolves src, checks it, and computes its worst cases, under the eyes
// of a watchdog that says on what input it hung or grew too large.
func watched(t *testing.T, src []byte) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		unit := lang.Load([]lang.Source{{Name: "fuzz.fsm", Src: src}})
		check.RunUpTo(unit.Program, all.Rules, fuzzLimit)
		for _, m := range unit.Program.Machines {
			check.Bounds(m, fuzzLimit)
		}
	}()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	hung := time.After(patience)
	for {
		select {
		case <-done:
			return
		case <-hung:
			bark(src, fmt.Sprintf("it has not ended after %s", patience))
		case <-tick.C:
			if n := heap(); n > most {
				runtime.GC() // what is left over from before does not count
				if n = heap(); n > most {
					bark(src, fmt.Sprintf("it holds %d MiB", n>>20))
				}
			}
		}
	}
}

// bark ends the process with the input and all stacks: a check that hangs can
// neither be stopped nor left alone.
func bark(src []byte, why string) {
	stacks := make([]byte, 1<<20)
	panic(fmt.Sprintf("%s on %q\n%s", why, src, stacks[:runtime.Stack(stacks, true)]))
}

// heap is the bytes of objects on the heap, those not yet swept included.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// TestHeapIsSeen: what the watchdog goes by grows with what is held.
func TestHeapIsSeen(t *testing.T) {
	const size = 64 << 20
	runtime.GC() // so that nothing else is freed between the two readings
	before := heap()
	held := make([]byte, size)
	if after := heap(); after < before+size/2 {
		t.Errorf("%d bytes before, and %d with %d more", before, after, size)
	}
	runtime.KeepAlive(held)
}

// nasty are machines of a few kilobytes that stand for very much.
func nasty() map[string]string {
	return map[string]string{
		"huge ranges":        hugeRanges(),
		"counters":           repeated(300, " event E%d\n", "  on E%d -> A max 900 else -> Done\n"),
		"counters, all runs": repeated(60, " event E%d\n", "  on E%d -> A max 900 per B else reject\n"),
		"events":             repeated(1000, " event E%d\n", "  on E%d -> B\n"),
		"deferred":           repeated(60, " event E%d\n", "  defer E%d\n"),
		"flags":              repeated(40, " event E%[1]d\n context { f%[1]d bool = false }\n", "  on E%[1]d when !f%[1]d { f%[1]d = true }\n"),
		"enums":              repeated(24, " event E%[1]d\n enum N%[1]d { a, b, c, d, e }\n context { f%[1]d N%[1]d = N%[1]d.a }\n", "  on E%[1]d when f%[1]d == N%[1]d.a { f%[1]d = N%[1]d.b } else { f%[1]d = N%[1]d.c }\n"),
		"sums":               repeated(12, " event E%[1]d\n context { f%[1]d int 0..1000000 = 0 }\n", "  on E%[1]d when f%[1]d < 999999 { f%[1]d = f%[1]d + 1 } else -> Done\n"),
		"differences":        differences(),
		"activities":         repeated(40, " event E%[1]d\n activity a%[1]d() -> E%[1]d\n", "  do a%[1]d() timeout 1m\n  on E%[1]d { }\n"),
		"retries":            repeated(8, " event E%[1]d\n activity a%[1]d() -> E%[1]d\n", "  do a%[1]d() as l%[1]d timeout 1m\n  on l%[1]d.E%[1]d retry 90 else { }\n"),
		"timers":             repeated(200, "", "  after %[1]dm { }\n"),
		"timers, unordered":  repeated(40, " context { d%[1]d duration 0s..1h = 1m }\n", "  after d%[1]d { }\n"),
		"guards":             repeated(40, " guard g%[1]d()\n", "  on Go when g%[1]d() -> A max 3\n"),
		"asserts":            repeated(40, " event E%[1]d\n assert A precedes S%[1]d\n assert S%[1]d leads to B\n assert S%[1]d at most 50\n state S%[1]d { after 1m -> A }\n", "  on E%[1]d -> S%[1]d max 7 else -> B\n"),
		"nesting":            nesting(),
		"requires":           requires(),
		"strings":            repeated(100, " event E%[1]d\n context { s%[1]d string = \"\" }\n", "  on E%[1]d when s%[1]d == \"x\" || s%[1]d != \"y\" { s%[1]d = s%[1]d + \"x\" }\n"),
		"everything meets":   mesh(60),
	}
}

// repeated is a machine with n declarations and n members of its first state,
// each numbered.
func repeated(n int, declaration, member string) string {
	var decls, members strings.Builder
	for i := range n {
		if declaration != "" {
			fmt.Fprintf(&decls, declaration, i)
		}
		fmt.Fprintf(&members, member, i)
	}
	return "machine Many {\n event Go\n" + decls.String() + " initial A\n on failed -> Done\n" +
		" state A {\n  on Go -> B\n  after 24h -> Done\n" + members.String() +
		" }\n state B { after 1h -> A max 5 else -> Done }\n terminal Done\n}\n"
}

func hugeRanges() string {
	return `machine Huge(top int 0..9223372036854775807) {
    event Go { by int -9223372036854775807..9223372036854775807, d duration 0s..200w }
    context {
        n int -9223372036854775807..9223372036854775807 = 0
        m int 0..9223372036854775807 = 1
        d duration 0s..200w = 1ns
    }
    initial A
    after 24h -> Done
    state A {
        on Go when n < 9223372036854775807 && m - n < 9223372036854775807 -> A { n = n + event.by, m = m * 2, d = d + event.d }
            else -> B
    }
    state B {
        after d -> A unbounded { d = d * 1000, m = m * m }
        on Go when n + 1 > top { n = n - event.by }
    }
    terminal Done
}
`
}

// differences is a guard of many comparisons of many fields.
func differences() string {
	var fields, parts strings.Builder
	for i := range 16 {
		fmt.Fprintf(&fields, "  f%d int 0..1000 = 0\n", i)
	}
	for i := range 32 {
		fmt.Fprintf(&parts, "(f%d - f%d < %d || f%d + %d >= f%d)", i%16, (i*7+1)%16, i, (i*3)%16, i, (i*5+2)%16)
		if i < 31 {
			parts.WriteString(" && ")
		}
	}
	return "machine Differences {\n event Go\n event Set { n int 0..1000 }\n context {\n" + fields.String() + " }\n" +
		" initial A\n after 24h -> Done\n state A {\n  on Set { f1 = event.n, f2 = f1 + 1, f3 = f2 - f1 }\n  on Go when " + parts.String() +
		" -> Done else reject\n }\n terminal Done\n}\n"
}

// nesting is a tower of composites, each with a timer and a bound of its own.
func nesting() string {
	const levels = 150
	var b strings.Builder
	b.WriteString("machine Tower {\n event Go\n event Up\n initial S0\n")
	for i := range levels {
		fmt.Fprintf(&b, "state S%d { initial S%d after %dm -> S%d max 3 else -> Done on Up -> S%d max 2 per S%d else -> Done\n", i, i+1, i+1, i/2, i/3, i/4)
	}
	fmt.Fprintf(&b, "state S%d { on Go -> Done }\n", levels)
	return b.String() + strings.Repeat("}", levels) + "\n terminal Done\n}\n"
}

// requires is a chain of redirections that may come back on itself.
func requires() string {
	const n = 100
	var b strings.Builder
	b.WriteString("machine Chain {\n event Go { k int 0..200 }\n context { k int 0..200 = 0 }\n initial S0\n after 24h -> Done\n")
	for i := range n {
		fmt.Fprintf(&b, " state S%d {\n  require k != %d else -> S%d\n  on Go -> S%d { k = event.k }\n }\n", i, i, (i+1)%n, (i*7)%n)
	}
	return b.String() + " terminal Done\n}\n"
}

// mesh has an arm from every state to every state.
func mesh(n int) string {
	var b strings.Builder
	b.WriteString("machine Mesh {\n")
	for i := range n {
		fmt.Fprintf(&b, " event E%d\n", i)
	}
	b.WriteString(" initial S0\n after 24h -> Done\n")
	for i := range n {
		fmt.Fprintf(&b, " state S%d {\n", i)
		for j := range n {
			if (i+j)%4 == 0 {
				fmt.Fprintf(&b, " on E%d -> S%d max 2\n", j, j)
			}
		}
		b.WriteString(" }\n")
	}
	return b.String() + " terminal Done\n}\n"
}
