package machine_test

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

// enforced gives a random definition a budget, and over_budget to most of its leaves: taken by
// arms that take an input without a payload there.
func enforced(r *rand.Rand, d *machine.Definition) *machine.Definition {
	d.Budget = &machine.Budget{Costs: []machine.Cost{{Name: "usd", Amount: "1"}, {Name: "tokens", Amount: "30"}}}
	for i := range d.Activities {
		d.Activities[i].Costs = []machine.Cost{{Name: "usd", Amount: "0.4"}, {Name: "tokens", Amount: "5"}}[r.IntN(2):]
	}
	for i := range d.States {
		leaf := &d.States[i]
		var arms [][]int
		for _, h := range leaf.Handlers {
			if h.Kind == machine.TimerInput || h.Kind == machine.DoneInput || h.Kind == machine.CancelInput {
				arms = append(arms, h.Arms)
			}
		}
		for _, c := range d.Budget.Costs {
			if len(arms) > 0 && r.IntN(4) > 0 {
				leaf.Handlers = append(leaf.Handlers, machine.Handler{
					Kind: machine.OverBudgetInput, Event: -1, Do: -1, Category: -1, Timer: -1, Cost: c.Name, Arms: choose(r, arms...),
				})
			}
		}
	}
	return d
}

// enforcedMachine is the first random machine from seed on whose runs are held to a budget.
func enforcedMachine(t testing.TB, seed uint64) *machine.Machine {
	t.Helper()
	for ; ; seed++ {
		r := rand.New(rand.NewPCG(seed, 0))
		m, err := machine.Compile(enforced(r, randomMachine(r)))
		must(t, err)
		for do := range m.Definition().Dos {
			if m.Begins(&machine.Snapshot{}, do) {
				return m
			}
		}
	}
}

func randomReport(r *rand.Rand) []machine.Cost {
	return []machine.Cost{
		{Name: "other", Amount: "3"}, {Name: "tokens", Amount: choose(r, "0", "2", "5", "40")}, {Name: "usd", Amount: choose(r, "0", "0.1", "0.4", "50")},
	}[r.IntN(4):]
}

// spending makes of in something that an engine says of a task on its way, mostly that it
// begins; false where it is to say something else.
func spending(r *rand.Rand, s *machine.Snapshot, task machine.Task, in *machine.Input) bool {
	in.Worker = choose(r, "w", "w", "w", "v")
	switch n := r.IntN(12); {
	case (task.Begun == "" || n == 0) && task.State == machine.TaskOpen && s.PausedAt.IsZero() && len(s.Queue) == 0 && s.Status == machine.Running:
		in.Kind, in.Cost = machine.BeginInput, nil
	case n < 3:
		in.Kind = machine.SpentInput
	case n < 5:
		in.Kind = choose(r, machine.LostInput, machine.ReturnInput, machine.LateInput)
	case n == 5:
		in.Kind, in.Cost, in.Allow = machine.RetryInput, nil, true
	default:
		return false
	}
	return true
}

// spendingSnapshots are those of some random runs of a machine that is held to a budget.
func spendingSnapshots(t testing.TB) (m *machine.Machine, list []*machine.Snapshot) {
	t.Helper()
	for seed := uint64(0); seed < 100 && len(list) < 20; seed++ {
		m, list = enforcedMachine(t, seed), nil
		eachSpending(t, m, seed, func(s *machine.Snapshot, _ []*machine.Record) {
			if len(s.Stopping) > 0 || len(s.OverDue) > 0 || slices.ContainsFunc(s.Tasks, func(t machine.Task) bool { return t.Begun != "" }) {
				list = append(list, s)
			}
		})
	}
	if len(list) == 0 {
		t.Fatal("no run spends anything")
	}
	return m, list[:min(len(list), 20)]
}

// eachSpending calls f after each input of a random run.
func eachSpending(t testing.TB, m *machine.Machine, seed uint64, f func(*machine.Snapshot, []*machine.Record)) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	yes := func(int, []machine.Value) (bool, error) { return r.IntN(2) == 0, nil }
	now := epoch
	in := machine.Input{Kind: machine.StartInput, Data: machinetest.RandomValues(r, m.Definition(), m.Definition().Params)}
	s := m.NewSnapshot("run", seed)
	for range 80 {
		next, _, records, _ := m.Advance(s, in, now, yes)
		if next == nil || next.State < 0 {
			return
		}
		f(next, records)
		s, in, now = next, randomInput(r, m, next), now.Add(time.Duration(r.Int64N(int64(5*time.Second))))
	}
}

// TestRandomBudgets lets random runs spend, and says more of them than they may: no attempt
// begins past a budget before over_budget was taken, what was spent never becomes less, and
// over_budget comes once for each cost.
func TestRandomBudgets(t *testing.T) {
	begun, held, halted, taken := 0, 0, 0, 0
	for seed := range uint64(600) {
		m := enforcedMachine(t, seed*7)
		wander(t, m, seed, 60) // codec, replay and commands
		spent := map[string]*big.Rat{}
		over := map[string]int{}
		eachSpending(t, m, seed, func(s *machine.Snapshot, records []*machine.Record) {
			for _, record := range records {
				switch {
				case record.Effect == machine.Begun:
					begun++
				case record.Effect == machine.Held:
					held++
				case record.Input.Kind == machine.OverBudgetInput && record.Effect == machine.HaltedBy:
					halted++
				case record.Input.Kind == machine.OverBudgetInput:
					if taken++; over[record.Input.Over] > 0 {
						t.Fatalf("seed %d: over_budget of %s comes twice", seed, record.Input.Over)
					}
					over[record.Input.Over]++
				}
			}
			for _, c := range s.Spent {
				now, _ := new(big.Rat).SetString(c.Amount)
				if before := spent[c.Name]; before != nil && now.Cmp(before) < 0 {
					t.Fatalf("seed %d: %s were spent, and now %s", seed, before, now)
				}
				spent[c.Name] = now
			}
			for _, c := range m.Definition().Budget.Costs {
				most, _ := new(big.Rat).SetString(c.Amount)
				all, _ := new(big.Rat).SetString(m.Reserved(s, c.Name))
				if now := spent[c.Name]; now != nil {
					all.Add(all, now)
				}
				last := records != nil && records[len(records)-1].Effect == machine.Begun
				if last && all.Cmp(most) > 0 && !slices.Contains(s.OverDone, c.Name) && slices.ContainsFunc(m.Definition().Activities[m.Definition().Dos[records[len(records)-1].Input.Do].Activity].Costs, func(d machine.Cost) bool { return d.Name == c.Name }) {
					t.Fatalf("seed %d: an attempt begins with %s %s spent or under way", seed, all, c.Name)
				}
			}
		})
	}
	if begun == 0 || held == 0 || halted == 0 || taken == 0 {
		t.Errorf("%d attempts have begun, %d were held, %d runs halted, %d went on", begun, held, halted, taken)
	}
	t.Logf("%d attempts have begun, %d were held, %d runs halted, %d went on", begun, held, halted, taken)
}
