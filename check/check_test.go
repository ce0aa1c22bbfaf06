package check_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/checktest"
	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

func codereview(t testing.TB) string { return kept(t, "codereview.fsm") }

// kept is the machine in a file of testdata.
func kept(t testing.TB, name string) string {
	t.Helper()
	src, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// edit replaces old in src, where it must stand exactly once.
func edit(t *testing.T, src, old, new string) string {
	t.Helper()
	if strings.Count(src, old) != 1 {
		t.Fatalf("%q stands %d times in the machine", old, strings.Count(src, old))
	}
	return strings.Replace(src, old, new, 1)
}

// lines writes each finding as "line: rule: message", with its witness below.
func lines(list diag.List) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%d: %s: %s\n", d.Span.Start.Line, d.Rule, d.Message)
		if d.Witness == nil {
			continue
		}
		for i, row := range d.Witness.Path {
			mark := ""
			if i == d.Witness.Loop {
				mark = "loop "
			}
			fmt.Fprintf(&b, "  %s%s %s %s\n", mark, row.At, row.State, row.Input)
		}
	}
	return b.String()
}

func TestCodeReviewPasses(t *testing.T) {
	if got := lines(checktest.Findings("codereview.fsm", []byte(codereview(t)))); got != "" {
		t.Errorf("findings:\n%s", got)
	}
}

func TestStats(t *testing.T) {
	unit := lang.Load([]lang.Source{{Name: "codereview.fsm", Src: []byte(codereview(t))}})
	got := check.Stats(unit.Program.Machines[0])
	if want := (check.Counts{States: 9, Terminals: 3, Transitions: 12}); got != want {
		t.Errorf("counts are %+v, want %+v", got, want)
	}
}

