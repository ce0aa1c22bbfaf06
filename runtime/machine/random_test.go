package machine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

// choose picks one of several.
func choose[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// randomMachine is a machine with composites, activities, timers, bounds,
// guards, deferred events and requires, wired at random.
func randomMachine(r *rand.Rand) *machine.Definition {
	leaves := []string{"A", "B", "W.C", "W.D", "W.V.E", "W.V.F"}
	target := func() string { return choose(r, append([]string{"W", "W.V", "End", "Bad"}, leaves...)...) }
	scope := func() string { return choose(r, "run", "visit", "W", "W.V", "A", "W.C") }
	effects := func(source string) []ArmPart {
		var out []ArmPart
		if r.IntN(2) == 0 {
			out = append(out, Set("n", choose(r, "n + 1", "min(n + 1, 5)", "0", "n - 1")))
		}
		if r.IntN(3) == 0 {
			out = append(out, Set("w", choose(r, "w * 2", `d("1s")`, `max(w - d("5s"), d("0s"))`)))
		}
		if r.IntN(3) == 0 {
			out = append(out, Publishing("Out", "n", "now", choose(r, "n", "maybe(u)")))
		}
		if r.IntN(3) == 0 {
			out = append(out, Set("s", choose(r, "s + `x`", "unset", "`y`")))
		}
		if source == "E2" && r.IntN(2) == 0 {
			out = append(out, Set("u", choose(r, "event.o", "maybe(event.o)", "maybe(event.o)")))
		}
		if source == "E1" && r.IntN(2) == 0 {
			out = append(out, Set("l", "l + event.k"))
		} else if r.IntN(6) == 0 {
			out = append(out, Set("l", choose(r, "[]int{}", "l + n", "l + 2")))
		}
		return out
	}
	arms := func(source string, external, raised bool) []Arm {
		var out []Arm
		for range 1 + r.IntN(3) {
			parts := effects(source)
			if r.IntN(2) == 0 {
				parts = append(parts, When(choose(r, "n < 3", "n - 1 > 0 || flag", "set(s) && len(s) < 3", "odd(n)", "any(maybe(u))", "!set(u) || u < 3", "w > d(`10s`)", "now > now - w")))
			}
			if r.IntN(2) == 0 {
				parts = append(parts, Bound(int64(r.IntN(4)), scope()))
			}
			switch k := r.IntN(10); {
			case k < 5:
				out = append(out, GoTo(target(), parts...))
			case k < 6 && raised:
				out = append(out, ArmOf(machine.RetryArm, "", append(parts, Bound(int64(r.IntN(3)), scope()), WithBackoff("1s", "20s", 2, 0.3))...))
			case k < 7:
				out = append(out, Stay(append(parts, Set("flag", "!flag"))...))
			case k < 8 && external:
				out = append(out, Deferring())
			case k < 9 && external:
				out = append(out, Refuse())
			default:
				out = append(out, Ignore())
			}
		}
		return out
	}
	handlers := func() []Part {
		var out []Part
		for _, e := range []string{"E1", "E2", "E3"} {
			if r.IntN(2) == 0 {
				out = append(out, On(e, arms(e, true, false)...))
			}
		}
		for _, t := range []string{"R1", "failed", "failed(flaky)"} {
			if r.IntN(2) == 0 {
				out = append(out, On(t, arms(t, false, true)...))
			}
		}
		if r.IntN(4) == 0 {
			out = append(out, On("cancel", arms("cancel", false, false)...))
		}
		if r.IntN(2) == 0 {
			wait := choose[any](r, "w", "30s")
			if r.IntN(2) == 0 {
				out = append(out, After(wait.(string), "idle", 0.25, arms("timer", false, false)[0]))
			} else {
				out = append(out, After(wait.(string), arms("timer", false, false)[0], GoTo(target())))
			}
		}
		if r.IntN(3) == 0 {
			out = append(out, Entering(effects("")...))
		}
		if r.IntN(3) == 0 {
			out = append(out, Leaving(effects("")...))
		}
		return out
	}
	leaf := func(name string) Part {
		parts := handlers()
		for i := range r.IntN(3) {
			options := []string{fmt.Sprintf("as a%d", i), "per " + scope()}
			arg := "n"
			if r.IntN(2) == 0 {
				options = append(options, "for l")
				if arg = choose(r, "n", "each.item", "each.index + n"); r.IntN(2) == 0 {
					options = append(options, fmt.Sprintf("limit %d", 1+r.IntN(3)))
				}
			}
			parts = append(parts, Doing("work", []string{arg, choose(r, "maybe(u)", "n")}, options...))
		}
		if r.IntN(2) == 0 {
			parts = append(parts, On("done", arms("done", false, false)...))
		}
		if r.IntN(5) == 0 {
			parts = append(parts, WithRequire(choose(r, "n < 4", "flag"), target()))
		}
		return WithState(name, parts...)
	}
	all := []Part{
		WithFields(`n int 0..5 = 0, flag bool = false, w duration 0s..1m = "20s", s string, l [0..8]int = [3], u int 0..5`),
		WithEvent("E1", "k int 0..9"), WithEvent("E2", "o int 0..5?"), WithEvent("E3", ""), WithEvent("R1", "k int 0..9"), WithEvent("Out", "n int, at time, u int 0..5?"),
		WithGuard("odd", "n int"), WithGuard("any", "u int 0..5?"), WithActivity("work", "n int, u int 0..5?", "R1", "flaky"),
	}
	all = append(all, handlers()...)
	return Define(append(all, leaf("A"), leaf("B"),
		WithState("W", append(handlers(), leaf("C"), leaf("D"), WithState("V", append(handlers(), leaf("E"), leaf("F"))...))...),
		WithTerminal("End", machine.Success), WithTerminal("Bad", machine.Failed))...)
}

// randomInput is any input, most often one that may be taken.
func randomInput(r *rand.Rand, m *machine.Machine, s *machine.Snapshot) machine.Input {
	d := m.Definition()
	if s.Status == machine.Ending && r.IntN(4) == 0 {
		return machine.Input{Kind: machine.StoppedInput}
	}
	if r.IntN(6) == 0 {
		if in := operatorInput(r, m, s); in.Kind != "" {
			return in
		}
	}
	if len(s.Tasks) > 0 && r.IntN(2) == 0 {
		task := choose(r, s.Tasks...)
		in := machine.Input{Do: task.Do, Index: task.Index, Key: task.Key, Attempt: task.Attempt, Event: -1}
		results := d.Activities[d.Dos[task.Do].Activity].Results
		if m.Begins(s, task.Do) {
			if in.Cost = randomReport(r); spending(r, s, task, &in) {
				return in
			}
		}
		if r.IntN(3) == 0 {
			in.Kind, in.Category, in.Message = machine.FailureInput, r.IntN(len(d.Categories)+1), "m"
			return in
		}
		in.Kind = machine.ResultInput
		if len(results) > 0 {
			in.Event = choose(r, results...)
			in.Data = RandomValues(r, d, d.Events[in.Event].Fields)
		}
		return in
	}
	if len(d.Events) > 0 && r.IntN(40) > 0 {
		e := r.IntN(len(d.Events))
		return machine.Input{Kind: machine.EventInput, Event: e, Data: RandomValues(r, d, d.Events[e].Fields), ID: "x"}
	}
	return machine.Input{Kind: machine.CancelInput, Force: r.IntN(4) == 0}
}

// operatorInput is what an operator or the engine itself brings; of kind "" where
// what was picked cannot come now.
func operatorInput(r *rand.Rand, m *machine.Machine, s *machine.Snapshot) machine.Input {
	in := machine.Input{Kind: choose(r, machine.PauseInput, machine.ResumeInput, machine.ResumeInput, machine.RetryInput, machine.RepairInput, machine.LateInput, machine.ReturnInput, machine.ProgressInput), Actor: "op"}
	switch in.Kind {
	case machine.RetryInput:
		if s.Status == machine.Finished {
			in.State = r.IntN(len(m.Definition().States))
		}
	case machine.LateInput, machine.ReturnInput:
		if len(m.Definition().Dos) == 0 {
			return machine.Input{}
		}
		in.Do, in.Key, in.Attempt, in.Message, in.Cost = r.IntN(len(m.Definition().Dos)), machine.KeysOf(s)+"k", 1, "Found", []machine.Cost{{"usd", "0.25"}}
	case machine.ProgressInput:
		in.Since = s.Now.Add(time.Second)
		if _, starts := m.ProgressInput(s, in.Since); !starts {
			return machine.Input{}
		}
	}
	return in
}

// wander drives a run at random and checks what must always hold.
func wander(t testing.TB, m *machine.Machine, seed uint64, steps int) []*machine.Record {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	ask := func(_ int, args []machine.Value) (bool, error) {
		if r.IntN(50) == 0 {
			return false, errors.New("no answer")
		}
		return r.IntN(2) == 0, nil
	}
	now := epoch
	s := m.NewSnapshot("run", seed)
	w := &drive{t: t, m: m}
	for i := range steps {
		in := machine.Input{Kind: machine.StartInput, Data: RandomValues(r, m.Definition(), m.Definition().Params), Token: choose(r, "", "t0")}
		if i > 0 {
			if s.State < 0 {
				break // the start was refused
			}
			in = randomInput(r, m, s)
			now = now.Add(time.Duration(r.Int64N(int64(25 * time.Second))))
		}
		before := m.EncodeSnapshot(s)
		next, commands, made, err := m.Advance(s, in, now, ask)
		if !bytes.Equal(before, m.EncodeSnapshot(s)) {
			t.Fatal("the snapshot before was changed")
		}
		var rejected *machine.Rejected
		if err != nil && !errors.As(err, &rejected) && !errors.Is(err, machine.ErrHalted) && !errors.Is(err, machine.ErrFenced) &&
			in.Kind != machine.ProgressInput { // the timer may have fired by now
			t.Fatalf("%s: %v", m.Describe(in), err)
		}
		checkCommands(t, m, s, next, commands)
		s = next
		if i%2 == 1 { // go on from what is written
			var err error
			if s, err = m.DecodeSnapshot(m.EncodeSnapshot(next)); err != nil {
				t.Fatal(err)
			}
		}
		w.records = append(w.records, made...)
		if len(made) > 100 {
			break // it goes round for ever
		}
	}
	if w.s = s; s.State >= 0 {
		w.checkWith(seed)
	}
	return w.records
}

func (r *drive) checkWith(seed uint64) {
	r.t.Helper()
	r.s.Seed = seed
	r.check()
}

// checkCommands carries the commands out on a model of the store: what is open
// there afterwards must be what the snapshot says.
func checkCommands(t testing.TB, m *machine.Machine, before, after *machine.Snapshot, commands []machine.Command) {
	t.Helper()
	tasks, timers := map[string]bool{}, map[int]time.Time{}
	name := func(task machine.Task) string { return fmt.Sprintf("%s#%d", task.Key, task.Attempt) }
	returned := map[string]bool{} // while the run was paused
	load := func(s *machine.Snapshot) {
		clear(tasks)
		clear(timers)
		for _, task := range s.Tasks {
			switch {
			case machine.InQueue(s, &task):
				returned[name(task)] = true
			case task.State == machine.TaskOpen:
				tasks[name(task)] = true
			}
		}
		for _, a := range s.Alarms {
			timers[a.Timer] = a.Due
		}
	}
	load(before)
	for _, c := range commands {
		switch c.Kind {
		case machine.StartTask:
			if tasks[name(c.Task)] {
				t.Fatalf("%s is started twice", name(c.Task))
			}
			tasks[name(c.Task)] = true
		case machine.CancelTask, machine.EndTask:
			if !tasks[name(c.Task)] && !returned[name(c.Task)] {
				t.Fatalf("%s is not open", name(c.Task))
			}
			delete(tasks, name(c.Task))
		case machine.SetTimer:
			timers[c.Timer] = c.Due
		case machine.DropTimer:
			delete(timers, c.Timer)
		case machine.SendOut:
			if _, err := m.EncodePayload(c.Event, c.Data); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, list := range after.Lists {
		states := map[machine.TaskState]int64{}
		for _, task := range after.Tasks {
			if task.Do == list.Do {
				states[task.State]++
			}
		}
		limit, open := m.Definition().Dos[list.Do].Fan.Limit, states[machine.TaskOpen]
		if limit > 0 && open > limit || states[machine.TaskWaiting] > 0 && open < limit {
			t.Fatalf("%v elements, of which %d may run", states, limit)
		}
	}
	got := fmt.Sprint(tasks, timers)
	load(after)
	if want := fmt.Sprint(tasks, timers); got != want {
		t.Fatalf("the commands leave %s, the snapshot has %s", got, want)
	}
}

// met counts what became of elements, so that the test shows that they are drawn.
func met(records []*machine.Record, d *machine.Definition, seen map[machine.Effect]int) {
	for _, r := range records {
		if k := r.Input.Kind; (k == machine.ResultInput || k == machine.FailureInput) && d.Dos[r.Input.Do].Fan != nil {
			seen[r.Effect]++
		}
	}
}

func TestRandomMachines(t *testing.T) {
	total := 0
	seen := map[machine.Effect]int{}
	for seed := range uint64(1500) {
		m, err := machine.Compile(randomMachine(rand.New(rand.NewPCG(seed, 0))))
		must(t, err)
		records := wander(t, m, seed, 60)
		if again := wander(t, m, seed, 60); len(again) != len(records) {
			t.Fatalf("machine %d: %d records, then %d", seed, len(records), len(again))
		}
		total += len(records)
		met(records, m.Definition(), seen)
		if t.Failed() {
			t.Fatalf("machine %d", seed)
		}
	}
	if total < 15_000 {
		t.Errorf("only %d steps were taken", total)
	}
	if seen[machine.Retried] < 20 || seen[machine.Stayed] < 30 || seen[machine.Moved] < 90 || seen[machine.Queued] < 35 {
		t.Errorf("of elements came only %v", seen)
	}
}

// mutate changes a few things in a JSON tree: numbers, words, and what is there.
func mutate(r *rand.Rand, v any) any {
	const rate = 4000
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if r.IntN(rate) == 0 {
				delete(v, k)
			} else {
				v[k] = mutate(r, v[k])
			}
		}
	case []any:
		for i := range v {
			v[i] = mutate(r, v[i])
		}
		if len(v) > 0 && r.IntN(rate) == 0 {
			return append(v, choose(r, v...))
		}
	case float64:
		if r.IntN(rate) == 0 {
			return choose(r, -1.0, 0, 1, 2, 5, 99, v+1, -v)
		}
	case string:
		if r.IntN(rate) == 0 {
			return choose(r, "", "run", "visit", "state", "goto", "stay", "field", "param", "event", "int", "duration", "list", "+", "<", "neg", "now", "leaf", "1s")
		}
	case bool:
		return v != (r.IntN(rate) == 0)
	}
	return v
}

// TestMutatedDefinitions: a definition with a fault in it is refused, or runs
// without a panic and keeps every promise.
func TestMutatedDefinitions(t *testing.T) {
	accepted := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		var tree any
		must(t, json.Unmarshal(randomMachine(r).Encode(), &tree))
		data, err := json.Marshal(mutate(r, tree))
		must(t, err)
		d, err := machine.ParseDefinition(data)
		if err != nil {
			continue
		}
		m, err := machine.Compile(d)
		if err != nil {
			continue
		}
		accepted++
		wander(t, m, seed, 30)
	}
	if accepted < 60 {
		t.Errorf("only %d definitions were accepted", accepted)
	}
}

