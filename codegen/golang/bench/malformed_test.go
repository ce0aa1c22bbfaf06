package bench

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestMalformed gives the core inputs that no constructor makes: each is taken
// or refused, nothing panics, and a refusal changes nothing.
func TestMalformed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	small := func() uint16 { return uint16(r.IntN(12)) | uint16(r.IntN(20)/19*60_000) }
	var stepper CodeReviewStepper
	taken, refused := 0, 0
	for range 5000 {
		core := NewCodeReviewCore(CodeReviewParams{Pr: "42"})
		core.State = CodeReviewState(small())
		in := CodeReviewStepInput{
			Kind: CodeReviewInputKind(small()), Event: CodeReviewEvent(small()), Do: CodeReviewDoName(small()), Attempt: int64(small()),
			Category: CodeReviewFailureCategory(small()), Message: "\xff", Timer: CodeReviewTimerName(small()),
		}
		in.Data.RateLimited.RetryAfter = time.Duration(r.Int64()) - time.Duration(r.Int64())
		before := core
		if _, err := stepper.Take(&core, &in, time.Time{}); err == nil {
			taken++
		} else {
			refused++
			if core != before {
				t.Fatalf("%+v is refused (%v) and changes\n%+v into\n%+v", in, err, before, core)
			}
		}
	}
	if taken < 100 || refused < 100 {
		t.Errorf("%d taken, %d refused: the inputs say nothing", taken, refused)
	}
}
