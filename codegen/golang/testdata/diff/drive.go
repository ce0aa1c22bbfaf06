// Package diff holds the generated core and the runtime's step together: both are
// given the same random inputs, and must take the same arms, to the same states,
// data, counters and messages, or refuse.
package diff

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Subject is a generated core, seen through the runtime's types.
type Subject interface {
	Start(params []machine.Value, now time.Time, ask machine.Ask) error
	Take(in machine.Input, now time.Time, ask machine.Ask) (arm string, err error)
	State() string
	Data() []machine.Value
	Counters() []int64           // by arm
	Messages() []machine.Command // since the last call
	Allowed() []int
	Returned() []machine.Value // nil where it has not ended in a terminal that returns values
}

// Run drives both with random inputs.
func Run(t *testing.T, m *machine.Machine, subject func() Subject, runs, steps int) {
	visited := map[int]bool{}
	for i := range runs {
		d := &driver{t: t, m: m, rand: rand.New(rand.NewPCG(uint64(i), 7)), visited: visited, core: subject()}
		d.old = m.NewSnapshot("run", d.rand.Uint64())
		d.now = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
		d.take(machine.Input{Kind: machine.StartInput, Data: d.values(m.Definition().Params)})
		for range steps {
			if d.apart || t.Failed() {
				break
			}
			d.step()
		}
		if t.Failed() {
			return
		}
	}
	for s := range m.Definition().States {
		if m.Definition().States[s].Kind != machine.CompositeState && !visited[s] {
			t.Logf("%s: state %q was never entered", m.Definition().Name, m.Definition().States[s].Path)
		}
	}
}

type driver struct {
	t       *testing.T
	m       *machine.Machine
	rand    *rand.Rand
	old     *machine.Snapshot
	core    Subject
	now     time.Time
	visited map[int]bool
	trace   []string
	apart   bool // the run has ended by what a core knows nothing of
}

func (d *driver) step() {
	d.now = d.now.Add(time.Duration(d.rand.Int64N(int64(20 * time.Second))))
	if d.rand.IntN(12) == 0 {
		d.now = d.now.Add(time.Duration(d.rand.Int64N(int64(50 * time.Hour))))
	}
	if in, ok := d.m.Next(d.old, d.now); ok && d.rand.IntN(10) < 8 {
		d.take(in)
		return
	}
	d.take(d.input())
}

// input is one that the run may be given, most of the time.
func (d *driver) input() machine.Input {
	def := d.m.Definition()
	var open []machine.Task
	for _, task := range d.old.Tasks {
		if task.State == machine.TaskOpen || d.rand.IntN(20) == 0 {
			open = append(open, task)
		}
	}
	switch n := d.rand.IntN(20); {
	case n == 0 && d.rand.IntN(4) == 0:
		return machine.Input{Kind: machine.CancelInput, Force: d.rand.IntN(2) == 0}
	case n == 1 && len(def.Timers) > 0:
		return machine.Input{Kind: machine.TimerInput, Timer: d.rand.IntN(len(def.Timers))}
	case n == 2:
		return machine.Input{Kind: machine.DoneInput}
	case n < 13 && len(open) > 0:
		return d.result(open[d.rand.IntN(len(open))])
	case len(def.Events) > 0:
		e := d.rand.IntN(len(def.Events))
		if allowed := d.m.Allowed(d.old); len(allowed) > 0 && d.rand.IntN(4) > 0 {
			e = allowed[d.rand.IntN(len(allowed))]
		}
		return machine.Input{Kind: machine.EventInput, Event: e, Data: d.values(def.Events[e].Fields)}
	}
	return machine.Input{Kind: machine.DoneInput}
}

func (d *driver) result(task machine.Task) machine.Input {
	def := d.m.Definition()
	activity := &def.Activities[def.Dos[task.Do].Activity]
	in := machine.Input{Kind: machine.ResultInput, Event: -1, Do: task.Do, Key: task.Key, Attempt: task.Attempt}
	if d.rand.IntN(15) == 0 {
		in.Attempt++
	}
	if def.Budget != nil && d.rand.IntN(2) == 0 {
		for _, c := range activity.Costs {
			in.Cost = append(in.Cost, machine.Cost{Name: c.Name, Amount: strconv.Itoa(d.rand.IntN(100))})
		}
		slices.SortFunc(in.Cost, func(a, b machine.Cost) int { return strings.Compare(a.Name, b.Name) })
	}
	switch {
	case d.rand.IntN(3) == 0:
		in.Kind, in.Category, in.Message = machine.FailureInput, d.rand.IntN(len(def.Categories)), "it broke"
	case d.rand.IntN(15) == 0 && len(def.Events) > 0:
		in.Event = d.rand.IntN(len(def.Events))
		in.Data = d.values(def.Events[in.Event].Fields)
	case len(activity.Results) > 0 && d.rand.IntN(15) > 0:
		in.Event = activity.Results[d.rand.IntN(len(activity.Results))]
		in.Data = d.values(def.Events[in.Event].Fields)
	}
	return in
}

