package runtime

import "testing"

// reviewMachine is the example of the language's description, by hand.
func reviewMachine(t testing.TB) *Machine {
	return compile(t, params("pr string"),
		fields(`diff string, comments int = 0, wait duration 0s..15m = "1m"`),
		event("StartReview", ""), event("DiffLoaded", "diff string"), event("AnalysisReady", "comments int"),
		event("CommentsPosted", ""), event("RateLimited", "retry_after duration 0s..15m"), event("SummaryDone", ""),
		event("ReviewFailed", "pr string, comments int"),
		activity("fetch_diff", "pr string", "DiffLoaded", "transient"),
		activity("analyze", "diff string", "AnalysisReady", "transient"),
		activity("post_comments", "pr string, comments int", "CommentsPosted RateLimited", "transient"),
		activity("summarize", "pr string", "SummaryDone", "transient"),
		after("24h", goTo("Expired")), when_("failed", goTo("Failed")),
		state("Idle", when_("StartReview", goTo("FetchingDiff"))),
		state("FetchingDiff", do("fetch_diff", []string{"pr"}, "timeout 30s"), when_("DiffLoaded", goTo("Analyzing", set("diff", "event.diff"))),
			when_("failed(transient), failed(timeout)", retry(3, backoff("1s", "30s", 2, 0.2)), goTo("Failed"))),
		state("Analyzing", do("analyze", []string{"diff"}, "timeout 2m", "heartbeat 30s"),
			when_("AnalysisReady", goTo("PostingComments", set("comments", "event.comments"))),
			when_("failed(timeout)", retry(3, backoff("1s", "1m", 2, 0.2)), goTo("Failed"))),
		state("PostingComments", do("post_comments", []string{"pr", "comments"}, "timeout 1m"),
			when_("CommentsPosted", goTo("Summarizing")),
			when_("RateLimited", goTo("AwaitingRetry", bound(5, "run"), set("wait", "event.retry_after")), goTo("Failed"))),
		state("AwaitingRetry", after("wait", goTo("PostingComments"))),
		state("Summarizing", do("summarize", []string{"pr"}, "timeout 1m"), when_("SummaryDone", goTo("Completed"))),
		terminal("Completed", Success), terminal("Expired", Failed),
		terminal("Failed", Failed, publish("ReviewFailed", "pr", "comments")))
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
	in.Kind, in.Event, in.Data = ResultInput, event.Event, event.Data
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
