package cli

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// slowWriter gives each write time to be torn apart by another.
type slowWriter struct{ bytes.Buffer }

func (w *slowWriter) Write(p []byte) (int, error) {
	for i := range p {
		w.WriteByte(p[i])
		if i%8 == 0 {
			time.Sleep(time.Microsecond)
		}
	}
	return len(p), nil
}

func TestPrinterKeepsLinesWhole(t *testing.T) {
	var out slowWriter
	p := &printer{out: &out}
	var all sync.WaitGroup
	for run := range 8 {
		all.Go(func() {
			id := fmt.Sprintf("run-%d", run)
			p.OnStep(runtime.StepInfo{Run: id, To: "Idle", Input: "start", Effect: machine.Moved})
			for range 20 {
				p.OnStep(runtime.StepInfo{Run: id, From: "Idle", To: "Busy", Input: "Go", Effect: machine.Moved})
				p.OnAttempt(runtime.AttemptInfo{Run: id, Activity: "work", Attempt: 1, Category: "unknown", Message: "it broke"})
			}
		})
	}
	all.Wait()
	started := map[string]bool{}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 8*41 {
		t.Errorf("%d lines, want %d", len(lines), 8*41)
	}
	for _, line := range lines {
		id := line[strings.Index(line, "run-"):][:len("run-0")]
		switch {
		case line == id+" started in Idle":
			started[id] = true
		case !started[id]:
			t.Fatalf("%q comes before the start of the run", line)
		case !strings.HasSuffix(line, "  "+id+"  Idle -> Busy  (Go)") &&
			line != "          "+id+"  work, attempt 1: unknown: it broke":
			t.Fatalf("a line is torn: %q", line)
		}
	}
}

func TestPrinterWhenQuiet(t *testing.T) {
	for _, c := range []struct {
		name    string
		printer *printer
		want    string
	}{
		{"quiet", &printer{quiet: true}, "r1 started in Idle\n"},
		{"silent", &printer{silent: true}, ""},
	} {
		var out bytes.Buffer
		p := c.printer
		p.out = &out
		p.OnStep(runtime.StepInfo{Run: "r1", To: "Idle", Input: "start", Effect: machine.Moved})
		p.OnStep(runtime.StepInfo{Run: "r1", From: "Idle", To: "Idle", Input: "Go", Effect: machine.Stayed})
		p.OnStep(runtime.StepInfo{Run: "r1/Idle.part.1.1[999]", To: "Idle", Input: "start", Effect: machine.Moved})
		p.OnAttempt(runtime.AttemptInfo{Run: "r1", Activity: "work", Attempt: 1, Message: "it broke"})
		if out.String() != c.want {
			t.Errorf("%s: got %q, want %q", c.name, out.String(), c.want)
		}
	}
}
