package enginetest

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

// Run is the id of the run that a tape is for.
const Run = "r"

// Tape is what one run, and those below it in its tree, live through.
type Tape struct {
	Machines []*machine.Machine // each stands before those that call it; the last is that of the run
	Seed     uint64             // of what attempts, guards and receivers of messages do
	Params   json.RawMessage
	Acts     []Act
	Lasts    time.Duration // from the start until what has become of it is compared
	Serial   bool          // attempts run one after the other
	Instant  bool          // attempts return at once, without a checkpoint: for engines in whose tests no time passes meanwhile
}

// Act is one thing that comes from outside.
type Act struct {
	At         time.Duration     // after the start
	Kind       machine.InputKind // event, cancel, pause, resume, retry or machine.CompleteRefused
	Event      machine.ExternalEvent
	Completion machine.Completion
	Force      bool // of cancel
	machine.Operator
}

// Random makes up a tape for machines, of which each stands before those that call it.
func Random(machines []*machine.Machine, seed uint64) *Tape {
	r := rand.New(rand.NewPCG(seed, 1))
	m := machines[len(machines)-1]
	t := &Tape{Machines: machines, Seed: seed, Serial: slices.ContainsFunc(machines, enforces)}
	t.Params = object(r, m, m.Definition().Params, m.EncodeParams)
	for range 4 + r.IntN(16) {
		t.Lasts += moment(r, []time.Duration{10 * time.Second, 10 * time.Second, time.Minute, 3 * time.Hour}[r.IntN(4)])
		act := randomAct(r, m, t.Acts)
		act.At = t.Lasts
		t.Acts = append(t.Acts, act)
	}
	t.Lasts += 6*time.Hour + moment(r, time.Hour)
	return t
}

// enforces reports whether attempts may begin with a step of their run.
func enforces(m *machine.Machine) bool {
	return slices.ContainsFunc(m.Definition().States, func(s machine.State) bool {
		return slices.ContainsFunc(s.Handlers, func(h machine.Handler) bool { return h.Kind == machine.OverBudgetInput })
	})
}

// moment is between a tenth of a second and most, as often short as long, and never a round one.
func moment(r *rand.Rand, most time.Duration) time.Duration {
	least := float64(100 * time.Millisecond)
	return time.Duration(least*math.Pow(float64(most)/least, r.Float64())) + time.Duration(r.IntN(1_000_000))
}

// randomAct is mostly an event, and mostly one that fits.
func randomAct(r *rand.Rand, m *machine.Machine, before []Act) Act {
	d := m.Definition()
	act := Act{Kind: machine.EventInput, Operator: machine.Operator{Actor: "op", Reason: "why not"}}
	switch n := r.IntN(24); {
	case n == 0 && m.Calls(): // a child that resumes would do so while its parent leaves it
		act.Kind = machine.RetryInput
		return act
	case n < 5:
		act.Kind = []machine.InputKind{machine.PauseInput, machine.ResumeInput, machine.ResumeInput, machine.RetryInput, machine.RetryInput}[n]
		return act
	case n == 5 && r.IntN(2) == 0:
		act.Kind, act.Force = machine.CancelInput, r.IntN(2) == 0
		return act
	case n == 6 && len(d.Dos) > 0:
		act.Kind, act.Completion = machine.CompleteRefused, randomCompletion(r, m)
		return act
	case n == 7 && len(before) > 0: // an event is sent again, perhaps with an id
		return before[r.IntN(len(before))]
	case len(d.Events) == 0 || n == 8:
		act.Event.Name = "Nonsense"
		return act
	}
	index := r.IntN(len(d.Events))
	for range 8 { // those that activities raise are refused
		if !d.Events[index].Internal {
			break
		}
		index = r.IntN(len(d.Events))
	}
	act.Event = runtime.NewEvent(d.Events[index].Name, object(r, m, d.Events[index].Fields, func(values []machine.Value) (json.RawMessage, error) {
		return m.EncodePayload(index, values)
	}))
	act.Event.Actor = "sender"
	switch r.IntN(8) {
	case 0:
		act.Event.IfSeq = 1 + r.Int64N(4)
	case 1, 2:
		act.Event.ID = fmt.Sprint("id", r.IntN(3))
	}
	return act
}

func randomCompletion(r *rand.Rand, m *machine.Machine) machine.Completion {
	d := m.Definition()
	do := &d.Dos[r.IntN(len(d.Dos))]
	activity := &d.Activities[do.Activity]
	c := machine.Completion{Activity: activity.Name, Operator: machine.Operator{Actor: "op"}}
	if n := len(activity.Results); n > 0 {
		result := activity.Results[r.IntN(n)]
		c.Event = d.Events[result].Name
		c.Data = object(r, m, d.Events[result].Fields, func(values []machine.Value) (json.RawMessage, error) { return m.EncodePayload(result, values) })
	}
	return c
}

// object is random values for fields in JSON; now and then one that does not fit.
func object(r *rand.Rand, m *machine.Machine, fields []machine.Field, encode func([]machine.Value) (json.RawMessage, error)) json.RawMessage {
	encoded, err := encode(machinetest.RandomValues(r, m.Definition(), fields))
	if err != nil || r.IntN(30) == 0 {
		return json.RawMessage(`{"nonsense": 1}`)
	}
	return encoded
}