func (d *driver) values(fields []machine.Field) []machine.Value {
	out := make([]machine.Value, len(fields))
	there := map[string]bool{} // what may be absent
	for i := range fields {
		f := &fields[i]
		within, all := f.Within, true
		if f.Optional && len(within) == 0 {
			within = []string{f.Name}
		}
		for _, name := range within {
			if _, chosen := there[name]; !chosen {
				there[name] = d.rand.IntN(3) > 0
			}
			all = all && there[name]
		}
		if all {
			out[i] = d.value(&f.Type)
		}
		if f.Optional && f.Type.Kind == machine.JSON && out[i].Text() == "null" {
			out[i] = machine.JSONValue("{}") // null would be absent
		}
	}
	return out
}

func (d *driver) value(t *machine.Type) machine.Value {
	switch t.Kind {
	case machine.Bool:
		return machine.BoolValue(d.rand.IntN(2) == 0)
	case machine.Int:
		return machine.IntValue(d.number(t, 10))
	case machine.DurationKind:
		return machine.DurationValue(time.Duration(d.number(t, int64(time.Minute))))
	case machine.Float:
		return machine.FloatValue([]float64{0, 1, -1.5, 1e300, 0.1, -1e308}[d.rand.IntN(6)])
	case machine.TimeKind:
		switch d.rand.IntN(12) {
		case 0:
			return machine.TimeValue(time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC))
		case 1:
			return machine.TimeValue(d.now.AddDate(d.rand.IntN(1000), 0, 0))
		}
		return machine.TimeValue(d.now.Add(time.Duration(d.rand.Int64N(int64(10*time.Hour)) - int64(time.Hour))))
	case machine.EnumKind:
		values := d.m.Definition().Enums[t.Enum].Values
		return machine.EnumValue(values[d.rand.IntN(len(values))])
	case machine.JSON:
		return machine.JSONValue([]string{"null", "{}", `[1,"<a>"]`}[d.rand.IntN(3)])
	case machine.RecordKind:
		return machine.RecordValue(d.values(t.Fields)...)
	case machine.ListKind:
		items := []machine.Value{}
		for range d.length(t) {
			items = append(items, d.value(t.Elem))
		}
		return machine.ListValue(items...)
	}
	return machine.StringValue([]string{"", "a", "b", "x y", "\u2028"}[d.rand.IntN(5)])
}

// length is one that a list of type t has most of the time.
func (d *driver) length(t *machine.Type) int {
	if t.Len == nil {
		return d.rand.IntN(4)
	}
	lo, hi := int(t.Len.Min), int(min(t.Len.Max, t.Len.Min+4))
	switch d.rand.IntN(12) {
	case 0:
		return max(0, lo-1)
	case 1:
		return hi + 1
	}
	return lo + d.rand.IntN(hi-lo+1)
}

// number lies in the range most of the time, often at its ends.
func (d *driver) number(t *machine.Type, usual int64) int64 {
	lo, hi := -usual, usual
	if t.Min != nil {
		lo, hi = *t.Min, *t.Max
	}
	switch d.rand.IntN(12) {
	case 0:
		return lo
	case 1:
		return hi
	case 2:
		if d.rand.IntN(3) == 0 {
			return hi + 1
		}
	case 3:
		if t.Min == nil && d.rand.IntN(3) == 0 {
			return []int64{-1 << 63, 1<<63 - 1}[d.rand.IntN(2)]
		}
	}
	return lo + int64(d.rand.Uint64N(uint64(hi-lo)+1))
}

// take gives the runtime's step an input, and the core what that makes of it.
func (d *driver) take(in machine.Input) {
	ask := d.host()
	next, commands, record, err := d.m.Step(d.old, in, d.now, ask)
	running := d.old.Status != machine.Finished && d.old.Status != machine.Halted
	at := d.now
	if at.Before(d.old.Now) {
		at = d.old.Now
	}
	d.trace = append(d.trace, fmt.Sprintf("%s %s %+v: %v", at.Format(time.RFC3339Nano), d.m.Describe(in), in, err))
	var rejected *machine.Rejected
	switch {
	case errors.As(err, &rejected) && beyond(err.Error()):
	case errors.As(err, &rejected):
		if in.Kind == machine.EventInput && running {
			d.wantRefused(in, at, ask)
		}
		if in.Kind == machine.StartInput && d.core.Start(in.Data, at, ask) == nil {
			d.fail("the core starts, the runtime says %v", err)
		}
	case err != nil: // the core cannot be asked
	case in.Kind == machine.StartInput:
		if err := d.core.Start(in.Data, at, ask); err != nil {
			d.fail("the core does not start: %v", err)
		}
		d.same(next, commands)
		d.sameReturned(record)
	case record == nil:
		if next != d.old { // deferred again
			d.wantTaken(in, machine.Arm{Kind: machine.DeferArm}, at, ask)
		}
	default:
		d.follow(record, next, commands, at, ask)
	}
	if err == nil {
		d.old = next
		d.visited[next.State] = true
	}
}

