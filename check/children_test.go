package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// review is the machine that the samples of child machines call.
const review = `
machine CodeReview(file string) {
    failures { transient }
    context {
        diff     string
        comments int = 0
        wait     duration 0s..15m = 1m
    }
    event RateLimited { retry_after duration 0s..15m }
    event DiffLoaded    { diff string }
    event AnalysisReady { comments int }
    event CommentsPosted
    event SummaryDone

    activity fetch_diff(pr string)                  -> DiffLoaded
    activity analyze(diff string)                   -> AnalysisReady  cost tokens 12_000, usd 0.04
    activity post_comments(pr string, comments int) -> CommentsPosted | RateLimited
    activity summarize(pr string)                   -> SummaryDone    cost tokens 2_000, usd 0.01

    initial FetchingDiff
    after 24h -> Expired
    on failed -> Failed

    state FetchingDiff {
        do fetch_diff(file) timeout 30s
        on DiffLoaded -> Analyzing { diff = event.diff }
        on failed(transient, timeout) retry 3 backoff 1s..30s else -> Failed
    }
    state Analyzing {
        do analyze(diff) timeout 2m heartbeat 30s
        on AnalysisReady -> PostingComments { comments = event.comments }
        on failed(timeout) retry 3 backoff 1s..1m else -> Failed
    }
    state PostingComments {
        do post_comments(file, comments) timeout 1m
        on CommentsPosted -> Summarizing
        on RateLimited -> AwaitingRetry max 5 { wait = event.retry_after }
                  else -> Failed
    }
    state AwaitingRetry {
        after wait -> PostingComments
    }
    state Summarizing {
        do summarize(file) timeout 1m
        on SummaryDone -> Completed
    }
    terminal Completed success returns comments
    terminal Expired failure
    terminal Failed failure
}
`

// batch is the sample of the contract: a review for each of up to 20 files.
const batch = `
machine Batch(files [0..20]string) {
    context {
        comments int = 0
        missing  int = 0
    }
    initial Reviewing
    state Reviewing {
        do machine CodeReview(file) for file in files limit 4 as review timeout 2h
        on review.Completed { comments = comments + event.comments }
        on review.Failed, review.Expired { missing = missing + 1 }
        on review.failed -> Broken
        on done -> Merged
    }
    terminal Merged success returns comments, missing
    terminal Broken failure
}
`

// treeOf writes the figures of the first machine with their factors, "~" before an upper
// bound.
func treeOf(t *testing.T, src string, limit int) string {
	t.Helper()
	w := check.Bounds(program(t, []byte(src)).Machines[0], limit)
	if w == nil || w.Tree == nil {
		t.Fatal("no tree")
	}
	var b strings.Builder
	write := func(f check.Figure) {
		text := "no bound"
		switch {
		case f.Amount == nil:
		case f.Name == "time":
			text = "~" + ir.FormatDuration(f.Amount.Num().Int64())
		case f.Exact:
			text = ir.DecimalText(f.Amount)
		default:
			text = "~" + ir.DecimalText(f.Amount)
		}
		if f.Factors != "" {
			text += " = " + f.Factors
		}
		fmt.Fprintf(&b, "%s %s\n", f.Name, text)
	}
	write(w.Steps)
	write(w.Time)
	for _, list := range [][]check.Figure{w.Costs, w.Activities, {w.Tree.Steps, w.Tree.Runs}, w.Tree.Attempts} {
		for _, f := range list {
			write(f)
		}
	}
	for _, u := range w.Unbounded {
		fmt.Fprintf(&b, "%s: %s\n", u.What, u.Why)
	}
	return b.String()
}