func FuzzDefinition(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(randomMachine(rand.New(rand.NewPCG(seed, 0))).Encode(), seed)
	}
	f.Add(payloadMachine(f).Definition().Encode(), uint64(1))
	f.Add(recordMachine(f).Definition().Encode(), uint64(1))
	f.Add(pageMachine(f, "from string?").Definition().Encode(), uint64(1))
	f.Add([]byte(`{"format":1,"name":"M","categories":["unknown"],"states":[{"path":"","kind":"composite","parent":-1,"initial":1},{"path":"A","kind":"leaf","parent":0,"initial":-1}]}`), uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		d, err := machine.ParseDefinition(data)
		if err != nil {
			return
		}
		m, err := machine.Compile(d)
		if err != nil {
			return
		}
		again, err := machine.ParseDefinition(d.Encode())
		if err != nil || !bytes.Equal(again.Encode(), d.Encode()) {
			t.Fatalf("the definition reads back otherwise: %v", err)
		}
		wander(t, m, seed, 20)
	})
}

func FuzzSnapshot(f *testing.F) {
	var machines []*machine.Machine
	for seed := uint64(0); len(machines) < 3; seed++ {
		m, err := machine.Compile(randomMachine(rand.New(rand.NewPCG(seed, 0))))
		must(f, err)
		s, _, _, err := m.Step(m.NewSnapshot("r", seed), machine.Input{Kind: machine.StartInput}, epoch, nil)
		if err != nil || len(s.Tasks) == 0 || len(s.Alarms) == 0 {
			continue
		}
		f.Add(len(machines), []byte(m.EncodeSnapshot(s)), seed)
		s.Kept = []machine.Kept{{Event: 0, Data: []machine.Value{machine.IntValue(3)}, ID: "e"}}
		s.Halt, s.Status = &machine.Halt{&machine.Cause{Said: "why"}, machine.Input{Kind: machine.TimerInput}}, machine.Halted
		f.Add(len(machines), []byte(m.EncodeSnapshot(s)), seed)
		machines = append(machines, m)
	}
	m, spending := spendingSnapshots(f)
	machines = append(machines, m)
	for _, s := range spending {
		f.Add(3, []byte(m.EncodeSnapshot(s)), uint64(1))
	}
	records := recordMachine(f)
	f.Add(len(machines), []byte(records.EncodeSnapshot(placed(f, records))), uint64(1))
	machines = append(machines, records)
	f.Fuzz(func(t *testing.T, which int, data []byte, seed uint64) {
		m := machines[uint(which)%uint(len(machines))]
		s, err := m.DecodeSnapshot(json.RawMessage(data))
		if err != nil {
			return
		}
		encoded := m.EncodeSnapshot(s)
		again, err := m.DecodeSnapshot(encoded)
		if err != nil || !bytes.Equal(m.EncodeSnapshot(again), encoded) {
			t.Fatalf("%v\n%s", err, encoded)
		}
		r := rand.New(rand.NewPCG(seed, 2))
		for range 10 {
			if s.State < 0 {
				return
			}
			next, _, _, _ := m.Advance(s, randomInput(r, m, s), epoch.Add(time.Duration(r.IntN(100))*time.Second), nil)
			if _, err := m.DecodeSnapshot(m.EncodeSnapshot(next)); err != nil {
				t.Fatalf("%v\n%s", err, m.EncodeSnapshot(next))
			}
			s = next
		}
	})
}

