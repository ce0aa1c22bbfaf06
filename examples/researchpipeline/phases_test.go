package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/fsmtest"
)

// script has every worker do its part at once.
func script(t *fsmtest.T) {
	t.Activity("research", fsmtest.Raises("ReportWritten", ResearchPipelineReportWritten{Path: "report.md"}))
	t.Activity("summarize", fsmtest.Raises("Summarized", ResearchPipelineSummarized{Summary: "two reports"}))
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
		run := t.Start(ResearchPipelineParams{Topic: "x"})
		run.Wait()
		run.WantPath("Collecting", "Synthesizing", "Delivering", "Archiving", "Completed")
		want(t, "PhaseStarted", "PhaseStarted", "Finished")
	})
}

// TestPauseAfter has a person let the pipeline wait, be reminded, and go on.
func TestPauseAfter(t *testing.T) {
	fsmtest.Play(t, ResearchPipelineMachine(), func(t *fsmtest.T) {
		script(t)
		run := t.Start(ResearchPipelineParams{Topic: "x", PauseAfter: true})
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
		left, stopped := t.Start(ResearchPipelineParams{PauseAfter: true}), t.Start(ResearchPipelineParams{PauseAfter: true})
		left.Wait()
		stopped.Wait()
		stopped.Send("Abort", nil)
		stopped.WantState("Stopped")
		left.Sleep(7*24*time.Hour + time.Minute)
		left.WantState("Failed")
	})
}

// TestWorkerTooSlow fails the phase of a worker that hangs, and tells the user.
// The other worker's report is not lost by that, and no one tries again.
func TestWorkerTooSlow(t *testing.T) {
	fsmtest.Play(t, ResearchPipelineMachine(), func(t *fsmtest.T) {
		script(t)
		t.Activity("research", fsmtest.Raises("ReportWritten", ResearchPipelineReportWritten{Path: "report.md"}), fsmtest.Hangs())
		run := t.Start(ResearchPipelineParams{Topic: "x"})
		run.Sleep(9 * time.Minute)
		run.WantState("Collecting")
		run.Sleep(2 * time.Minute)
		run.WantState("Failed")
		want(t, "PhaseStarted", "PipelineFailed")
		if n := len(t.Attempts("research")); n != 2 {
			t.Errorf("%d attempts at research", n)
		}
		var data ResearchPipelineData
		run.Data(&data)
		if data.ReportA.Set == data.ReportB.Set || data.Problem == "" {
			t.Errorf("left is %+v", data)
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
		run := t.Start(ResearchPipelineParams{Topic: "x"})
		run.Sleep(time.Second)
		operator := runtime.Operator{Actor: "ada", Reason: "the quota is used up"}
		if _, err := t.Engine.Pause(t.Context(), run.ID, operator); err != nil {
			t.Fatal(err)
		}
		view := run.Sleep(time.Hour) // far beyond `after 12m`
		if view.State != "Collecting" || len(view.Queued) != 2 {
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
		run := t.Start(ResearchPipelineParams{Topic: "x"})
		run.Wait()
		run.WantState("Completed")
		attempts := t.Attempts("deliver")
		if len(attempts) != 2 || attempts[0].Key != attempts[1].Key {
			t.Errorf("delivered by %+v", attempts)
		}
	})
}
