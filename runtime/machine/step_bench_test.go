package machine_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

// reviewMachine is the example of the language's description, by hand.
func reviewMachine(t testing.TB) *machine.Machine {
	return Build(t, WithParams("pr string"),
		WithFields(`diff string, comments int = 0, wait duration 0s..15m = "1m"`),
		WithEvent("StartReview", ""), WithEvent("DiffLoaded", "diff string"), WithEvent("AnalysisReady", "comments int"),
		WithEvent("CommentsPosted", ""), WithEvent("RateLimited", "retry_after duration 0s..15m"), WithEvent("SummaryDone", ""),
		WithEvent("ReviewFailed", "pr string, comments int"),
		WithActivity("fetch_diff", "pr string", "DiffLoaded", "transient"),
		WithActivity("analyze", "diff string", "AnalysisReady", "transient"),
		WithActivity("post_comments", "pr string, comments int", "CommentsPosted RateLimited", "transient"),
		WithActivity("summarize", "pr string", "SummaryDone", "transient"),
		After("24h", GoTo("Expired")), On("failed", GoTo("Failed")),
		WithState("Idle", On("StartReview", GoTo("FetchingDiff"))),
		WithState("FetchingDiff", Doing("fetch_diff", []string{"pr"}, "timeout 30s"), On("DiffLoaded", GoTo("Analyzing", Set("diff", "event.diff"))),
			On("failed(transient), failed(timeout)", Retry(3, WithBackoff("1s", "30s", 2, 0.2)), GoTo("Failed"))),
		WithState("Analyzing", Doing("analyze", []string{"diff"}, "timeout 2m", "heartbeat 30s"),
			On("AnalysisReady", GoTo("PostingComments", Set("comments", "event.comments"))),
			On("failed(timeout)", Retry(3, WithBackoff("1s", "1m", 2, 0.2)), GoTo("Failed"))),
		WithState("PostingComments", Doing("post_comments", []string{"pr", "comments"}, "timeout 1m"),
			On("CommentsPosted", GoTo("Summarizing")),
			On("RateLimited", GoTo("AwaitingRetry", Bound(5, "run"), Set("wait", "event.retry_after")), GoTo("Failed"))),
		WithState("AwaitingRetry", After("wait", GoTo("PostingComments"))),
		WithState("Summarizing", Doing("summarize", []string{"pr"}, "timeout 1m"), On("SummaryDone", GoTo("Completed"))),
		WithTerminal("Completed", machine.Success), WithTerminal("Expired", machine.Failed),
		WithTerminal("Failed", machine.Failed, Publishing("ReviewFailed", "pr", "comments")))
}

func TestReview(t *testing.T) {
	r := begin(t, reviewMachine(t), `{"pr":"42"}`)
	r.send("StartReview")
	r.fail("fetch_diff", "transient")
	r.result("fetch_diff", `DiffLoaded {"diff":"+x"}`)
	r.result("analyze", `AnalysisReady {"comments":2}`)
	for range 5 {
		r.result("post_comments", `RateLimited {"retry_after":"30s"}`)
		r.at("AwaitingRetry")
		r.pass("30s")
	}
	r.result("post_comments", `RateLimited {"retry_after":"30s"}`)
	r.at("Failed", `{"diff":"+x","comments":2,"wait":"30s"}`)
	r.did(`end-task:r/PostingComments/post_comments/15#1 publish:ReviewFailed{"pr":"42","comments":2}r/16/1 finish:failure drop-timer:24h`)
}

func BenchmarkStep(b *testing.B) {
	r := begin(b, reviewMachine(b), `{"pr":"42"}`)
	r.send("StartReview")
	r.result("fetch_diff", `DiffLoaded {"diff":"+x"}`)
	in := r.attempt("analyze")
	event := r.event("AnalysisReady", `{"comments":2}`)
	in.Kind, in.Event, in.Data = machine.ResultInput, event.Event, event.Data
	b.Run("move", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, _, err := r.m.Step(r.s, in, r.now, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.m.EncodeSnapshot(r.s)
		}
	})
	encoded := r.m.EncodeSnapshot(r.s)
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := r.m.DecodeSnapshot(encoded); err != nil {
				b.Fatal(err)
			}
		}
	})
}
