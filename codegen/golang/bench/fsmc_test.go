package bench

import "time"

// Core is a review on the core that fsmc generates: Take decides, as the
// switch by hand does.
type Core struct {
	Review  CodeReviewCore
	stepper CodeReviewStepper
}

// started is a review that has begun.
func started() CodeReviewCore {
	core := NewCodeReviewCore(CodeReviewParams{Pr: "42"})
	var stepper CodeReviewStepper
	if err := stepper.Start(&core, time.Time{}); err != nil {
		panic(err)
	}
	return core
}

// Handle takes one event and names the arm that it takes.
func (m *Core) Handle(in *CodeReviewStepInput) (CodeReviewArm, error) {
	return m.stepper.Take(&m.Review, in, time.Time{})
}

// input is an event as the generated core takes it. No state has two activities, so
// that none is named.
func input(e *Event) CodeReviewStepInput {
	switch e.Kind {
	case StartReview:
		return CodeReviewOnStartReview(CodeReviewStartReview{})
	case DiffLoaded:
		return CodeReviewOnDiffLoaded(0, CodeReviewDiffLoaded{Diff: e.Diff})
	case AnalysisReady:
		return CodeReviewOnAnalysisReady(0, CodeReviewAnalysisReady{Comments: e.Comments})
	case CommentsPosted:
		return CodeReviewOnCommentsPosted(0, CodeReviewCommentsPosted{})
	case RateLimited:
		return CodeReviewOnRateLimited(0, CodeReviewRateLimited{RetryAfter: e.RetryAfter})
	case SummaryDone:
		return CodeReviewOnSummaryDone(0, CodeReviewSummaryDone{})
	case ActivityFailed:
		return CodeReviewFailureInput(0, categories[e.Category], "it failed")
	case WaitOver:
		return CodeReviewStepInput{Kind: CodeReviewInputTimer, Timer: CodeReviewTimerAwaitingRetryAfterWait}
	}
	return CodeReviewStepInput{Kind: CodeReviewInputTimer, Timer: CodeReviewTimerAfter24h}
}

var categories = [...]CodeReviewFailureCategory{
	Unknown: CodeReviewCategoryUnknown, Transient: CodeReviewCategoryTransient,
	Timeout: CodeReviewCategoryTimeout, Silent: CodeReviewCategorySilent,
}
