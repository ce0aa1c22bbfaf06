package oracletest_test

import (
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
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

	most     string            // of usd, by a run of what it calls
	children map[string]string // what those that have begun may still use, by key and attempt
}

// TestHeld walks machines whose runs are held to a budget. No attempt begins past it before
// over_budget is taken, and no run costs more than the figure that rests on that.
func TestHeld(t *testing.T) {
	t.Run("activities", func(t *testing.T) { walkHeld(t, oracletest.GenerateEnforced, 2**oracleCount) })
	t.Run("elements", func(t *testing.T) { walkHeld(t, oracletest.GenerateEnforcedFans, *oracleCount) })
	t.Run("children", func(t *testing.T) { walkHeld(t, oracletest.GenerateEnforcedTree, *oracleCount/2) })
}

func walkHeld(t *testing.T, generate func(*rand.Rand) string, count int) {
	t.Parallel()
	figures, begun, held := 0, 0, 0
	for seed := range uint64(count) {
		random := rand.New(rand.NewPCG(seed, 0))
		src := generate(random)
		unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
		if unit.Diags.HasErrors() || len(unit.Program.Machines) == 0 {
			continue
		}
		m, most := unit.Program.Machines[0], "0"
		if len(unit.Program.Machines) > 1 {
			below := check.Bounds(unit.Program.Machines[1], 20_000)
			i := slices.IndexFunc(below.Costs, func(f check.Figure) bool { return f.Name == "usd" })
			list, _ := check.Analyze(unit.Program, all.Rules, 20_000, false)
			unreached := slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Rule == "unreachable-state" && d.Machine == "Child" })
			if i < 0 || below.Costs[i].Amount == nil || unreached {
				continue // a child here ends in any of its terminals
			}
			most = ir.DecimalText(below.Costs[i].Amount)
		}
		compiled, err := machine.Compile(table.Compile(m))
		w := check.Bounds(m, 20_000)
		if err != nil || w == nil {
			continue
		}
		for walk := range uint64(20) {
			r := &spender{
				t: t, m: compiled, d: compiled.Definition(), s: compiled.NewSnapshot("r", walk),
				now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), random: random,
				most: most, children: map[string]string{},
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
		if r.most == "0" && spent.Cmp(most) > 0 && !slices.Contains(r.s.OverDone, c.Name) && r.s.Status == machine.Running {
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
	if in, told := r.tell(&task); told {
		return in
	}
	in := machine.Input{Kind: machine.BeginInput, Event: -1, Do: task.Do, Index: task.Index, Key: task.Key, Attempt: task.Attempt, Worker: "w"}
	if r.m.Begins(r.s, task.Do) && (task.Begun == "" || task.Reported == nil && r.random.IntN(10) == 0) {
		return in // and perhaps a second time, after a worker has released it unused
	}
	activity := r.d.Activities[r.d.Dos[task.Do].Activity]
	if activity.Callee != "" && task.Begun != "" {
		in.Below = r.uses(attemptOf(&task))
	} else if task.Begun != "" && task.Reported == nil {
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

func attemptOf(t *machine.Task) string { return fmt.Sprintf("%s %d", t.Key, t.Attempt) }

// tell is what a child tells: one that has been left behind before the next attempt begins, or
// sometimes that of task on its way.
func (r *spender) tell(task *machine.Task) (machine.Input, bool) {
	for _, key := range slices.Sorted(maps.Keys(r.children)) {
		if !slices.ContainsFunc(r.s.Tasks, func(t machine.Task) bool { return t.State == machine.TaskOpen && attemptOf(&t) == key }) {
			below := r.uses(key)
			delete(r.children, key)
			return machine.Input{Kind: machine.ToldInput, Below: below}, true
		}
	}
	if r.d.Activities[r.d.Dos[task.Do].Activity].Callee == "" || task.Begun == "" {
		return machine.Input{}, false
	}
	if _, known := r.children[attemptOf(task)]; !known {
		r.children[attemptOf(task)] = r.most
	}
	in := machine.Input{Kind: machine.ToldInput, Do: task.Do, Index: task.Index, Key: task.Key, Attempt: task.Attempt}
	if r.random.IntN(2) == 0 {
		in.Below = r.uses(attemptOf(task))
	}
	return in, in.Below != nil
}

// uses is what a child uses now, of what it may.
func (r *spender) uses(key string) []machine.Cost {
	amount := []string{"0", "0.005", r.children[key]}[r.random.IntN(3)]
	if machine.LessAmounts(amount, r.children[key]) != "0" {
		amount = r.children[key]
	}
	if r.children[key] = machine.LessAmounts(r.children[key], amount); amount == "0" {
		return nil
	}
	return []machine.Cost{{Name: "usd", Amount: amount}}
}