// TestBatchOfReviews holds the tree of the contract's sample. All figures but the time, which
// is an upper bound by its nature, are those of a run.
func TestBatchOfReviews(t *testing.T) {
	got := treeOf(t, batch+review, explore.DefaultLimit)
	if diff := cmp.Diff(`steps 1 = 1 move
time ~7h41m10s = 7h41m10s of attempts in Reviewing
tokens 1000000 = 20 CodeReview x 50000
usd 3.4 = 20 CodeReview x 0.17
CodeReview 20 = 1 run x 20 elements of files
steps of the tree 401 = 1 move + 20 runs of CodeReview x 20
runs of the tree 21 = 1 run of Batch + 20 runs of CodeReview
CodeReview.fetch_diff 80 = 4 attempts x 20 elements of files
CodeReview.analyze 80 = 4 attempts x 20 elements of files
CodeReview.post_comments 120 = 1 attempt x 6 visits x 20 elements of files
CodeReview.summarize 20 = 1 attempt x 20 elements of files
`, got); diff != "" {
		t.Error(diff)
	}
}

// childLines is the witness of the first finding of rule with what it says of children, as text.
func childLines(t *testing.T, src, rule string) string {
	t.Helper()
	for _, d := range check.Run(program(t, []byte(src)), all.Rules) {
		if d.Rule == rule {
			var b strings.Builder
			if err := diag.WriteWitness(&b, d.Witness, diag.TextOptions{}); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
	}
	t.Fatalf("no %s", rule)
	return ""
}

// TestWitnessOfChildren holds that a witness says of each run that it starts what it was given
// and how it ended, with a run that ends so.
func TestWitnessOfChildren(t *testing.T) {
	const src = `
machine Pair(names [2..2]string) {
    initial Both
    state Both {
        do machine Child(n, i) for i, n in names as c timeout 3h
        do machine Child("z", 7) as other
        on c.Done -> Second
        on other.Done {}
        on c.failed, other.failed -> Second
    }
    state Second {
        do machine Child("y", 1) as c
        on c.Done -> Third
        on c.failed(cancelled) retry 1 else -> Third
        on c.failed -> Third
    }
    state Third {
        do machine Child("x", 2) as c timeout 3h
        on c.failed(timeout) -> Stuck
        on c.Done, c.failed -> End
    }
    state Stuck {
    }
    terminal End
}
machine Child(name string, k int) {
    initial S
    state S { after 2h -> Done }
    terminal Done
}
`
	want := `    2h0m0s  Both    --c[0].Done-->
                c[0]: Child(k = 0, name = "") ends in Done
                    2h0m0s  S     --after 2h-->
                            Done
                c[1]: Child(k = 1, name = "") is cancelled
                other: Child(k = 7, name = "z") is cancelled
    4h0m0s  Second  --c.Done-->
                c: Child(k = 1, name = "y") ends in Done
                    2h0m0s  S     --after 2h-->
                            Done
    7h0m0s  Third   --c.failed(timeout)-->
                c: Child(k = 2, name = "x") is cancelled after its timeout
            Stuck
`
	if diff := cmp.Diff(want, childLines(t, src, "dead-end")); diff != "" {
		t.Error(diff)
	}
}

// TestWitnessOfHalt holds that a witness says how the run of a machine ended that halts its
// caller.
func TestWitnessOfHalt(t *testing.T) {
	const src = `
machine Ask(name string) {
    initial Asking
    state Asking {
        do machine Answer(name) as a
        on a.Done when event.n > 5 -> End
        on a.failed -> End
    }
    terminal End
}
machine Answer(name string) {
    context { n int 0..10 = 0 }
    initial S
    state S { after 2h -> Done }
    terminal Done returns n
}
`
	want := `    2h0m0s  Asking  --a.Done { n = 0 }-->
                a: Answer(name = "") ends in Done
                    2h0m0s  S     --after 2h-->
                            Done
            Asking
    with event.n = 0
`
	if diff := cmp.Diff(want, childLines(t, src, "unhandled-case")); diff != "" {
		t.Error(diff)
	}
}

// TestTrees holds figures of machines that call others.
func TestTrees(t *testing.T) {
	const quick = `
machine Quick {
    event Paid
    activity pay() -> Paid cost usd 1
    initial Paying
    on failed -> Failed
    state Paying {
        do pay() timeout 1m
        on Paid -> Done
    }
    terminal Done
    terminal Failed failure
}
`
	const choosy = `
machine Choosy(last Part, order string) {
    activity tell(order string)
    initial Choosing
    state Choosing { on done when last == Part.books -> Books else -> Stock }
    state Books {
        do tell(order) timeout 1m
        on done -> Stock
        on failed -> Failed
    }
    state Stock {
        do tell(order) timeout 1m
        on done -> Ended
        on failed -> Failed
    }
    terminal Ended
    terminal Failed failure
}
enum Part { stock, books }
`
	for _, c := range []struct {
		name, src, want string
		limit           int
	}{
		{"a timer and a timeout let machines end", `
machine M {
    initial A
    after 1h -> Late
    state A {
        do machine Slow() timeout 10m
        on Slow.Done, failed -> B
    }
    state B {
        do machine Slow()
        on Slow.Done, failed -> Done
    }
    terminal Done
    terminal Late failure
}
machine Slow {
    event Go
    event Undone
    activity undo() -> Undone
    initial S
    on cancel -> Undoing
    state S { on Go -> Done }
    state Undoing {
        do undo() timeout 5m
        on Undone, failed -> Done
    }
    terminal Done
}
`, `steps 2 = 2 moves
time ~1h5m = 1h by "after 1h" in the machine + 5m of what that cancels to end
Slow 2 = 1 run x 2 visits
steps of the tree 6 = 2 moves + 2 runs of Slow x 2
runs of the tree 3 = 1 run of M + 2 runs of Slow
Slow.undo 2 = 1 attempt x 2 visits
`, 0},
		{"a child has its timeout and the time that it needs to end", `
machine M {
    initial A
    state A {
        do machine Slow() timeout 10m
        on Slow.Done, failed -> Done
    }
    terminal Done
}
machine Slow {
    event Go
    initial S
    on cancel -> Undoing
    state S { on Go -> Done }
    state Undoing { after 5m -> Done }
    terminal Done
}
`, `steps 1 = 1 move
time ~15m = 15m of attempts in A
Slow 1 = 1 run x 1 visit
steps of the tree 3 = 1 move + 1 run of Slow x 2
runs of the tree 2 = 1 run of M + 1 run of Slow
`, 0},
		{"three deep", `
machine M(xs [0..3]string) {
    initial A
    state A {
        do machine Middle() for x in xs as m
        on m.Done, m.failed {}
        on done -> Done
    }
    terminal Done
}
machine Middle {
    initial A
    state A {
        do machine Quick()
        on Quick.Done -> B
        on Quick.Failed retry 1 else -> B
        on failed -> B
    }
    state B {
        do machine Quick()
        on Quick.Done, Quick.Failed, failed -> Done
    }
    terminal Done
}
` + quick, `steps 1 = 1 move
time ~3m1s = 3m1s of attempts in A
usd 9 = 3 Middle x 3
Middle 3 = 1 run x 3 elements of xs
steps of the tree 19 = 1 move + 3 runs of Middle x 6
runs of the tree 13 = 1 run of M + 3 runs of Middle x 4
Quick.pay 9 = (1 attempt x (2 runs x 1 visit of A + 1 run x 1 visit of B)) x 3 elements of xs
`, 0},
		{"a callee without a bound", `
machine M {
    initial A
    state A {
        do machine Loop()
        on Loop.Done, failed -> Done
    }
    terminal Done
}
machine Loop {
    event Go
    event Paid
    activity pay() -> Paid cost usd 1
    initial S
    state S {
        do pay() timeout 1m
        on Paid -> S unbounded
        on failed -> Done
    }
    terminal Done
}
`, `steps 1 = 1 move
time no bound
usd no bound
Loop 1 = 1 run x 1 visit
steps of the tree no bound
runs of the tree 2 = 1 run of M + 1 run of Loop
Loop.pay no bound
time: A: "Loop" has no bound: S: "-> S unbounded" can be taken without end
usd: A: "Loop" has no bound: S: "-> S unbounded" can be taken without end
steps of the tree: A: "Loop" has no bound: S: "-> S unbounded" can be taken without end
Loop.pay: A: "Loop" has no bound: S: "-> S unbounded" can be taken without end
`, 0},
		{"a callee that waits once it is cancelled", `
machine M {
    initial A
    state A {
        do machine Deaf() timeout 10m
        on Deaf.Done, failed -> Done
        after 1h -> Done
    }
    terminal Done
}
machine Deaf {
    event Go
    initial S
    on cancel -> Waiting
    state S { after 1m -> Done }
    state Waiting { on Go -> Done }
    terminal Done
}
`, `steps 1 = 1 move
time no bound
Deaf 1 = 1 run x 1 visit
steps of the tree ~3 = 1 move + 1 run of Deaf x 2
runs of the tree 2 = 1 run of M + 1 run of Deaf
time: A: "Deaf" has no bound: Waiting waits for Go with no timer
`, 0},
		{"sums that pass 64 bits", `
machine M(xs [0..1000]string) {
    initial A
    state A {
        do machine Dear() for x in xs as m
        on m.Done, m.failed {}
        on done -> Done
    }
    terminal Done
}
machine Dear {
    event Paid
    activity pay() -> Paid cost usd 90_000_000_000_000_000
    initial S
    state S {
        do pay() timeout 1m
        on Paid, failed -> Done
    }
    terminal Done
}
`, `steps 1 = 1 move
time ~1m = 1m of attempts in A
usd no bound
Dear 1000 = 1 run x 1000 elements of xs
steps of the tree 1001 = 1 move + 1000 runs of Dear
runs of the tree 1001 = 1 run of M + 1000 runs of Dear
Dear.pay 1000 = 1 attempt x 1000 elements of xs
usd: the sum is over 64 bits
`, 0},
		{"past the limit", `
machine M {
    initial A
    state A {
        do machine Quick() as q
        do machine Quick() as r
        on q.Done -> A max 2
            else -> Done
        on q.Failed, r.Done, r.Failed, failed -> Done
    }
    terminal Done
}
` + quick, `steps ~3 = 3 moves
time ~3m = 3 visits of A x 1m
usd ~6 = 6 Quick x 1
Quick ~6 = 1 run x 3 visits of A + 1 run x 3 visits of A
steps of the tree ~15 = 3 moves + 6 Quick x 2
runs of the tree ~7 = 1 run of M + 6 Quick x 1
Quick.pay ~6 = 6 Quick x 1
`, 1},
		{"a callee does more for some arguments, and the caller gives these on its way", `
machine M {
    context { last Part = Part.stock }
    initial A
    state A {
        do machine Choosy(last, "an order")
        on Choosy.Ended when last == Part.stock -> A max 1 { last = Part.books } else -> Done
        on Choosy.Failed, failed -> Done
    }
    terminal Done
}
` + choosy, `steps 2 = 2 moves (1 by "-> A max 1")
time ~4m = 2 x 2m of attempts in A
Choosy 2 = 1 run x 2 visits
steps of the tree ~8 = 2 moves (1 by "-> A max 1") + 2 runs of Choosy x 3
runs of the tree 3 = 1 run of M + 2 runs of Choosy
Choosy.tell ~4 = 1 attempt x 2 visits x 2 visits
`, 0},
		{"a callee does more for some arguments, and the caller gives others", `
machine M {
    initial A
    state A {
        do machine Choosy(Part.stock, "an order")
        on Choosy.Ended, Choosy.Failed, failed -> Done
    }
    terminal Done
}
` + choosy, `steps 1 = 1 move
time ~2m = 2m of attempts in A
Choosy 1 = 1 run x 1 visit
steps of the tree ~4 = 1 move + 1 run of Choosy x 3
runs of the tree 2 = 1 run of M + 1 run of Choosy
Choosy.tell ~2 = 1 attempt x 2 visits
`, 0},
		{"a callee does more for some arguments, and the caller gives these", `
machine M {
    initial A
    state A {
        do machine Choosy(Part.books, "an order")
        on Choosy.Ended, Choosy.Failed, failed -> Done
    }
    terminal Done
}
` + choosy, `steps 1 = 1 move
time ~2m = 2m of attempts in A
Choosy 1 = 1 run x 1 visit
steps of the tree 4 = 1 move + 1 run of Choosy x 3
runs of the tree 2 = 1 run of M + 1 run of Choosy
Choosy.tell 2 = 1 attempt x 2 visits
`, 0},
	} {
		limit := c.limit
		if limit == 0 {
			limit = explore.DefaultLimit
		}
		if diff := cmp.Diff(c.want, treeOf(t, c.src, limit)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, treeOf(t, c.src, limit))
		}
	}
}

