package main

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/fsmtest"
)

// script has every worker do its part at once.
func script(t *fsmtest.T) {
	t.Activity("research", fsmtest.Raises("ReportWritten", ResearchPipelineReportWritten{Path: "report.md"}))
	t.Activity("summarize", fsmtest.Raises("Summarized", ResearchPipelineSummarized{Summary: "three reports"}))
	t.Activity("synthesize", fsmtest.Raises("ResultWritten", ResearchPipelineResultWritten{Path: "final.md"}))
	t.Activity("deliver", fsmtest.Ends())
	t.Activity("archive", fsmtest.Ends())
}

func published(t *fsmtest.T) []string {
	var names []string
	for _, m := range t.Published() {
		names = append(names, m.Event)
	}
	return names
}

func want(t *fsmtest.T, events ...string) {
	t.Helper()
	if d := cmp.Diff(events, published(t)); d != "" {
		t.Errorf("published:\n%s", d)
	}
}

// TestPhases lets a pipeline go through without a word from anyone.
func TestPhases(t *testing.T) {
	fsmtest.Play(t, ResearchPipelineMachine(), func(t *fsmtest.T) {
		script(t)
		run := t.Start(ResearchPipelineParams{Topic: "x", Perspectives: perspectives})
		run.Wait()
		run.WantPath("Collecting", "Synthesizing", "Delivering", "Archiving", "Completed")
		want(t, "PhaseStarted", "PhaseStarted", "Finished")
	})
}

// TestPauseAfter has a person let the pipeline wait, be reminded, and go on.
func TestPauseAfter(t *testing.T) {
	fsmtest.Play(t, ResearchPipelineMachine(), func(t *fsmtest.T) {
		script(t)
		run := t.Start(ResearchPipelineParams{Topic: "x", Perspectives: perspectives, PauseAfter: true})
		run.Wait()
		run.WantState("AwaitingReview")
		run.Sleep(25 * time.Hour)
		want(t, "PhaseStarted", "ReviewWanted", "ReviewReminder")
		run.Send("Continue", ResearchPipelineContinue{Guidance: "shorter"})
		run.Wait()
		run.WantPath("Collecting", "Summarizing", "AwaitingReview", "Synthesizing", "Delivering", "Archiving", "Completed")
	})
}

// TestNoOneReviews ends a pipeline that waits for a week, and one that is stopped.
func TestNoOneReviews(t *testing.T) {
	fsmtest.Play(t, ResearchPipelineMachine(), func(t *fsmtest.T) {
		script(t)
		left, stopped := t.Start(ResearchPipelineParams{Perspectives: perspectives, PauseAfter: true}), t.Start(ResearchPipelineParams{Perspectives: perspectives, PauseAfter: true})
		left.Wait()
		stopped.Wait()
		stopped.Send("Abort", nil)
		stopped.WantState("Stopped")
		left.Sleep(7*24*time.Hour + time.Minute)
		left.WantState("Failed")
	})
}

// TestWorkerTooSlow has a worker that hangs: the user is told, no one tries again, and a
// person is asked before the pipeline goes on with the reports of the others.
func TestWorkerTooSlow(t *testing.T) {
	fsmtest.Play(t, ResearchPipelineMachine(), func(t *fsmtest.T) {
		script(t)
		report := fsmtest.Raises("ReportWritten", ResearchPipelineReportWritten{Path: "report.md"})
		t.Activity("research", report, fsmtest.Hangs(), report)
		run := t.Start(ResearchPipelineParams{Topic: "x", Perspectives: perspectives})
		run.Sleep(9 * time.Minute)
		run.WantState("Collecting")
		run.Sleep(2 * time.Minute)
		run.WantState("AwaitingReview")
		want(t, "PhaseStarted", "ResearcherFailed", "ReviewWanted")
		if n := len(t.Attempts("research")); n != 3 {
			t.Errorf("%d attempts at research", n)
		}
		var data ResearchPipelineData
		run.Data(&data)
		if len(data.Reports) != 2 || len(data.Missing) != 1 {
			t.Errorf("left is %+v", data)
		}
		run.Send("Continue", ResearchPipelineContinue{})
		run.Wait()
		run.WantState("Completed")
	})
}

