package bench

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
)

// definition is the compiled form of the machine.
func definition(tb testing.TB) string {
	tb.Helper()
	src, err := os.ReadFile("review.fsm")
	if err != nil {
		tb.Fatal(err)
	}
	unit := lang.Load([]lang.Source{{Name: "review.fsm", Src: src}})
	if len(unit.Diags) > 0 {
		tb.Fatal(unit.Diags)
	}
	return string(table.Compile(unit.Program.Machines[0]).Encode())
}

// view is what all of them must agree upon.
type view struct {
	State   string
	Used    Used
	Data    Data
	Act     Action
	Refused bool
}

// subject is one of them.
type subject struct {
	name   string
	handle func(*Event) (Action, error)
	view   func() (string, Used, Data)
}

func subjects() []subject {
	core := &Core{Review: started()}
	byHand := &Switch{Data: start}
	table := &Table{Data: start}
	other := NewStateless()
	other.Data = start
	another := NewLooplab()
	another.Data = start
	return []subject{
		{"switch", byHand.Handle, func() (string, Used, Data) { return byHand.State.String(), byHand.Used, byHand.Data }},
		{"fsmc", func(e *Event) (Action, error) {
			in := input(e)
			arm, err := core.Handle(&in)
			return action(core, arm), err
		}, func() (string, Used, Data) {
			r := &core.Review
			return r.State.String(),
				Used{r.Used.FetchingDiffOnFailedTransientTimeout, r.Used.AnalyzingOnFailedTimeoutSilent, r.Used.PostingCommentsOnRateLimited},
				Data{PR: r.Params.Pr, Diff: r.Data.Diff.Value, HasDiff: r.Data.Diff.Set, Comments: r.Data.Comments, Wait: r.Data.Wait}
		}},
		{"table", table.Handle, func() (string, Used, Data) { return table.State.String(), table.Used, table.Data }},
		{"stateless", other.Handle, func() (string, Used, Data) { return other.State.String(), other.Used, other.Data }},
		{"looplab", another.Handle, func() (string, Used, Data) { return another.machine.Current(), another.Used, another.Data }},
	}
}

// action is what the arm that was taken asks for.
func action(m *Core, arm CodeReviewArm) Action {
	switch arm {
	case 0:
		return Nothing
	case CodeReviewArmFetchingDiffOnFailedTransientTimeout:
		return FetchAgain
	case CodeReviewArmAnalyzingOnFailedTimeoutSilent:
		return AnalyzeAgain
	}
	return map[CodeReviewState]Action{
		CodeReviewStateFetchingDiff: Fetch, CodeReviewStateAnalyzing: Analyze, CodeReviewStatePostingComments: Post,
		CodeReviewStateAwaitingRetry: Wait, CodeReviewStateSummarizing: Summarize, CodeReviewStateFailed: TellFailed,
	}[m.Review.State]
}

// TestEqual gives all of them the same events: the script, and random ones.
func TestEqual(t *testing.T) {
	scripts := [][]Event{script}
	for seed := range uint64(2000) {
		scripts = append(scripts, randomScript(rand.New(rand.NewPCG(seed, 1))))
	}
	ends := map[string]int{}
	for _, events := range scripts {
		all := subjects()
		for i := range events {
			var want view
			for k, s := range all {
				act, err := s.handle(&events[i])
				got := view{Act: act, Refused: err != nil}
				got.State, got.Used, got.Data = s.view()
				if k == 0 {
					want = got
				} else if got != want {
					t.Fatalf("%s: after %+v of %+v:\n%+v\n%s has\n%+v", s.name, events[i], events[:i], got, all[0].name, want)
				}
			}
		}
		state, _, _ := all[0].view()
		ends[state]++
	}
	for s := Idle; s <= Failed; s++ {
		if ends[s.String()] == 0 {
			t.Errorf("no run ended in %s", s)
		}
	}
}

// randomScript mostly goes the way of the script.
func randomScript(r *rand.Rand) []Event {
	var events []Event
	for i := 0; i < len(script) && r.IntN(40) > 0; i++ {
		if r.IntN(5) == 0 {
			events = append(events, Event{
				Kind: Kind(r.IntN(int(DayOver) + 1)), Category: Category(r.IntN(4)), Diff: "-", Comments: r.Int64N(9),
				RetryAfter: time.Duration(r.Int64N(int64(16*time.Minute))) - 10*time.Second,
			})
			if events[len(events)-1].Kind == DayOver && r.IntN(5) > 0 {
				events = events[:len(events)-1]
			}
		}
		events = append(events, script[i])
		if script[i].Kind == WaitOver && r.IntN(3) == 0 {
			i -= 2
		}
	}
	return events
}

// TestNoAllocation holds that neither a run nor a refusal of the core allocates.
func TestNoAllocation(t *testing.T) {
	core := &Core{Review: started()}
	first := core.Review
	inputs := make([]CodeReviewStepInput, len(script))
	for i := range script {
		inputs[i] = input(&script[i])
	}
	no := input(&refused)
	for name, f := range map[string]func() error{
		"run": func() (err error) {
			core.Review = first
			for i := range inputs {
				if _, e := core.Handle(&inputs[i]); e != nil {
					err = e
				}
			}
			return err
		},
		"refusal": func() error {
			core.Review = first
			if _, err := core.Handle(&no); err == nil {
				t.Fatal("taken")
			}
			return nil
		},
	} {
		if err := f(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := testing.AllocsPerRun(100, func() { _ = f() }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
