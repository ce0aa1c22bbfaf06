package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

var noon = time.Date(2025, 3, 1, 12, 0, 0, 0, time.Local)

// TestHistoryReadsWell holds that the columns of steps stand below each other,
// whatever is said between them, and that what comes from outside neither
// breaks lines nor reaches the terminal.
func TestHistoryReadsWell(t *testing.T) {
	steps := []runtime.StepView{
		{Seq: 1, At: noon, Input: "start", To: "Idle", Effect: machine.Moved, Data: json.RawMessage(`{"pr":"17"}`)},
		{Seq: 2, At: noon.Add(time.Second), Input: "Go", From: "Idle", To: "Posting.Comments", Effect: machine.Moved,
			Held: "1s", Actor: "ada\nlovelace", Reason: "it\x07 is\r\n\n time\n"},
		{Seq: 3, At: noon.Add(13 * time.Hour), Input: "failed(transient)", From: "Posting.Comments", To: "Posting.Comments",
			Effect: machine.Retried, Held: "12h59m59.5s", Activity: "post", Attempt: 1, Message: "exit status 1: Traceback\n503",
			Text: "retry 3", Count: 1, Max: 3, Wait: "1.5s"},
		{Seq: 4, At: noon.Add(14 * time.Hour), Input: "RateLimited", From: "Posting.Comments", To: "Failed", Effect: machine.Moved,
			Held: "13h59m59s", Activity: "post", Attempt: 2, Redirects: []string{"Waiting"},
			Passed: []machine.PassedView{{Text: "-> Waiting max 5", Why: "bound is used up"}},
			Guards: []machine.VerdictView{{Guard: "urgent", Args: json.RawMessage(`{"n":1}`), Answer: true}}},
	}
	want := `   #  TIME          FROM              INPUT              TO                EFFECT   AFTER
2025-03-01
   1  12:00:00.000                    start              Idle              moved
        with {"pr":"17"}
   2  12:00:01.000  Idle              Go                 Posting.Comments  moved    1s
        sent by ada lovelace: it` + "\uFFFD" + ` is time
2025-03-02
   3  01:00:00.000  Posting.Comments  failed(transient)                    retried  12h59m
        post, attempt 1: exit status 1: Traceback
          503
        retry 3, used 1 of 3
        again in 1.5s
   4  02:00:00.000  Posting.Comments  RateLimited        Failed            moved    13h59m
        post, attempt 2
        not taken, bound is used up: -> Waiting max 5
        guard urgent{"n":1} is true
        redirected by the require of Waiting
`
	var out strings.Builder
	must(t, writeHistory(&out, steps, nil))
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for line := range strings.Lines(out.String()) {
		if len(line) > 120 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

// TestTreeHistoryReadsWell: each run and each day stands above its steps, with what children have used.
func TestTreeHistoryReadsWell(t *testing.T) {
	used := []machine.CostView{{Name: "usd", Spent: "0.3"}}
	steps := []treeStep{
		{"r", runtime.StepView{Seq: 1, At: noon, Input: "start", To: "One", Effect: machine.Moved}},
		{"r/One.c.1.1", runtime.StepView{Seq: 1, At: noon, Input: "start", To: "Busy", Effect: machine.Moved}},
		{"r/One.c.1.1", runtime.StepView{Seq: 2, At: noon.Add(50 * time.Hour), Input: "Go", From: "Busy", To: "Fine", Effect: machine.Moved}},
		{"r", runtime.StepView{Seq: 2, At: noon.Add(50 * time.Hour), Input: "c.Fine", From: "One", To: "Done", Effect: machine.Moved, Below: used}},
	}
	want := `   #  TIME          FROM  INPUT   TO    EFFECT  AFTER
r, 2025-03-01
   1  12:00:00.000        start   One   moved
r/One.c.1.1, 2025-03-01
   1  12:00:00.000        start   Busy  moved
r/One.c.1.1, 2025-03-03
   2  14:00:00.000  Busy  Go      Fine  moved
r, 2025-03-03
   2  14:00:00.000  One   c.Fine  Done  moved
        its runs used usd 0.3
`
	var out strings.Builder
	must(t, writeTreeSteps(&out, steps))
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
