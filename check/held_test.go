package check_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// spender is a random run that is held to a budget: attempts begin as an engine has them
// begin, and none says more than it declares.
type spender struct {
	t      *testing.T
	m      *machine.Machine
	d      *machine.Definition
	s      *machine.Snapshot
	now    time.Time
	random *rand.Rand
	begun  int
	held   int
}

// TestHeld walks machines whose runs are held to a budget. No attempt begins past it before
// over_budget is taken, and no run costs more than the figure that rests on that.
func TestHeld(t *testing.T) {
	t.Run("activities", func(t *testing.T) { walkHeld(t, oracletest.GenerateEnforced, 2**oracleCount) })
	t.Run("elements", func(t *testing.T) { walkHeld(t, oracletest.GenerateEnforcedFans, *oracleCount) })
}

func walkHeld(t *testing.T, generate func(*rand.Rand) string, count int) {
	figures, begun, held := 0, 0, 0
	for seed := range uint64(count) {
		random := rand.New(rand.NewPCG(seed, 0))
		src := generate(random)
		unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
		if unit.Diags.HasErrors() || len(unit.Program.Machines) != 1 {
			continue
		}
		m := unit.Program.Machines[0]
		compiled, err := machine.Compile(table.Compile(m))
		w := check.Bounds(m, 20_000)
		if err != nil || w == nil {
			continue
		}
		for walk := range uint64(20) {
			r := &spender{
				t: t, m: compiled, d: compiled.Definition(), s: compiled.NewSnapshot("r", walk),
				now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), random: random,
			}
			r.walk()
			for _, f := range w.Costs {
				if !f.Held || f.Amount == nil {
					continue
				}
				figures++
				spent, _ := new(big.Rat).SetString(amount(r.s, f.Name))
				if spent.Cmp(f.Amount) > 0 {
					t.Fatalf("seed %d: a run has spent %s %s, at most %s (%s)\n%s", seed, spent.RatString(), f.Name, f.Amount.RatString(), f.Factors, src)
				}
			}
			begun, held = begun+r.begun, held+r.held
		}
	}
	if figures == 0 || begun == 0 || held == 0 {
		t.Errorf("%d figures were held against runs, %d attempts have begun, %d were held", figures, begun, held)
	}
}

func amount(s *machine.Snapshot, cost string) string {
	for _, c := range s.Spent {
		if c.Name == cost {
			return c.Amount
		}
	}
	return "0"
}

func (r *spender) walk() {
	r.take(machine.Input{Kind: machine.StartInput, Data: r.params()})
	for range 60 {
		if r.s.State < 0 || r.s.Status != machine.Running {
			return
		}
		r.now = r.now.Add(time.Duration(r.random.Int64N(int64(10 * time.Second))))
		r.take(r.next())
	}
}

func (r *spender) params() []machine.Value {
	values := make([]machine.Value, len(r.d.Params))
	for i := range values {
		values[i] = r.value(&r.d.Params[i].Type)
	}
	return values
}

func (r *spender) value(t *machine.Type) machine.Value {
	switch t.Kind {
	case machine.Bool:
		return machine.BoolValue(r.random.IntN(2) == 0)
	case machine.ListKind:
		return machine.ListValue(slices.Repeat([]machine.Value{machine.StringValue("x")}, r.random.IntN(4))...)
	}
	return machine.IntValue(r.random.Int64N(3))
}

// take gives the run an input and what follows from it; what is refused does nothing.
func (r *spender) take(in machine.Input) {
	s, _, records, _ := r.m.Advance(r.s, in, r.now, func(int, []machine.Value) (bool, error) { return r.random.IntN(2) == 0, nil })
	if s != nil {
		r.s = s
	}
	for _, record := range records {
		switch record.Effect {
		case machine.Begun:
			r.begun++
		case machine.Held:
			r.held++
		}
	}
	for _, c := range r.budget() {
		spent, _ := new(big.Rat).SetString(machine.AddAmounts(amount(r.s, c.Name), r.m.Reserved(r.s, c.Name)))
		most, _ := new(big.Rat).SetString(c.Amount)
		if spent.Cmp(most) > 0 && !slices.Contains(r.s.OverDone, c.Name) && r.s.Status == machine.Running {
			r.t.Fatalf("%s %s are spent or may be by attempts under way, of %s", spent.RatString(), c.Name, c.Amount)
		}
	}
}

func (r *spender) budget() []machine.Cost { return r.d.Budget.Costs }

func (r *spender) next() machine.Input {
	var open []machine.Task
	for _, task := range r.s.Tasks {
		if task.State == machine.TaskOpen && !task.NotBefore.After(r.now) {
			open = append(open, task)
		}
	}
	if len(open) == 0 || r.random.IntN(6) == 0 {
		var external []int
		for e := range r.d.Events {
			if !r.d.Events[e].Internal && len(r.d.Events[e].Fields) == 0 {
				external = append(external, e)
			}
		}
		if len(external) == 0 || r.random.IntN(30) == 0 {
			return machine.Input{Kind: machine.CancelInput}
		}
		return machine.Input{Kind: machine.EventInput, Event: external[r.random.IntN(len(external))]}
	}
	task := open[r.random.IntN(len(open))]
	in := machine.Input{Kind: machine.BeginInput, Event: -1, Do: task.Do, Index: task.Index, Key: task.Key, Attempt: task.Attempt, Worker: "w"}
	if r.m.Begins(r.s, task.Do) && (task.Begun == "" || task.Reported == nil && r.random.IntN(10) == 0) {
		return in // and perhaps a second time, after a worker has released it unused
	}
	activity := r.d.Activities[r.d.Dos[task.Do].Activity]
	if task.Begun != "" && task.Reported == nil {
		for _, c := range activity.Costs {
			if r.random.IntN(3) > 0 {
				in.Cost = append(in.Cost, machine.Cost{Name: c.Name, Amount: []string{"0", "0.005", c.Amount}[r.random.IntN(3)]})
			}
		}
		slices.SortFunc(in.Cost, func(a, b machine.Cost) int { return strings.Compare(a.Name, b.Name) })
		slices.SortFunc(in.Cost, func(a, b machine.Cost) int { return len(a.Name) - len(b.Name) })
		slices.Reverse(in.Cost)
	}
	switch n := r.random.IntN(8); {
	case n == 0 && task.Begun != "" && len(in.Cost) > 0:
		in.Kind = machine.SpentInput
	case n < 4:
		in.Kind, in.Category = machine.FailureInput, r.random.IntN(len(r.d.Categories))
	default:
		in.Kind = machine.ResultInput
		if len(activity.Results) > 0 {
			in.Event = activity.Results[r.random.IntN(len(activity.Results))]
			in.Data = make([]machine.Value, len(r.d.Events[in.Event].Fields))
			for i, f := range r.d.Events[in.Event].Fields {
				in.Data[i] = r.value(&f.Type)
			}
		}
	}
	return in
}
