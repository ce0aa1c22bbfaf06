package bench

import (
	"fmt"
	"time"
)

// The core alone: Take decides what an input does, and says which arm it was.
func ExampleCodeReviewStepper_Take() {
	core := NewCodeReviewCore(CodeReviewParams{Pr: "42"})
	var stepper CodeReviewStepper
	if err := stepper.Start(&core, time.Time{}); err != nil {
		fmt.Println(err)
		return
	}
	for _, in := range []CodeReviewStepInput{
		CodeReviewOnStartReview(CodeReviewStartReview{}),
		CodeReviewFailureInput(CodeReviewDoFetchingDiffFetchDiff, CodeReviewCategoryTransient, "no route"),
		CodeReviewOnSummaryDone(CodeReviewDoSummarizingSummarize, CodeReviewSummaryDone{}),
		CodeReviewOnDiffLoaded(CodeReviewDoFetchingDiffFetchDiff, CodeReviewDiffLoaded{Diff: "+a line"}),
	} {
		arm, err := stepper.Take(&core, &in, time.Time{})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s: now in %s\n", arm, core.State)
	}
	// Output:
	// Idle on StartReview: now in FetchingDiff
	// FetchingDiff on failed(transient, timeout): now in FetchingDiff
	// result "SummaryDone" is refused in state "FetchingDiff": no arm takes it there
	// FetchingDiff on DiffLoaded: now in Analyzing
}

// What was proved of every run is there to be printed.
func Example_bounds() {
	fmt.Println("at most", CodeReviewMaxSteps, "steps,", CodeReviewMaxCostUsd, "usd,", CodeReviewMaxTime)
	// Output: at most 21 steps, 0.17 usd, 24h0m0s
}