// follow gives the core the input of a step that was taken.
func (d *driver) follow(r *machine.Record, next *machine.Snapshot, commands []machine.Command, at time.Time, ask machine.Ask) {
	in := r.Input
	switch r.Effect {
	case machine.Moved, machine.Retried, machine.Stayed, machine.Ignored, machine.Deferred:
		d.wantTaken(in, d.m.Definition().Arms[r.Arm], at, ask)
		d.same(next, commands)
		d.sameReturned(r)
	case machine.Dropped:
		if d.old.Status == machine.Running {
			d.wantRefused(in, at, ask)
		}
	case machine.Stopped:
		if !in.Force && d.old.Status == machine.Running {
			d.wantRefused(in, at, ask)
		}
		d.apart = true
	case machine.HaltedBy:
		if beyond(r.Cause.String()) {
			d.apart = true
			return
		}
		d.wantRefused(in, at, ask)
	case machine.Ended:
	default:
		d.fail("the runtime says %s", r.Effect)
	}
}

// beyond reports whether an input is not taken because of what a core does not have:
// timers, waits, deferred events.
func beyond(cause string) bool {
	return slices.ContainsFunc([]string{"in timer ", "year 9999", "deferred events"}, func(s string) bool { return strings.Contains(cause, s) })
}

// wantTaken gives the core what it must take by an arm; it has one name for each
// list of events that are ignored, or deferred.
func (d *driver) wantTaken(in machine.Input, want machine.Arm, at time.Time, ask machine.Ask) {
	d.t.Helper()
	aside := want.Kind == machine.IgnoreArm || want.Kind == machine.DeferArm
	if arm, err := d.core.Take(in, at, ask); err != nil || arm != want.Name && (!aside || arm != string(want.Kind)) {
		d.fail("the core takes %q (%v), the runtime %q", arm, err, want.Name)
	}
}

// wantRefused gives the core what it must refuse, which changes nothing.
func (d *driver) wantRefused(in machine.Input, at time.Time, ask machine.Ask) {
	d.t.Helper()
	if arm, err := d.core.Take(in, at, ask); err == nil || err.Error() == "" {
		d.fail("the core takes %q, the runtime nothing", arm)
	}
	d.same(d.old, nil)
}

// host answers by the arguments; what it says changes from call to call.
func (d *driver) host() machine.Ask {
	salt := d.rand.IntN(3)
	return func(guard int, args []machine.Value) (bool, error) {
		h := fnv.New32a()
		text, _ := d.m.GuardArgs(guard, args)
		fmt.Fprint(h, guard, string(text), salt)
		if h.Sum32()%16 == 0 {
			return false, errors.New("no answer")
		}
		return h.Sum32()%2 == 0, nil
	}
}

// same compares where the two stand.
func (d *driver) same(s *machine.Snapshot, commands []machine.Command) {
	d.t.Helper()
	def := d.m.Definition()
	if got, want := d.core.State(), def.States[s.State].Path; got != want {
		d.fail("the core is in %q, the runtime in %q", got, want)
	}
	own := *s
	own.Data = d.core.Data()
	if got, want := d.m.EncodeData(&own), d.m.EncodeData(s); string(got) != string(want) {
		d.fail("data:\ncore    %s\nruntime %s", got, want)
	}
	if got := d.core.Counters(); !slices.Equal(got, s.Counters) {
		d.fail("counters:\ncore    %v\nruntime %v", got, s.Counters)
	}
	if got, want := d.show(d.core.Messages()), d.show(commands); got != want {
		d.fail("messages:\ncore    %s\nruntime %s", got, want)
	}
	if got, want := fmt.Sprint(d.core.Allowed()), fmt.Sprint(d.m.Allowed(s)); s.Status == machine.Running && got != want {
		d.fail("allowed: core %s, runtime %s", got, want)
	}
}

// sameReturned compares what the two return with a step.
func (d *driver) sameReturned(r *machine.Record) {
	d.t.Helper()
	if got := d.core.Returned(); !machine.ListValue(got...).Equal(machine.ListValue(r.Returns...)) {
		d.fail("returned:\ncore    %v\nruntime %v", got, r.Returns)
	}
}

func (d *driver) fail(format string, args ...any) {
	d.t.Helper()
	d.t.Fatalf(d.m.Definition().Name+": "+format+"\n%s", append(args, strings.Join(d.trace, "\n"))...)
}

// show is what is published.
func (d *driver) show(commands []machine.Command) string {
	var b strings.Builder
	for _, c := range commands {
		if c.Kind == machine.SendOut {
			payload, err := d.m.EncodePayload(c.Event, c.Data)
			if err != nil {
				payload = []byte(err.Error())
			}
			fmt.Fprintf(&b, "event %d %s\n", c.Event, payload)
		}
	}
	return b.String()
}
