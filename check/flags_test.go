package check_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
)

// flagged is a machine with n flags, which one event sets, or with each one of its own,
// and which all are asked at last.
func flagged(n int, each bool) []byte {
	var b strings.Builder
	list := func(from, between, to, format string) {
		b.WriteString(from)
		for i := range n {
			if i > 0 {
				b.WriteString(between)
			}
			b.WriteString(strings.ReplaceAll(format, "#", fmt.Sprint(i)))
		}
		b.WriteString(to)
	}
	list("machine Flags {\n context { ", ", ", " }\n event Go\n", "f# bool = false")
	if each {
		list("", "", "", " event Told# { on bool }\n")
	} else {
		list(" event Told { ", ", ", " }\n", "x# bool")
	}
	b.WriteString(" initial Wait\n after 24h -> Late\n state Wait {\n")
	if each {
		list("", "", "", "  on Told# -> Wait unbounded { f# = f# || event.on }\n")
	} else {
		list("  on Told -> Wait unbounded { ", ", ", " }\n", "f# = f# || event.x#")
	}
	list("  on Go when ", " && ", " -> Done else reject\n }\n terminal Done\n terminal Late failure\n}\n", "f#")
	return []byte(b.String())
}

// TestManyFlags: flags that events set are decided up to the limit, and past it that is
// said soon.
func TestManyFlags(t *testing.T) {
	for _, c := range []struct {
		n    int
		each bool
		open bool
	}{{16, false, false}, {14, true, false}, {24, false, true}, {24, true, true}, {20, true, true}} {
		start := time.Now()
		found := check.Run(program(t, flagged(c.n, c.each)), all.Rules)
		if open := len(found) > 0; open != c.open {
			t.Errorf("%d flags: findings:\n%s", c.n, lines(found))
		}
		for _, d := range found {
			if d.Rule != "undecided" || !strings.Contains(d.Help, `What multiplies: "f0" 2 values`) {
				t.Errorf("%d flags: %s: %s", c.n, d.Rule, d.Help)
			}
		}
		if took := time.Since(start); took > time.Minute { // half a second on an idle machine
			t.Errorf("%d flags: it took %s", c.n, took)
		}
	}
}

// TestFlagsThatNobodyReads: they cost nothing.
func TestFlagsThatNobodyReads(t *testing.T) {
	var b strings.Builder
	b.WriteString("machine Toggles {\n event Go\n")
	for i := range 20 {
		fmt.Fprintf(&b, " event Told%d\n context { f%d bool = false }\n", i, i)
	}
	b.WriteString(" initial Wait\n after 24h -> Late\n state Wait {\n  on Go -> Done\n")
	for i := range 20 {
		fmt.Fprintf(&b, "  on Told%d -> Wait unbounded { f%d = !f%d }\n", i, i, i)
	}
	b.WriteString(" }\n terminal Done\n terminal Late failure\n}\n")
	start := time.Now()
	for _, d := range check.Run(program(t, []byte(b.String())), all.Rules) {
		if d.Rule != "never-read" {
			t.Errorf("%s: %s", d.Rule, d.Message)
		}
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("it took %s", took)
	}
}
