// Package diff holds the generated core and the interpreter together: both are
// given the same random inputs, and must come to the same snapshots and
// commands.
package diff

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// Subject is a run on a generated core, seen through the interpreter's types.
type Subject interface {
	Step(in runtime.Input, now time.Time, ask runtime.Ask) error
	Settle(now time.Time, ask runtime.Ask) error
	Snapshot() *runtime.Snapshot
	JSON() ([]byte, error) // of the core itself
	Commands() []runtime.Command
	Next(now time.Time) (runtime.Input, bool)
	Allowed() []int
}

// How a core's Step may end, beside nil.
var (
	ErrRefused = errors.New("refused")
	ErrOther   = errors.New("other")
)

// Execution is the number of the step in an idempotency key.
func Execution(key string) int64 {
	n, err := strconv.ParseInt(key[strings.LastIndexByte(key, '/')+1:], 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// Key is the other way round.
func Key(m *runtime.Machine, run string, do int, execution int64) string {
	return run + "/" + m.Definition().Dos[do].Name + "/" + strconv.FormatInt(execution, 10)
}

// Run drives runs of both with random inputs.
func Run(t *testing.T, m *runtime.Machine, subject func(run string, seed uint64) Subject, runs, steps int) {
	visited := map[int]bool{}
	for i := range runs {
		d := &driver{t: t, m: m, rand: rand.New(rand.NewPCG(uint64(i), 7)), visited: visited}
		seed := d.rand.Uint64()
		d.old, d.new = m.NewSnapshot("run", seed), subject("run", seed)
		d.now = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
		d.take(runtime.Input{Kind: runtime.StartInput, Data: d.values(m.Definition().Params)})
		for range steps {
			d.step()
			if t.Failed() {
				return
			}
		}
	}
	for s := range m.Definition().States {
		if m.Definition().States[s].Kind != runtime.CompositeState && !visited[s] {
			t.Logf("%s: state %q was never entered", m.Definition().Name, m.Definition().States[s].Path)
		}
	}
}

type driver struct {
	t       *testing.T
	m       *runtime.Machine
	rand    *rand.Rand
	old     *runtime.Snapshot
	new     Subject
	now     time.Time
	visited map[int]bool
	trace   []string
}

func (d *driver) step() {
	d.now = d.now.Add(time.Duration(d.rand.Int64N(int64(20 * time.Second))))
	if d.rand.IntN(12) == 0 {
		d.now = d.now.Add(time.Duration(d.rand.Int64N(int64(50 * time.Hour))))
	}
	a, okA := d.m.Next(d.old, d.now)
	b, okB := d.new.Next(d.now)
	if okA != okB || string(a.Kind) != string(b.Kind) || a.Timer != b.Timer && a.Kind == runtime.TimerInput {
		d.t.Fatalf("Next: interpreter %v %v, core %v %v\n%s", a, okA, b, okB, strings.Join(d.trace, "\n"))
	}
	switch n := d.rand.IntN(10); {
	case n < 2:
		d.settle()
	case okA && n < 8:
		d.take(a)
	default:
		d.take(d.input())
	}
}

// input is one that the run may be given, most of the time.
func (d *driver) input() runtime.Input {
	def := d.m.Definition()
	var open []runtime.Task
	for _, task := range d.old.Tasks {
		if task.State == runtime.TaskOpen || d.rand.IntN(20) == 0 {
			open = append(open, task)
		}
	}
	switch n := d.rand.IntN(20); {
	case n == 0 && d.rand.IntN(4) == 0:
		return runtime.Input{Kind: runtime.CancelInput, Force: d.rand.IntN(2) == 0}
	case n == 1 && len(def.Timers) > 0:
		return runtime.Input{Kind: runtime.TimerInput, Timer: d.rand.IntN(len(def.Timers))}
	case n == 2:
		return runtime.Input{Kind: runtime.DoneInput}
	case n < 13 && len(open) > 0:
		return d.result(open[d.rand.IntN(len(open))])
	case len(def.Events) > 0:
		e := d.rand.IntN(len(def.Events))
		if allowed := d.m.Allowed(d.old); len(allowed) > 0 && d.rand.IntN(4) > 0 {
			e = allowed[d.rand.IntN(len(allowed))]
		}
		return runtime.Input{Kind: runtime.EventInput, Event: e, Data: d.values(def.Events[e].Fields)}
	}
	return runtime.Input{Kind: runtime.DoneInput}
}

func (d *driver) result(task runtime.Task) runtime.Input {
	def := d.m.Definition()
	activity := &def.Activities[def.Dos[task.Do].Activity]
	in := runtime.Input{Kind: runtime.ResultInput, Event: -1, Do: task.Do, Key: task.Key, Attempt: task.Attempt}
	if d.rand.IntN(15) == 0 {
		in.Attempt++
	}
	switch {
	case d.rand.IntN(3) == 0:
		in.Kind, in.Category, in.Message = runtime.FailureInput, d.rand.IntN(len(def.Categories)), "it broke"
	case d.rand.IntN(15) == 0 && len(def.Events) > 0:
		in.Event = d.rand.IntN(len(def.Events))
		in.Data = d.values(def.Events[in.Event].Fields)
	case len(activity.Results) > 0 && d.rand.IntN(15) > 0:
		in.Event = activity.Results[d.rand.IntN(len(activity.Results))]
		in.Data = d.values(def.Events[in.Event].Fields)
	}
	return in
}

func (d *driver) values(fields []runtime.Field) []runtime.Value {
	out := make([]runtime.Value, len(fields))
	for i := range fields {
		out[i] = d.value(&fields[i].Type)
	}
	return out
}

func (d *driver) value(t *runtime.Type) runtime.Value {
	switch t.Kind {
	case runtime.Bool:
		return runtime.BoolValue(d.rand.IntN(2) == 0)
	case runtime.Int:
		return runtime.IntValue(d.number(t, 10))
	case runtime.DurationKind:
		return runtime.DurationValue(time.Duration(d.number(t, int64(time.Minute))))
	case runtime.Float:
		return runtime.FloatValue([]float64{0, 1, -1.5, 1e300, 0.1, -1e308}[d.rand.IntN(6)])
	case runtime.TimeKind:
		switch d.rand.IntN(12) {
		case 0:
			return runtime.TimeValue(time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC))
		case 1:
			return runtime.TimeValue(d.now.AddDate(d.rand.IntN(1000), 0, 0))
		}
		return runtime.TimeValue(d.now.Add(time.Duration(d.rand.Int64N(int64(10*time.Hour)) - int64(time.Hour))))
	case runtime.EnumKind:
		values := d.m.Definition().Enums[t.Enum].Values
		return runtime.EnumValue(values[d.rand.IntN(len(values))])
	case runtime.JSON:
		return runtime.JSONValue([]string{"null", "{}", `[1,"<a>"]`}[d.rand.IntN(3)])
	case runtime.ListKind:
		items := []runtime.Value{}
		for range d.rand.IntN(4) {
			items = append(items, d.value(t.Elem))
		}
		return runtime.ListValue(items...)
	}
	return runtime.StringValue([]string{"", "a", "b", "x y", "\u2028"}[d.rand.IntN(5)])
}

// number lies in the range most of the time, often at its ends.
func (d *driver) number(t *runtime.Type, usual int64) int64 {
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

func (d *driver) take(in runtime.Input) {
	ask := d.host()
	next, commands, _, errA := d.m.Step(d.old, in, d.now, ask)
	errB := d.new.Step(in, d.now, ask)
	d.compare(fmt.Sprintf("%s in %d %+v", d.m.Describe(in), d.old.State, in), next, commands, errA, errB)
}

func (d *driver) settle() {
	ask := d.host()
	next, commands, _, errA := d.m.Settle(d.old, d.now, ask)
	errB := d.new.Settle(d.now, ask)
	d.compare("settle", next, commands, errA, errB)
}

// host answers by the arguments; what it says changes from call to call.
func (d *driver) host() runtime.Ask {
	salt := d.rand.IntN(3)
	return func(guard int, args []runtime.Value) (bool, error) {
		h := fnv.New32a()
		fmt.Fprint(h, guard, args, salt)
		if h.Sum32()%16 == 0 {
			return false, errors.New("no answer")
		}
		return h.Sum32()%2 == 0, nil
	}
}

// compare holds what the two came to against each other.
func (d *driver) compare(what string, next *runtime.Snapshot, commands []runtime.Command, errA, errB error) {
	d.trace = append(d.trace, fmt.Sprintf("%s %s: %v | %v", d.now.Format(time.RFC3339Nano), what, errA, errB))
	var rejected *runtime.Rejected
	switch {
	case (errA == nil) != (errB == nil), errors.As(errA, &rejected) != errors.Is(errB, ErrRefused),
		errors.Is(errA, runtime.ErrFenced) != errors.Is(errB, runtime.ErrFenced):
		d.fail("errors: interpreter %v, core %v", errA, errB)
	}
	if errA == nil {
		d.old = next
	}
	if d.old.State >= 0 {
		d.visited[d.old.State] = true
	}
	if a, b := d.encode(d.old), d.encode(d.new.Snapshot()); !bytes.Equal(a, b) {
		d.fail("snapshots:\ninterpreter %s\ncore        %s", a, b)
	}
	d.compareJSON()
	if errA == nil {
		if a, b := d.show(commands), d.show(d.new.Commands()); a != b {
			d.fail("commands:\ninterpreter %s\ncore        %s", a, b)
		}
	}
	if a, b := fmt.Sprint(d.m.Allowed(d.old)), fmt.Sprint(d.new.Allowed()); a != b {
		d.fail("allowed: interpreter %s, core %s", a, b)
	}
}

// compareJSON holds what the core writes of itself against what the runtime
// writes; of a halted run without the words of the halt, which are their own.
func (d *driver) compareJSON() {
	b, err := d.new.JSON()
	if err != nil {
		d.fail("json: %v", err)
	}
	a := []byte(d.m.EncodeSnapshot(d.old))
	if d.old.Halt != nil {
		cut := func(json []byte) []byte {
			before, _, _ := bytes.Cut(json, []byte(`,"halt":`))
			if !bytes.Contains(json, []byte(`,"input":{"kind":"`+string(d.old.Halt.Input.Kind)+`"`)) {
				d.fail("no input in the halt: %s", json)
			}
			return before
		}
		a, b = cut(a), cut(b)
	}
	if !bytes.Equal(a, b) {
		d.fail("json:\ninterpreter %s\ncore        %s", a, b)
	}
}

func (d *driver) fail(format string, args ...any) {
	d.t.Helper()
	d.t.Fatalf(d.m.Definition().Name+": "+format+"\n%s", append(args, strings.Join(d.trace, "\n"))...)
}

// encode is the snapshot without the words of a halt.
func (d *driver) encode(s *runtime.Snapshot) []byte {
	plain := *s
	if s.Halt != nil {
		halt := *s.Halt
		halt.Cause, halt.Input.Message, halt.Input.Data = nil, "", nil
		plain.Halt = &halt
	}
	return d.m.EncodeSnapshot(&plain)
}

func (d *driver) show(commands []runtime.Command) string {
	var b strings.Builder
	for _, c := range commands {
		fmt.Fprintf(&b, "%s %v timer %d %s event %d %v %s\n", c.Kind, c.Task, c.Timer, c.Due.Format(time.RFC3339Nano), c.Event, c.Data, c.Message)
	}
	return b.String()
}
