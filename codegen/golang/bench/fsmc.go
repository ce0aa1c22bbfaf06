package bench

import "time"

// Core is a review on the core that fsmc generates: Take decides, as the
// switch by hand does.
type Core struct {
	Review  CodeReviewCore
	stepper CodeReviewStepper
}

// Handle takes one event and names the arm that it takes.
func (m *Core) Handle(in *CodeReviewStepInput) (CodeReviewArm, error) {
	return m.stepper.Take(&m.Review, in, 0)
}

// Durable is a review with all that the runtime keeps of a run: numbers and
// times of steps and visits, attempts under idempotency keys, timers, commands.
type Durable struct {
	Run     CodeReviewSnapshot
	stepper CodeReviewStepper
}

// Handle takes one event; what follows is in the stepper's Commands.
func (m *Durable) Handle(in *CodeReviewStepInput, now time.Time) error {
	return m.stepper.Step(&m.Run, in, now)
}

// input is an event as the generated core takes it. Task is the activity that
// it is of.
func input(e *Event, task CodeReviewDoTask) CodeReviewStepInput {
	switch e.Kind {
	case StartReview:
		return CodeReviewOnStartReview(CodeReviewStartReview{})
	case DiffLoaded:
		return CodeReviewOnDiffLoaded(task, CodeReviewDiffLoaded{Diff: e.Diff})
	case AnalysisReady:
		return CodeReviewOnAnalysisReady(task, CodeReviewAnalysisReady{Comments: e.Comments})
	case CommentsPosted:
		return CodeReviewOnCommentsPosted(task, CodeReviewCommentsPosted{})
	case RateLimited:
		return CodeReviewOnRateLimited(task, CodeReviewRateLimited{RetryAfter: e.RetryAfter})
	case SummaryDone:
		return CodeReviewOnSummaryDone(task, CodeReviewSummaryDone{})
	case ActivityFailed:
		return CodeReviewFailureInput(task, categories[e.Category], "it failed")
	case WaitOver:
		return CodeReviewStepInput{Kind: CodeReviewInputTimer, Timer: CodeReviewTimerAwaitingRetryAfterWait}
	}
	return CodeReviewStepInput{Kind: CodeReviewInputTimer, Timer: CodeReviewTimerAfter24h}
}

var categories = [...]CodeReviewFailureCategory{
	Unknown: CodeReviewCategoryUnknown, Transient: CodeReviewCategoryTransient,
	Timeout: CodeReviewCategoryTimeout, Silent: CodeReviewCategorySilent,
}
