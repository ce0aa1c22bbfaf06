package main

import (
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/fsmtest"
)

// TestReason has a developer told why a review failed, from its history.
func TestReason(t *testing.T) {
	limited := fsmtest.Raises("RateLimited", CodeReviewRateLimited{})
	for _, c := range []struct {
		posts fsmtest.Outcome
		want  string
	}{
		{limited, `RateLimited: "-> AwaitingRetry max 5": bound is used up`},
		{fsmtest.Fails("transient"), "failed(transient): as the test wants it"},
	} {
		fsmtest.Play(t, CodeReviewMachine(), func(t *fsmtest.T) {
			t.Activity("fetch_diff", fsmtest.Raises("DiffLoaded", CodeReviewDiffLoaded{Patches: []string{"+x"}}))
			t.Machine("FileReview", fsmtest.EndsIn("Reviewed", FileReviewReviewedResult{Comments: 1}))
			t.Activity("post_comments", c.posts)
			run := t.Start(CodeReviewParams{Pr: "17"})
			run.Send("StartReview", nil)
			run.Wait()
			run.WantState("Failed")
			why, err := reason(t.Context(), t.Engine, run.ID)
			if err != nil {
				t.Fatal(err)
			}
			if why != c.want {
				t.Errorf("told %q, not %q", why, c.want)
			}
		}, FileReviewMachine())
	}
}
