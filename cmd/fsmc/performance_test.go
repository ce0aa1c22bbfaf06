//go:build unix

package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/lang"
)

var measure = flag.Bool("measure", false, "measure the checker, and write the figures into docs/performance.md")

// performance is the document whose table between the two marks is written by
// TestPerformance.
const performance = "../../docs/performance.md"

var table = regexp.MustCompile(`(?s)(<!-- measured: checker -->\n).*?(<!-- end -->)`)

// measured is one row of the table. Its command runs as a process of its own, in
// a folder that holds files, as often as times says; the fastest run counts, the
// one that others on the machine disturbed least.
type measured struct {
	what  string
	files func() map[string]string
	args  []string
	times int
}

var checkerRows = []measured{
	{"one file of 12 states, from the start of the process to its end", files12, []string{"check", "."}, 31},
	{"1,000 ordinary machines in 1,000 files, 5 MB", files1000, []string{"check", "."}, 5},
	{"1,000,000 configurations, all questions and the worst case", filesMillion, []string{"check", "--format", "json", "."}, 5},
	{"1,000,000 configurations of two numbers that guards compare, all questions", filesGate, []string{"check", "."}, 5},
	{"past the limit, on the control graph: 1,000 states", filesChain(1_000), pastTheLimit, 5},
	{"past the limit: 10,000 states", filesChain(10_000), pastTheLimit, 5},
	{"past the limit: 100,000 states", filesChain(100_000), pastTheLimit, 3},
}

var pastTheLimit = []string{"check", "--max-configurations", "1", "--format", "json", "."}

// TestPerformance measures what docs/performance.md says of the checker. Without
// -measure it holds that the table there has the rows that are measured here.
func TestPerformance(t *testing.T) {
	text, err := os.ReadFile(performance)
	must(t, err)
	if !table.Match(text) {
		t.Fatalf("%s has no marks for the table", performance)
	}
	if !*measure {
		for _, row := range checkerRows {
			if !bytes.Contains(text, []byte("| "+row.what+" |")) {
				t.Errorf("%s has no row %q: run the test with -measure", performance, row.what)
			}
		}
		return
	}
	binary := filepath.Join(t.TempDir(), "fsmc")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %d cores, %s/%s:\n\n", runtime.Version(), runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH)
	b.WriteString("| what | time | CPU time | peak memory |\n| --- | --- | --- | --- |\n")
	for _, row := range checkerRows {
		took, cpu, memory := row.run(t, binary)
		t.Logf("%s: %s, %s, %s", row.what, took, cpu, memory)
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", row.what, took, cpu, memory)
	}
	fmt.Fprintf(&b, "\nThe parser reads %s a second on one core.\n", parseSpeed(t))
	text = table.ReplaceAll(text, []byte("${1}"+b.String()+"${2}"))
	must(t, os.WriteFile(performance, text, 0o644))
}

