package main

import (
	"testing"
	"time"
)

// A reviewRun is one run of the generated core that meets every state on the way to
// Completed.
type reviewRun struct {
	tb    testing.TB
	core  CodeReviewStepper
	run   CodeReviewSnapshot
	now   time.Time
	steps int
}

func (r *reviewRun) step(in CodeReviewStepInput) {
	if err := r.core.Step(&r.run, &in, r.now); err != nil {
		r.tb.Fatal(err)
	}
	r.steps++
}

// wait lets the one timer that is due fire.
func (r *reviewRun) wait(d time.Duration) {
	r.now = r.now.Add(d)
	if err := r.core.Settle(&r.run, r.now); err != nil {
		r.tb.Fatal(err)
	}
	r.steps++
}

// task is the activity of the visit.
func (r *reviewRun) task() CodeReviewDoTask { return r.run.Tasks[0] }

func (r *reviewRun) play() {
	r.run = NewCodeReviewSnapshot("r", 7)
	r.now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r.step(CodeReviewStartInput(CodeReviewParams{Pr: "42"}))
	r.step(CodeReviewOnStartReview(CodeReviewStartReview{}))
	r.step(CodeReviewFailureInput(r.task(), CodeReviewCategoryTransient, "no route"))
	r.step(CodeReviewOnDiffLoaded(r.task(), CodeReviewDiffLoaded{Diff: "+x"}))
	r.step(CodeReviewOnAnalysisReady(r.task(), CodeReviewAnalysisReady{Comments: 2}))
	for range 5 {
		r.step(CodeReviewOnRateLimited(r.task(), CodeReviewRateLimited{RetryAfter: 30 * time.Second}))
		r.wait(30 * time.Second)
	}
	r.step(CodeReviewOnCommentsPosted(r.task(), CodeReviewCommentsPosted{}))
	r.step(CodeReviewOnSummaryDone(r.task(), CodeReviewSummaryDone{}))
}

// TestStepAllocatesNothing: a core that has warmed up takes a whole run without
// giving the garbage collector anything to do.
func TestStepAllocatesNothing(t *testing.T) {
	r := &reviewRun{tb: t}
	r.play()
	if r.run.State != CodeReviewStateCompleted || r.run.Seq != int64(r.steps) || r.run.Used.PostingCommentsOnRateLimited != 5 {
		t.Fatalf("after %d steps: %+v", r.steps, r.run)
	}
	if n := testing.AllocsPerRun(100, r.play); n != 0 {
		t.Errorf("%v allocations in a run", n)
	}
}

// BenchmarkStep gives the time of one step, on average over a whole run.
func BenchmarkStep(b *testing.B) {
	r := &reviewRun{tb: b}
	b.ReportAllocs()
	runs := 0
	for b.Loop() {
		r.play()
		runs++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(r.steps), "ns/step")
	b.ReportMetric(float64(r.steps)/float64(runs), "steps/run")
}