// TestCalleeWithErrors holds that nothing is said of a machine because of the errors of one
// that it calls.
func TestCalleeWithErrors(t *testing.T) {
	const caller = `
machine M {
    budget { usd 1, time 1h }
    initial A
    state A {
        do machine Bad()
        on Bad.Done, failed -> Done
        on Bad.Never -> Done
    }
    terminal Done
}
`
	for _, c := range []struct{ name, callee, caller, why string }{
		{"one whose runs halt", `
machine Bad {
    event Paid
    activity pay() -> Paid cost usd 2
    initial S
    state S { do pay() timeout 1m }
    terminal Done
    terminal Never
}
`, "", `A: "Bad" has errors of its own`},
		{"one that enters no terminal", `
machine Bad {
    event Paid
    activity pay() -> Paid cost usd 0.5
    initial S
    state S {
        do pay() timeout 1m
        on Paid, failed -> Done
    }
    terminal Done
    terminal Never
}
`, "unhandled-budget dead-arm", ""},
		{"one with a timer that another one forestalls", `
machine Bad {
    event Paid
    activity pay() -> Paid cost usd 0.5
    initial S
    state S {
        do pay() timeout 1m
        on Paid, failed -> Done
        after 10s -> Done
        after 20s -> Never
    }
    terminal Done
    terminal Never
}
`, "unhandled-budget dead-arm", ""},
		{"one over its budget", `
machine Bad {
    event Paid
    activity pay() -> Paid cost usd 2
    budget { usd 1 }
    initial S
    state S {
        do pay() timeout 1m
        on Paid -> Done
        on failed -> Never
    }
    terminal Done
    terminal Never
}
`, "over-budget", ""},
	} {
		list, worst := check.Analyze(program(t, []byte(caller+c.callee)), all.Rules, explore.DefaultLimit, false)
		var rules []string
		for _, d := range list {
			if d.Machine == "M" {
				rules = append(rules, d.Rule)
			}
		}
		if got := strings.Join(rules, " "); got != c.caller {
			t.Errorf("%s: of the caller %q, want %q", c.name, got, c.caller)
		}
		if got := worst[0].Why("usd"); got != c.why {
			t.Errorf("%s: %q, want %q", c.name, got, c.why)
		}
	}
}

// TestGivenAsItStarts holds that a witness says what a run was given as it started, and not
// what the fields hold when it ends.
func TestGivenAsItStarts(t *testing.T) {
	const src = `
machine Two {
    context { k int 7..8 = 7 }
    initial Both
    state Both {
        do machine Child(k) as a
        do machine Child(k) as b
        on a.Done { k = 8 }
        on b.Done when k == 8 -> Stuck
              else -> End
        on failed -> End
    }
    state Stuck {
    }
    terminal End
}
machine Child(k int) {
    initial S
    state S { after 0s -> Done }
    terminal Done
}
`
	got := childLines(t, src, "dead-end")
	if strings.Count(got, "Child(k = 7)") != 2 || strings.Contains(got, "Child(k = 8)") {
		t.Error(got)
	}
}