func TestMutations(t *testing.T) {
	type change struct{ old, new string }
	for _, test := range []struct {
		name    string
		changes []change
		want    string
	}{
		{"a state cut off", []change{
			{"on StartReview -> FetchingDiff", "on StartReview -> Summarizing"},
		}, `
26: assertion-violated: a run can enter "Completed" without having entered "Analyzing"
  0s Idle StartReview
  0s Summarizing SummaryDone
   Completed 
36: unreachable-state: no run enters state "FetchingDiff", nor "Analyzing", "PostingComments" and "AwaitingRetry" behind it
`},
		{"a loop closed", []change{
			{"after 24h -> Expired                       // machine level: from the start of the run", ""},
			{"terminal Expired failure", ""},
			{"on failed -> Failed                        // machine level: whatever no state handles itself", "on failed -> AwaitingRetry"},
			{"on CommentsPosted -> Summarizing", "on CommentsPosted -> AwaitingRetry"},
			{"else -> Failed\n    }\n\n    state AwaitingRetry", "else -> AwaitingRetry\n    }\n\n    state AwaitingRetry"},
			{"state Idle {", "state Idle {\n        after 1h -> Summarizing"},
		}, `
26: assertion-violated: a run can enter "Completed" without having entered "Analyzing"
  1h0m0s Idle after 1h
  1h0m0s Summarizing SummaryDone
   Completed 
51: unbounded-loop: a run can go round "AwaitingRetry" and "PostingComments" without end
  0s Idle StartReview
  0s FetchingDiff failed(unknown)
  loop 1m0s AwaitingRetry after wait
  1m0s PostingComments CommentsPosted
   AwaitingRetry 
56: no-way-to-finish: no terminal state can be reached any more from "AwaitingRetry" and "PostingComments": the run goes round for ever
  0s Idle StartReview
  0s FetchingDiff failed(unknown)
  loop 1m0s AwaitingRetry after wait
  1m0s PostingComments CommentsPosted
   AwaitingRetry 
`},
		{"a failure handler removed", []change{
			{"on failed -> Failed                        // machine level: whatever no state handles itself", ""},
		}, `
37: unhandled-failure: "fetch_diff" may fail with "unknown", which neither "FetchingDiff" nor the machine handles
  0s Idle StartReview
  0s FetchingDiff failed(unknown)
   FetchingDiff 
43: unhandled-failure: "analyze" may fail with "transient", "unknown" or "silent", which neither "Analyzing" nor the machine handles
  0s Idle StartReview
  0s FetchingDiff DiffLoaded
  0s Analyzing failed(transient)
   Analyzing 
49: unhandled-failure: "post_comments" may fail with "transient", "unknown" or "timeout", which neither "PostingComments" nor the machine handles
  0s Idle StartReview
  0s FetchingDiff DiffLoaded
  0s Analyzing AnalysisReady
  0s PostingComments failed(transient)
   PostingComments 
60: unhandled-failure: "summarize" may fail with "transient", "unknown" or "timeout", which neither "Summarizing" nor the machine handles
  0s Idle StartReview
  0s FetchingDiff DiffLoaded
  0s Analyzing AnalysisReady
  0s PostingComments CommentsPosted
  0s Summarizing failed(transient)
   Summarizing 
`},
		{"all at once, and two names misspelt", []change{
			{"after 24h -> Expired                       // machine level: from the start of the run", ""},
			{"on failed -> Failed                        // machine level: whatever no state handles itself", ""},
			{"on SummaryDone -> Completed", "on SummryDone -> Completd\n        on failed ignore\n        on done -> Failed"},
			{"on CommentsPosted -> Summarizing", "on CommentsPosted -> AwaitingRetry"},
			{"else -> Failed\n    }\n\n    state AwaitingRetry", "else -> AwaitingRetry\n    }\n\n    state AwaitingRetry"},
		}, `
32: waits-forever: "Idle" may wait for ever: only "StartReview" from outside leads out of it
   Idle 
37: unhandled-failure: "fetch_diff" may fail with "unknown", which neither "FetchingDiff" nor the machine handles
  0s Idle StartReview
  0s FetchingDiff failed(unknown)
   FetchingDiff 
43: unhandled-failure: "analyze" may fail with "transient", "unknown" or "silent", which neither "Analyzing" nor the machine handles
  0s Idle StartReview
  0s FetchingDiff DiffLoaded
  0s Analyzing failed(transient)
   Analyzing 
48: no-way-to-finish: no terminal state can be reached any more from "PostingComments" and "AwaitingRetry": the run goes round for ever
  0s Idle StartReview
  0s FetchingDiff DiffLoaded
  0s Analyzing AnalysisReady
  loop 0s PostingComments CommentsPosted
  1m0s AwaitingRetry after wait
   PostingComments 
49: unhandled-failure: "post_comments" may fail with "transient", "unknown" or "timeout", which neither "PostingComments" nor the machine handles
  0s Idle StartReview
  0s FetchingDiff DiffLoaded
  0s Analyzing AnalysisReady
  0s PostingComments failed(transient)
   PostingComments 
59: unreachable-state: no run enters state "Summarizing", nor "Completed" behind it
61: unknown-name: unknown event "SummryDone"
61: bad-target: unknown state "Completd"
67: unreachable-state: no run enters state "Expired"
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			src := codereview(t)
			for _, c := range test.changes {
				src = edit(t, src, c.old, c.new)
			}
			got := lines(checktest.Findings("codereview.fsm", []byte(src)))
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRunIsDeterministic runs over many machines, which are checked side by
// side, several times.
func TestRunIsDeterministic(t *testing.T) {
	var src strings.Builder
	for i := range 40 {
		fmt.Fprintf(&src, "machine M%d {\n event Go\n event Never\n initial A\n state A { on Go -> B }\n state B {}\n state C { on Go -> A }\n terminal D\n}\n", i)
	}
	want := lines(checktest.Findings("many.fsm", []byte(src.String())))
	if n := strings.Count(want, "dead-end"); n != 40 {
		t.Fatalf("%d dead ends, want 40", n)
	}
	for range 5 {
		if got := lines(checktest.Findings("many.fsm", []byte(src.String()))); got != want {
			t.Fatalf("findings differ between runs:\n%s", cmp.Diff(want, got))
		}
	}
}

// chain is a machine of n states one behind the other, each with an activity
// and a bounded way back, under a machine-level timer and failure handler.
func chain(n int) []byte {
	var b strings.Builder
	b.WriteString("machine Chain {\n failures { transient }\n event Again\n event Next\n activity work() -> Next\n initial S0\n on failed -> Failed\n after 24h -> Failed\n")
	for i := range n {
		next := fmt.Sprintf("S%d", i+1)
		if i == n-1 {
			next = "Done"
		}
		fmt.Fprintf(&b, " state S%d {\n  do work() timeout 1m\n  on Next -> %s\n  on failed(transient) retry 3 else -> Failed\n  on Again -> S%d max 3 else reject\n }\n", i, next, i/2)
	}
	b.WriteString(" terminal Done\n terminal Failed failure\n}\n")
	return []byte(b.String())
}

func program(tb testing.TB, src []byte) *ir.Program {
	tb.Helper()
	return langtest.Unit(tb, string(src)).Program
}

func TestChainPasses(t *testing.T) {
	if got := lines(check.Run(program(t, chain(1000)), all.Rules)); got != "" {
		t.Errorf("findings:\n%s", got)
	}
}

func BenchmarkRun(b *testing.B) {
	for _, n := range []int{12, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("states=%d", n), func(b *testing.B) {
			prog := program(b, chain(n))
			b.ReportAllocs()
			for b.Loop() {
				check.Run(prog, all.Rules)
			}
		})
	}
}