func FuzzPayload(f *testing.F) {
	plain, records, pages := payloadMachine(f), recordMachine(f), pageMachine(f, "from string?")
	f.Add([]byte(`{"items":[],"next":null,"tags":["a"],"body":null,"limit":3}`))
	f.Add([]byte(goodPayload))
	f.Add([]byte(goodRecord))
	f.Add([]byte(strings.ReplaceAll(goodRecord, "}", "},\"order\":{}")))
	f.Add([]byte(strings.ReplaceAll(goodPayload, ":", " : ")))
	f.Add([]byte(`{"j":[[[{"a":"\ud83d\ude00"}]]],"f":1e-9}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := plain
		if bytes.Contains(data, []byte("order")) {
			m = records
		} else if bytes.Contains(data, []byte("items")) {
			m = pages
		}
		values, err := m.DecodePayload(0, data)
		var payload *machine.PayloadError
		if err != nil {
			if !errors.As(err, &payload) {
				t.Fatalf("%T", err)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatal("it is not valid JSON")
		}
		encoded, err := m.EncodePayload(0, values)
		if err != nil || !json.Valid(encoded) {
			t.Fatal(err)
		}
		again, err := m.DecodePayload(0, encoded)
		must(t, err)
		if twice, err := m.EncodePayload(0, again); err != nil || !bytes.Equal(twice, encoded) {
			t.Fatalf("%v\n%s\n%s", err, encoded, twice)
		}
	})
}
