package drawing_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/codegen/codegentest"
	"github.com/fsmc-dev/fsmc/codegen/drawing"
)

var kinds = map[drawing.EdgeKind]string{
	drawing.Initial: "initial", drawing.Normal: "normal", drawing.Else: "else", drawing.Timer: "timer",
	drawing.Cancel: "cancel", drawing.Failure: "failure", drawing.Retry: "retry",
}

// edges lists the arrows of d, one a line, with their kinds and labels.
func edges(d *drawing.Drawing) string {
	var b strings.Builder
	for _, e := range d.Edges {
		fmt.Fprintf(&b, "%s: %s -> %s", kinds[e.Kind], e.From.ID, e.To.ID)
		for _, l := range e.Labels {
			for _, line := range l.Lines(100) {
				b.WriteString(" | " + line.Text)
			}
		}
		if e.Back {
			b.WriteString(" (back)")
		}
		if e.Mark != drawing.Unmarked {
			b.WriteString(" (taken)")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestReview(t *testing.T) {
	d := drawing.Plan(codegentest.Load(t, "review"), nil)
	want := `initial: (start) -> Idle
failure: (any) -> Failed | failed
timer: (any) -> Expired | after 24h
normal: Idle -> FetchingDiff | StartReview
normal: FetchingDiff -> Analyzing | DiffLoaded | / diff
retry: FetchingDiff -> FetchingDiff | failed(transient, timeout) retry 3 backoff 1s..30s
failure: FetchingDiff -> Failed | failed(transient, timeout) after 3 retries
normal: Analyzing -> PostingComments | AnalysisReady | / comments
retry: Analyzing -> Analyzing | failed(timeout) retry 3
failure: Analyzing -> Failed | failed(timeout) after 3 retries
normal: PostingComments -> Summarizing | CommentsPosted
normal: PostingComments -> AwaitingRetry | RateLimited max 5 | / wait = event.retry_after
failure: PostingComments -> Failed | RateLimited after 5 times
timer: AwaitingRetry -> PostingComments | after wait (back)
normal: Summarizing -> Completed | SummaryDone
`
	if diff := cmp.Diff(want, edges(d)); diff != "" {
		t.Error(diff)
	}
	if d.Title != "CodeReview(pr string)" || !strings.HasPrefix(d.Doc, "Reviews one") {
		t.Errorf("title %q, doc %q", d.Title, d.Doc)
	}
}

const nested = `machine M {
    // Ask again.
    event Again
    event Next
    event Both
    initial W
    state W {
        initial A
        on Again -> W
        on Both -> Done
        state A { on Next -> B on Both -> B }
        state B { on Next -> W.A on Both -> Done }
    }
    terminal Done
}`

func TestArrowsOfComposites(t *testing.T) {
	d := drawing.Plan(codegentest.Parse(t, "m.fsm", nested), nil)
	want := `initial: (start) -> W
initial: W.(start) -> W.A
normal: W.(any) -> W.A | Again
normal: W.(any) -> Done | Both
normal: W.A -> W.B | Next | Both
normal: W.B -> W.A | Next (back)
normal: W.B -> Done | Both
`
	if diff := cmp.Diff(want, edges(d)); diff != "" {
		t.Error(diff)
	}
	for _, e := range d.Edges {
		if want := "Again: Ask again."; e.From.ID == "W.(any)" && e.To.ID == "W.A" && e.Doc != want {
			t.Errorf("doc is %q, want %q", e.Doc, want)
		}
	}
}

func TestHighlight(t *testing.T) {
	h := &drawing.Highlight{Start: "W.A", Current: "Done", Moves: []drawing.Move{
		{From: "W.A", To: "W.B"}, {From: "W.B", To: "Done"}, {From: "Old", To: "Done"},
	}}
	d := drawing.Plan(codegentest.Parse(t, "m.fsm", nested), h)
	want := `initial: (start) -> W (taken)
initial: W.(start) -> W.A (taken)
normal: W.(any) -> W.A | Again
normal: W.(any) -> Done | Both
normal: W.A -> W.B | Next | Both (taken)
normal: W.B -> W.A | Next (back)
normal: W.B -> Done | Both (taken)
`
	if diff := cmp.Diff(want, edges(d)); diff != "" {
		t.Error(diff)
	}
	marks := map[string]drawing.Mark{}
	d.Root.Walk(func(n *drawing.Node) {
		if n.Mark != drawing.Unmarked {
			marks[n.ID] = n.Mark
		}
	})
	if diff := cmp.Diff(map[string]drawing.Mark{"W.A": drawing.Taken, "W.B": drawing.Taken, "Done": drawing.Current}, marks); diff != "" {
		t.Error(diff)
	}
}

// Two arrows may lead from a state to the same leaf: the one of the arm that was
// taken is marked, and of an arm that is not known the innermost one.
func TestHighlightOfTheArm(t *testing.T) {
	const source = `machine M {
    event Up
    event Own
    event Over
    initial W
    on Up -> W
    on Over -> W.A
    state W {
        initial A
        state A { on Own -> A on Over -> B }
        state B { require x else -> Done on Over -> A }
    }
    context { x bool = true }
    terminal Done
}`
	for _, c := range []struct {
		arm, to string
		want    string
	}{
		{"on Up", "W.A", "(any) -> W"},
		{"on Over", "W.A", "(any) -> W.A"},
		{"W.A on Own", "W.A", "W.A -> W.A"},
		{"W.A on Over", "Done", "W.A -> W.B"},
		{"on Gone", "W.A", "W.A -> W.A"},
		{"", "W.A", "W.A -> W.A"},
	} {
		t.Run(c.arm, func(t *testing.T) {
			h := &drawing.Highlight{Current: c.to, Moves: []drawing.Move{{From: "W.A", To: c.to, Arm: c.arm}}}
			var got []string
			for _, e := range drawing.Plan(codegentest.Parse(t, "m.fsm", source), h).Edges {
				if e.Mark == drawing.Taken && e.Kind != drawing.Initial {
					got = append(got, e.From.ID+" -> "+e.To.ID)
				}
			}
			if diff := cmp.Diff([]string{c.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A run that began in another version of the machine, or that a require turned
// away as it began, was never in the first leaf.
func TestHighlightOfTheStart(t *testing.T) {
	const source = `machine M {
    event Go
    context { x bool = false }
    initial W
    state W {
        initial A
        state A { require x else -> B on Go -> B }
        state B { on Go -> Done }
    }
    terminal Done
}`
	for _, c := range []struct {
		name  string
		h     drawing.Highlight
		taken string
	}{
		{"the first leaf", drawing.Highlight{Start: "W.A", Current: "W.B"}, "(start) -> W, W.(start) -> W.A, W.A"},
		{"another one", drawing.Highlight{Start: "W.B", Current: "Done"}, "W.B"},
		{"one that is gone", drawing.Highlight{Start: "Old", Current: "W.B"}, ""},
		{"a move from one that is gone", drawing.Highlight{Start: "Old", Current: "Done", Moves: []drawing.Move{{From: "Old", To: "W.B"}}}, "W.B"},
		{"a move to one that is gone", drawing.Highlight{Start: "W.A", Current: "Done", Moves: []drawing.Move{{From: "W.B", To: "Old"}}}, "(start) -> W, W.(start) -> W.A, W.A, W.B"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := drawing.Plan(codegentest.Parse(t, "m.fsm", source), &c.h)
			var got []string
			for _, e := range d.Edges {
				if e.Mark == drawing.Taken {
					got = append(got, e.From.ID+" -> "+e.To.ID)
				}
			}
			d.Root.Walk(func(n *drawing.Node) {
				if n.Mark == drawing.Taken {
					got = append(got, n.ID)
				}
			})
			if diff := cmp.Diff(c.taken, strings.Join(got, ", ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRows(t *testing.T) {
	d := drawing.Plan(codegentest.Load(t, "document"), nil)
	rows := map[string][]drawing.Row{}
	d.Root.Walk(func(n *drawing.Node) {
		if len(n.Rows) > 0 {
			rows[n.ID] = n.Rows
		}
	})
	want := []drawing.Row{
		{Text: "do print_report(draft)", Detail: "timeout 1m"},
		{Text: "exit / publish Published"},
		{Text: "Comment [rounds > 2] / reject"},
		{Text: "Comment else / ignore"},
	}
	if diff := cmp.Diff(want, rows["Printing"]); diff != "" {
		t.Error(diff)
	}
	want = []drawing.Row{{Text: "failed(transient) retry 5 backoff 2s..1m jitter 0.3"}}
	if diff := cmp.Diff(want, rows["Working.Authoring"]); diff != "" {
		t.Error(diff)
	}
}

// Plan does not stumble over what could not be resolved.
func TestBrokenMachine(t *testing.T) {
	for _, src := range []string{
		"machine M { state A { on X -> Nowhere } }",
		"machine M { event X initial Gone state A { state B { on X -> A } } terminal T }",
		"machine M {",
	} {
		for _, m := range codegentest.Broken(src) {
			if d := drawing.Plan(m, nil); d.Root == nil {
				t.Errorf("%s: no drawing", src)
			}
		}
	}
}

func BenchmarkPlan1000(b *testing.B) {
	m := codegentest.Chain(b, 1000)
	for b.Loop() {
		drawing.Plan(m, nil)
	}
}
