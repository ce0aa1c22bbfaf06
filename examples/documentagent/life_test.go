package main

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/fsmtest"
)

// script has the model do its part at once, and ask a question at each review.
func script(t *fsmtest.T) {
	text := json.RawMessage(`{"section-1": "text"}`)
	t.Activity("gather_requirements", fsmtest.Raises("RequirementsGathered", DocumentAgentRequirementsGathered{Requirements: text}))
	t.Activity("generate_outline", fsmtest.Raises("OutlineReady", DocumentAgentOutlineReady{Outline: "section-1"}))
	t.Activity("write_sections", fsmtest.Raises("SectionsWritten", DocumentAgentSectionsWritten{Sections: text}))
	t.Activity("review", fsmtest.Raises("ReviewQuestions", DocumentAgentReviewQuestions{Question: "good?"}))
	t.Activity("finalize", fsmtest.Raises("DocumentFinished", DocumentAgentDocumentFinished{Document: "done"}))
}

// begin opens a session and asks for a document.
func begin(t *fsmtest.T) *fsmtest.Run {
	run := t.Start(DocumentAgentParams{Session: "s"})
	run.Send("DocumentRequested", DocumentAgentDocumentRequested{Request: "a report"})
	run.Wait()
	return run
}

// TestIdle: a session expires a day after the last that happened in it, not
// after its start; the nudge is something that happens.
func TestIdle(t *testing.T) {
	fsmtest.Play(t, DocumentAgentMachine(), func(t *fsmtest.T) {
		script(t)
		run := begin(t)
		for range 4 { // four days of late answers
			run.WantState("AwaitingFeedback")
			run.Sleep(23 * time.Hour)
			run.Send("FeedbackGiven", DocumentAgentFeedbackGiven{Text: "shorter"})
			run.Wait()
		}
		run.WantState("AwaitingFeedback")
		run.Sleep(8*time.Hour + 23*time.Hour + 59*time.Minute)
		run.WantState("AwaitingFeedback")
		run.Sleep(2 * time.Minute)
		run.WantState("Expired")
		nudges := 0
		for _, m := range t.Published() {
			if m.Event == "Nudge" {
				nudges++
			}
		}
		if nudges != 5 {
			t.Errorf("nudged %d times", nudges)
		}
	})
}

// TestWorkRenews: a checkpoint is something that happens, too.
func TestWorkRenews(t *testing.T) {
	fsmtest.Play(t, DocumentAgentMachine(), func(t *fsmtest.T) {
		script(t)
		t.Activity("write_sections", fsmtest.After(5*time.Minute, fsmtest.Checkpoints(1, fsmtest.Hangs())))
		run := t.Start(DocumentAgentParams{Session: "s"})
		run.Sleep(23*time.Hour + 58*time.Minute)
		run.Send("DocumentRequested", DocumentAgentDocumentRequested{Request: "a report"})
		view := run.Sleep(6 * time.Minute) // more than a day after the start, and a checkpoint
		if view.State != "WritingSections" || len(view.Timers) != 1 {
			t.Fatalf("%s with the timers %v", view.State, view.Timers)
		}
		if left := time.Until(view.Timers[0].Due); left != 24*time.Hour-time.Minute {
			t.Errorf("it expires in %s", left)
		}
	})
}

// TestFiveRounds: the sixth wish is not taken, whatever the person says.
func TestFiveRounds(t *testing.T) {
	fsmtest.Play(t, DocumentAgentMachine(), func(t *fsmtest.T) {
		script(t)
		run := begin(t)
		for range 6 {
			run.WantState("AwaitingFeedback")
			run.Send("FeedbackGiven", DocumentAgentFeedbackGiven{Text: "shorter"})
			run.Wait()
		}
		run.WantState("Complete")
		var complete DocumentAgentCompleteResult
		run.Returns(&complete)
		if complete.Document != "done" || complete.Rounds != 5 {
			t.Errorf("%+v is returned", complete)
		}
		var data DocumentAgentData
		run.Data(&data)
		if data.Rounds != 5 || len(data.FeedbackHistory) != 5 {
			t.Errorf("%d rounds, %d in the history of feedback", data.Rounds, len(data.FeedbackHistory))
		}
	})
}

// TestStartOver: nothing of the old document is left, and three times are enough.
func TestStartOver(t *testing.T) {
	fsmtest.Play(t, DocumentAgentMachine(), func(t *fsmtest.T) {
		script(t)
		t.Activity("finalize", fsmtest.Fails("unknown"))
		run := begin(t)
		for range 3 {
			run.Send("Approved", nil)
			run.Wait()
			run.WantState("Error")
			run.Send("StartOver", nil)
			run.WantState("Idle")
			var left map[string]json.RawMessage
			run.Data(&left)
			for _, field := range []string{"request", "requirements", "outline", "sections", "error_message"} {
				if left[field] != nil {
					t.Errorf("%s is left: %s", field, left[field])
				}
			}
			run.Send("DocumentRequested", DocumentAgentDocumentRequested{Request: "another report"})
			run.Wait()
		}
		run.Send("Approved", nil)
		run.Wait()
		run.WantRefused("StartOver", nil)
	})
}
