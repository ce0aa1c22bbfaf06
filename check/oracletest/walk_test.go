package oracletest_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// A walk is a random run on the runtime. Whatever it does, the checker must have
// said that it may: it enters only states that can be reached, and takes no more
// steps and attempts than the worst case.
type walk struct {
	*replay
	random *rand.Rand
}

// next is a random input of those that can come, and moves the time on to it.
func (w *walk) next() (machine.Input, bool) {
	if in, due := w.m.Next(w.s, w.now); due {
		return in, true
	}
	var ways []func() (machine.Input, bool)
	for i, e := range w.d.Events {
		if !e.Internal {
			ways = append(ways, func() (machine.Input, bool) { return w.event(machine.Input{Kind: machine.EventInput, Event: i}) })
		}
	}
	for _, task := range w.s.Tasks {
		if task.State == machine.TaskOpen {
			ways = append(ways, func() (machine.Input, bool) { return w.says(task) })
		}
	}
	if len(w.s.Alarms) > 0 {
		ways = append(ways, w.timer)
	}
	if w.random.IntN(20) == 0 || len(ways) == 0 {
		return machine.Input{Kind: machine.CancelInput}, true
	}
	return ways[w.random.IntN(len(ways))]()
}

// says is what an attempt says, when it can at the earliest.
func (w *walk) says(task machine.Task) (machine.Input, bool) {
	do := w.d.Dos[task.Do]
	in := machine.Input{Kind: machine.ResultInput, Event: -1, Do: task.Do, Key: task.Key, Attempt: task.Attempt}
	at := w.now
	if task.NotBefore.After(at) {
		at = task.NotBefore
	}
	results := w.d.Activities[do.Activity].Results
	if w.random.IntN(2) == 0 {
		in.Kind = machine.FailureInput
		in.Category = w.random.IntN(len(w.d.Categories))
		for name, limit := range map[string]*int64{"timeout": do.Timeout, "silent": do.Heartbeat, "stalled": do.Progress} {
			if limit != nil && w.d.Categories[in.Category] == name {
				at = at.Add(time.Duration(*limit))
			}
		}
	} else if len(results) > 0 {
		in.Event = results[w.random.IntN(len(results))]
	}
	w.now = at
	if _, due := w.m.Next(w.s, w.now); due {
		return w.timer() // one comes before, when it is due
	}
	if in.Event >= 0 {
		return w.event(in)
	}
	return in, true
}

func (w *walk) timer() (machine.Input, bool) {
	for _, a := range w.s.Alarms {
		if a.Due.After(w.now) {
			w.now = a.Due
		}
	}
	for _, a := range w.s.Alarms { // back to the earliest
		if a.Due.Before(w.now) && !a.Due.Before(w.s.Now) {
			w.now = a.Due
		}
	}
	return w.m.Next(w.s, w.now)
}

// event gives in a random payload; some do not fit.
func (w *walk) event(in machine.Input) (machine.Input, bool) {
	values := map[string]any{}
	for _, f := range w.d.Events[in.Event].Fields {
		values[f.Name] = w.value(&f.Type)
	}
	text, err := json.Marshal(values)
	if err != nil {
		return in, false
	}
	in.Data, err = w.m.DecodePayload(in.Event, text)
	return in, err == nil
}

func (w *walk) value(t *machine.Type) any {
	lo, hi := int64(-2), int64(12)
	if t.Min != nil {
		lo, hi = *t.Min, *t.Max
	}
	switch t.Kind {
	case machine.Bool:
		return w.random.IntN(2) == 0
	case machine.Int:
		return lo + w.random.Int64N(hi-lo+1)
	case machine.DurationKind:
		return time.Duration(lo + w.random.Int64N(hi-lo+1)).String()
	case machine.EnumKind:
		values := w.d.Enums[t.Enum].Values
		return values[w.random.IntN(len(values))]
	case machine.String:
		return []string{"", "x", "other"}[w.random.IntN(3)]
	case machine.ListKind:
		items, n := zero(w.d, t).([]any), w.random.IntN(9)
		for len(items) < n && (t.Len == nil || int64(len(items)) < t.Len.Max) {
			items = append(items, w.value(t.Elem))
		}
		return items
	}
	return zero(w.d, t)
}

// wander takes one run as far as some steps.
func (w *walk) wander(visit func(state string)) {
	params := map[string]any{}
	for _, f := range w.d.Params {
		params[f.Name] = w.value(&f.Type)
	}
	start := machine.Input{Kind: machine.StartInput}
	var err error
	if start.Data, err = w.m.DecodeParams(filled(w.d, w.d.Params, params)); err != nil || w.take(start) != nil {
		return
	}
	visit(w.d.States[w.s.State].Path)
	for range 60 {
		if w.s.Status != machine.Running {
			return
		}
		w.answers()
		in, ok := w.next()
		if !ok {
			continue
		}
		if w.take(in) != nil && in.Kind != machine.EventInput {
			return // halted
		}
		visit(w.d.States[w.s.State].Path)
	}
}

// answers are those of the host guards for one step.
func (w *walk) answers() {
	w.guards = map[string]bool{}
	for _, g := range w.d.Guards {
		w.guards[g.Name+"("] = w.random.IntN(2) == 0
	}
}

func TestRandomRunsKeepToWhatIsProved(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	met, reachable := 0, 0
	for _, m := range langtest.Machines(t, "../rule/*/testdata/*.fsm", "../testdata/codereview.fsm") {
		product := explore.NewProduct(flat.New(m, nil), 100_000)
		if product != nil {
			a, b := wanderAll(t, m, product, random)
			met, reachable = met+a, reachable+b
		}
	}
	if 10*met < 9*reachable {
		t.Errorf("the runs meet only %d of %d states that can be reached", met, reachable)
	}
}

// wanderAll gives how many leaves and terminals the runs met, of how many.
func wanderAll(t *testing.T, m *ir.Machine, product *explore.Product, random *rand.Rand) (met, reachable int) {
	worst := check.Bounds(m, 100_000)
	entered := map[string]bool{}
	for _, s := range m.States {
		_, entered[s.Path] = product.Entered(s)
		if s.Kind != ir.Composite && entered[s.Path] {
			reachable++
		}
	}
	seen := map[string]bool{}
	for range 100 {
		r, err := newReplay(m)
		if err != nil {
			return 0, 0 // what generators would not take either
		}
		r.asChosen = true // a shorter wait than that may be shorter than the least
		w := walk{r, random}
		w.wander(func(state string) {
			seen[state] = true
			if !entered[state] {
				t.Errorf("%s: a run enters %q, which is proved unreachable", m.Span, state)
			}
		})
		if most := worst.Steps.Amount; most != nil && int64(w.steps) > most.Num().Int64() {
			t.Errorf("%s: a run takes %d steps, over the worst case of %s", m.Span, w.steps, most)
		}
		for _, f := range worst.Activities {
			if f.Amount != nil && int64(w.attempts[f.Name]) > f.Amount.Num().Int64() {
				t.Errorf("%s: a run takes %d attempts of %s, over the worst case of %s", m.Span, w.attempts[f.Name], f.Name, f.Amount)
			}
		}
		if t.Failed() {
			break
		}
	}
	return len(seen), reachable
}
