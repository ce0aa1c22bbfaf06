package fsmtest_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/fsmtest"
)

// review is a code-review agent without children.
func review(t *testing.T) *runtime.Machine {
	t.Helper()
	text, err := os.ReadFile("../../codegen/testdata/review.fsm")
	if err != nil {
		t.Fatal(err)
	}
	return tabletest.Machine(t, string(text))
}

type fields map[string]any

func TestRateLimitAndRetries(t *testing.T) {
	fsmtest.Play(t, review(t), func(t *fsmtest.T) {
		began := time.Now()
		t.Activity("fetch_diff", fsmtest.Fails("transient"), fsmtest.Raises("DiffLoaded", fields{"diff": "+1"}))
		t.Activity("analyze", fsmtest.Beating(10*time.Second, fsmtest.Hangs()), fsmtest.Raises("AnalysisReady", fields{"comments": 14}))
		t.Activity("post_comments", fsmtest.Raises("RateLimited", fields{"retry_after": "90s"}),
			fsmtest.After(10*time.Second, fsmtest.Raises("CommentsPosted", nil)))
		t.Activity("summarize", fsmtest.Raises("SummaryDone", nil))

		run := t.Start(fields{"pr": "17"})
		refused := run.WantRefused("Nonsense", nil)
		if !strings.Contains(refused.Error(), "StartReview") {
			t.Error(refused)
		}
		run.Send("StartReview", nil)
		v := run.Wait()
		if v.Outcome != runtime.Success {
			t.Errorf("%+v", v)
		}
		run.WantPath("Idle", "FetchingDiff", "Analyzing", "PostingComments", "AwaitingRetry", "PostingComments", "Summarizing", "Completed")
		if n := len(t.Attempts("fetch_diff")); n != 2 {
			t.Errorf("%d attempts", n)
		}
		var data struct{ Comments int }
		if run.Data(&data); data.Comments != 14 {
			t.Errorf("%+v", data)
		}
		// 2m until the first analysis is overdue, 90s for the forge, 10s to post,
		// and two waits of about a second before retries.
		if d := time.Since(began); d < 220*time.Second || d > 225*time.Second {
			t.Errorf("it took %s of its own time", d)
		}
	})
}

// TestDeadline lets a day pass, and cancels what is under way.
func TestDeadline(t *testing.T) {
	fsmtest.Play(t, review(t), func(t *fsmtest.T) {
		t.Activity("fetch_diff", fsmtest.Raises("DiffLoaded", fields{"diff": ""}))
		t.Activity("analyze", fsmtest.Raises("AnalysisReady", fields{"comments": 1}))
		t.Activity("post_comments", fsmtest.Hangs())
		idle, busy := t.Start(fields{"pr": "1"}), t.Start(fields{"pr": "2"})
		busy.Send("StartReview", nil)
		if v := idle.Sleep(time.Hour); v.State != "Idle" {
			t.Errorf("%+v", v)
		}
		idle.Sleep(23 * time.Hour)
		idle.WantState("Expired")
		busy.WantPath("Idle", "FetchingDiff", "Analyzing", "PostingComments", "Failed")
		if len(t.Published()) != 1 || t.Published()[0].Event != "ReviewFailed" || t.Published()[0].Run != busy.ID {
			t.Errorf("%+v", t.Published())
		}
	})
}

const guarded = `
machine Copy(rows int) {
    context { over bool = false }
    event Copied
    event Go
    activity copy(rows int) -> Copied
    guard allowed(rows int)
    initial Idle
    on failed -> Broken
    on cancel -> CleaningUp
    state Idle {
        on Go when allowed(rows) -> Copying
            else reject
        after 1h -> Broken
    }
    state Copying {
        do copy(rows) timeout 10m progress 1m
        on Copied -> Done
        on failed(stalled) retry 2 backoff 1s else -> Broken
    }
    state CleaningUp { on done -> Broken }
    terminal Done
    terminal Broken failure
}`

// TestCheckpointAndGuard stalls after a checkpoint, which the next attempt gets.
func TestCheckpointAndGuard(t *testing.T) {
	fsmtest.Play(t, tabletest.Machine(t, guarded), func(t *fsmtest.T) {
		t.Activity("copy", fsmtest.Checkpoints(fields{"row": 4500}, fsmtest.Hangs()), fsmtest.Raises("Copied", nil))
		run := t.Start(fields{"rows": 9000})
		t.Guard("allowed", false)
		run.WantRefused("Go", nil)
		t.Guard("allowed", true)
		run.Send("Go", nil)
		run.Wait()
		run.WantPath("Idle", "Copying", "Done")
		attempts := t.Attempts("copy")
		if len(attempts) != 2 || string(attempts[1].Checkpoint) != `{"row":4500}` || attempts[0].Key != attempts[1].Key {
			t.Errorf("%+v", attempts)
		}

		other := t.Start(fields{"rows": 1})
		other.Cancel()
		other.WantState("Broken")
	})
}

// TestFaultsAreSeen holds that a test fails where the machine does something
// else than it says.
func TestFaultsAreSeen(t *testing.T) {
	says := map[string]string{
		"a result that does not fit": `failed(unknown): Copying -> Broken (moved): the result does not fit: `,
		"nothing returned":           `the run is in "Idle" and has returned nothing`,
		"a long message":             "(moved): disk on fire " + strings.Repeat("x", 200-len("disk on fire ")-1) + "…\n",
	}
	copying := func(t *fsmtest.T, outcome fsmtest.Outcome) {
		t.Guard("allowed", true)
		t.Activity("copy", outcome)
		run := t.Start(fields{"rows": 1})
		run.Send("Go", nil)
		run.Wait()
		run.WantState("Done")
	}
	for name, test := range map[string]func(t *fsmtest.T){
		"a result that does not fit": func(t *fsmtest.T) { copying(t, fsmtest.Raises("Copied", fields{"row": 1})) },
		"a long message": func(t *fsmtest.T) {
			copying(t, func(context.Context, *runtime.Attempt) (runtime.Result, error) {
				return runtime.Result{}, errors.New("disk\non fire " + strings.Repeat("x", 1000))
			})
		},
		"another path": func(t *fsmtest.T) { t.Start(fields{"rows": 1}).WantPath("Idle", "Done") },
		"no script": func(t *fsmtest.T) {
			t.Guard("allowed", true)
			run := t.Start(fields{"rows": 1})
			run.Send("Go", nil)
			run.Wait()
		},
		"no answer": func(t *fsmtest.T) { t.Start(fields{"rows": 1}).Send("Go", nil) },
		"nothing returned": func(t *fsmtest.T) {
			var result fields
			t.Start(fields{"rows": 1}).Returns(&result)
		},
		"a misspelt name":  func(t *fsmtest.T) { t.Activity("cpoy", fsmtest.Ends()) },
		"taken unasked":    func(t *fsmtest.T) { t.Guard("allowed", true); t.Start(fields{"rows": 1}).WantRefused("Go", nil) },
		"refused unasked":  func(t *fsmtest.T) { t.Guard("allowed", false); t.Start(fields{"rows": 1}).Send("Go", nil) },
		"wrong parameters": func(t *fsmtest.T) { t.Start(fields{"rows": "many"}) },
	} {
		if os.Getenv("FSMTEST_FAULT") == name {
			fsmtest.Play(t, tabletest.Machine(t, guarded), test)
			return
		}
		if os.Getenv("FSMTEST_FAULT") == "" {
			t.Run(name, func(t *testing.T) { wantFailure(t, "TestFaultsAreSeen", "FSMTEST_FAULT", name, says[name]) })
		}
	}
}