// run is the time of the fastest run of the command, the CPU time of the one
// that took least, and the largest resident set of all.
func (m measured) run(t *testing.T, binary string) (took, cpu, memory string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range m.files() {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	var walls, cpus []time.Duration
	var peak int64
	for range m.times {
		c := exec.Command(binary, m.args...)
		c.Dir = dir
		start := time.Now()
		out, err := c.Output()
		walls = append(walls, time.Since(start))
		if err != nil {
			t.Fatalf("%s: %v\n%.2000s", m.what, err, out)
		}
		cpus = append(cpus, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
		peak = max(peak, resident(c.ProcessState))
	}
	return seconds(slices.Min(walls)), seconds(slices.Min(cpus)), fmt.Sprintf("%d MB", peak/1e6)
}

// seconds is d with two digits that count.
func seconds(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.0f ms", d.Seconds()*1000)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// resident is the largest resident set of a process that has ended, in bytes.
// Linux counts it in kilobytes.
func resident(p *os.ProcessState) int64 {
	n := p.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS == "linux" {
		n *= 1024
	}
	return n
}

// parseSpeed parses the thousand machines as one file a few times; the fastest
// counts.
func parseSpeed(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, text := range files1000() {
		b.WriteString(text)
	}
	src := []byte(b.String())
	var times []time.Duration
	for range 7 {
		start := time.Now()
		if _, _, list := lang.Parse("all.fsm", src); len(list) > 0 {
			t.Fatal(list[0].Message)
		}
		times = append(times, time.Since(start))
	}
	return fmt.Sprintf("%.0f MB", float64(len(src))/1e6/slices.Min(times).Seconds())
}

func files12() map[string]string {
	return map[string]string{"one.fsm": ordinary("One", 4)}
}

func files1000() map[string]string {
	files := map[string]string{}
	for i := range 1000 {
		files[fmt.Sprintf("m%d.fsm", i)] = ordinary(fmt.Sprintf("M%d", i), 17)
	}
	return files
}

// ordinary is a machine of n working states and five others, with what machines
// have: activities that are retried, data, counters, and a way back.
func ordinary(name string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `// %[1]s brings a document through its stages, and back where it is refused.
machine %[1]s(id string) {
    failures { transient }

    context {
        note  string
        tries int 0..3 = 0
    }

    event Ready    { note string }
    event Refused
    event Approved
    event Answered { again bool }

    activity work(id string, stage int) -> Ready | Refused  cost usd 0.01
    activity tell(id string, note string)

    budget { steps 400 }

    initial Stage0
    after 30d -> Expired
    on failed -> Failed

`, name)
	for i := range n {
		next := fmt.Sprintf("Stage%d", i+1)
		if i == n-1 {
			next = "Telling"
		}
		fmt.Fprintf(&b, `    // Stage%[1]d is one of several that the document passes.
    state Stage%[1]d {
        do work(id, %[1]d) timeout 2m
        on Ready -> %[2]s { note = event.note }
        on Refused when tries < 3 -> Asking { tries = tries + 1 }
                             else -> Failed
        on failed(transient, timeout) retry 2 backoff 1s..1m else -> Failed
    }

`, i, next)
	}
	return b.String() + `    state Asking {
        on Approved -> Telling { note = "approved" }
        on Answered when event.again -> Stage0
                                else -> Failed
        after 2d -> Expired
    }

    state Telling {
        do tell(id, note) timeout 1m
        on done -> Told
    }

    terminal Told
    terminal Expired failure
    terminal Failed failure
}
`
}

// filesMillion is a machine that reaches a million configurations: six bounds
// of nine in one state.
func filesMillion() map[string]string {
	var events, arms strings.Builder
	for i := range 6 {
		fmt.Fprintf(&events, "    event E%d\n", i)
		fmt.Fprintf(&arms, "        on E%d -> A max 9 else reject\n", i)
	}
	return map[string]string{"million.fsm": "machine Million {\n    event Go\n" + events.String() +
		"    budget { steps 1000 }\n    initial A\n    after 24h -> Done\n    state A {\n        on Go -> Done\n" +
		arms.String() + "    }\n    terminal Done\n}\n"}
}

// filesGate is a machine that reaches a million configurations by its data. Two
// of its arms are never taken, which is asked of each of them.
func filesGate() map[string]string {
	return map[string]string{"gate.fsm": `machine Gate(limit int 0..1000) {
    enum Mode { Open, Closing }
    guard allowed()
    event Enter
    event Leave
    event Close
    context { inside int 0..1000 = 0, mode Mode = Mode.Open }
    initial Working
    after 24h -> Done
    state Working {
        on Enter when inside > limit -> Done
            else when mode == Mode.Open && inside < limit && allowed() -> Working unbounded { inside = inside + 1 }
            else reject
        on Leave when inside > 0 -> Working unbounded { inside = inside - 1 }
            else reject
        on Close when inside == 0 -> Done
            else when inside > limit -> Done
            else -> Working unbounded { mode = Mode.Closing }
    }
    terminal Done
}
`}
}

// filesChain is a machine of n states in a row, each with a way back by half.
func filesChain(n int) func() map[string]string {
	return func() map[string]string {
		var b strings.Builder
		b.WriteString("machine Chain {\n    failures { transient }\n    event Again\n    event Next\n" +
			"    activity work() -> Next\n    initial S0\n    on failed -> Failed\n    after 24h -> Failed\n")
		for i := range n {
			next := fmt.Sprintf("S%d", i+1)
			if i == n-1 {
				next = "Done"
			}
			fmt.Fprintf(&b, "    state S%d {\n        do work() timeout 1m\n        on Next -> %s\n"+
				"        on failed(transient) retry 3 else -> Failed\n        on Again -> S%d max 3 else reject\n    }\n", i, next, i/2)
		}
		b.WriteString("    terminal Done\n    terminal Failed failure\n}\n")
		return map[string]string{"chain.fsm": b.String()}
	}
}