// TestNothingFound ends a pipeline without a single report, and tells the user.
func TestNothingFound(t *testing.T) {
	fsmtest.Play(t, ResearchPipelineMachine(), func(t *fsmtest.T) {
		script(t)
		t.Activity("research", fsmtest.Fails("unknown"))
		run := t.Start(ResearchPipelineParams{Topic: "x", Perspectives: perspectives})
		run.Wait()
		run.WantPath("Collecting", "Failed")
		want(t, "PhaseStarted", "ResearcherFailed", "ResearcherFailed", "ResearcherFailed", "PipelineFailed")
	})
}

// TestRounds has more researchers than may work at a time: the last four begin when the first
// ones have ended, and each writes a file of its own.
func TestRounds(t *testing.T) {
	fsmtest.Play(t, ResearchPipelineMachine(), func(t *fsmtest.T) {
		script(t)
		t.Activity("research", fsmtest.After(8*time.Minute, fsmtest.Raises("ReportWritten", ResearchPipelineReportWritten{Path: "report.md"})))
		run := t.Start(ResearchPipelineParams{Topic: "x", Perspectives: []string{"a", "b", "c", "d", "e", "f", "g", "h"}})
		for _, begun := range []int{4, 8} {
			run.Sleep(5 * time.Minute) // 5, and then 10 of the 16 that it takes
			if n := len(t.Attempts("research")); n != begun {
				t.Errorf("%d researchers have begun, not %d", n, begun)
			}
		}
		run.Wait()
		run.WantState("Completed")
		files := map[string]bool{}
		for _, a := range t.Attempts("research") {
			var args struct{ Output string }
			if err := json.Unmarshal(a.Args, &args); err != nil {
				t.Fatal(err)
			}
			files[args.Output] = true
		}
		if len(files) != 8 || !files["researcher-1.md"] || !files["researcher-8.md"] {
			t.Errorf("they write %v", files)
		}
	})
}

// TestOperatorPauses holds what an operator's pause does, which is not a state:
// what workers say is kept, nothing new starts, and time stands still.
func TestOperatorPauses(t *testing.T) {
	fsmtest.Play(t, ResearchPipelineMachine(), func(t *fsmtest.T) {
		script(t)
		report := fsmtest.Raises("ReportWritten", ResearchPipelineReportWritten{Path: "report.md"})
		t.Activity("research", fsmtest.After(time.Minute, report))
		run := t.Start(ResearchPipelineParams{Topic: "x", Perspectives: perspectives})
		run.Sleep(time.Second)
		operator := runtime.Operator{Actor: "ada", Reason: "the quota is used up"}
		if _, err := t.Engine.Pause(t.Context(), run.ID, operator); err != nil {
			t.Fatal(err)
		}
		view := run.Sleep(time.Hour) // far beyond `after 22m`
		if view.State != "Collecting" || len(view.Queued) != 3 {
			t.Errorf("paused in %s with %q", view.State, view.Queued)
		}
		if _, err := t.Engine.Resume(t.Context(), run.ID, operator); err != nil {
			t.Fatal(err)
		}
		run.Wait()
		run.WantState("Completed")
	})
}

// TestDeliveryIsTriedAgain has a delivery that hangs: again under the same key.
func TestDeliveryIsTriedAgain(t *testing.T) {
	fsmtest.Play(t, ResearchPipelineMachine(), func(t *fsmtest.T) {
		script(t)
		t.Activity("deliver", fsmtest.Hangs(), fsmtest.Ends())
		run := t.Start(ResearchPipelineParams{Topic: "x", Perspectives: perspectives})
		run.Wait()
		run.WantState("Completed")
		attempts := t.Attempts("deliver")
		if len(attempts) != 2 || attempts[0].Key != attempts[1].Key {
			t.Errorf("delivered by %+v", attempts)
		}
	})
}
