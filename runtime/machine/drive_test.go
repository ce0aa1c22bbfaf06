package machine_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

// A drive takes a machine through a run and checks at every step what must
// always hold: the snapshot before is unchanged, the one after reads back the
// same, and the records replay to it.
type drive struct {
	t        testing.TB
	m        *machine.Machine
	s        *machine.Snapshot
	now      time.Time
	ask      machine.Ask
	records  []*machine.Record
	commands []machine.Command // of the last input
	last     []*machine.Record // of the last input
}

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// begin starts a run with parameters as JSON.
func begin(t testing.TB, m *machine.Machine, parameters string) *drive {
	t.Helper()
	r := &drive{t: t, m: m, s: m.NewSnapshot("r", 7), now: epoch}
	values, err := m.DecodeParams(json.RawMessage(parameters))
	must(t, err)
	r.must(machine.Input{Kind: machine.StartInput, Data: values})
	return r
}

func (r *drive) must(in machine.Input) {
	r.t.Helper()
	if err := r.take(in); err != nil {
		r.t.Fatalf("%s: %v", r.m.Describe(in), err)
	}
}

func (r *drive) take(in machine.Input) error {
	r.t.Helper()
	before := string(r.m.EncodeSnapshot(r.s))
	next, commands, records, err := r.m.Advance(r.s, in, r.now, r.ask)
	if after := string(r.m.EncodeSnapshot(r.s)); after != before {
		r.t.Fatalf("the snapshot before was changed\nfrom %s\nto   %s", before, after)
	}
	r.commands, r.last = commands, records
	r.records = append(r.records, records...)
	r.s = next
	r.check()
	return err
}

func (r *drive) settle() {
	r.t.Helper()
	next, commands, records, err := r.m.Settle(r.s, r.now, r.ask)
	must(r.t, err)
	r.s, r.commands, r.last = next, commands, records
	r.records = append(r.records, records...)
	r.check()
}

func (r *drive) check() {
	r.t.Helper()
	encoded := string(r.m.EncodeSnapshot(r.s))
	decoded, err := r.m.DecodeSnapshot(json.RawMessage(encoded))
	if err != nil {
		r.t.Fatalf("%v\n%s", err, encoded)
	}
	if again := string(r.m.EncodeSnapshot(decoded)); again != encoded {
		r.t.Fatalf("the snapshot reads back otherwise\nfrom %s\nto   %s", encoded, again)
	}
	var records []*machine.Record
	for _, record := range r.records {
		decoded, err := r.m.DecodeRecord(r.m.EncodeRecord(record))
		must(r.t, err)
		records = append(records, decoded)
	}
	replayed, err := r.m.Replay(r.s.Run, r.s.Seed, records)
	must(r.t, err)
	if got := string(r.m.EncodeSnapshot(replayed)); got != encoded {
		r.t.Fatalf("replay differs\ngot  %s\nwant %s", got, encoded)
	}
	for a, n := range r.s.Counters {
		if arm := &r.m.Definition().Arms[a]; arm.Max != nil && n > *arm.Max {
			r.t.Fatalf("counter of %s is %d", arm.Name, n)
		}
	}
}

// pass lets time go by and fires what is due.
func (r *drive) pass(d string) {
	r.t.Helper()
	r.now = r.now.Add(Duration(d))
	r.settle()
}

func (r *drive) event(name, data string) machine.Input {
	r.t.Helper()
	e, ok := r.m.Event(name)
	if !ok {
		r.t.Fatalf("no event %s", name)
	}
	values, err := r.m.DecodePayload(e, json.RawMessage(data))
	must(r.t, err)
	return machine.Input{Kind: machine.EventInput, Event: e, Data: values}
}

// send sends an event: "Name" or "Name {json}".
func (r *drive) send(text string) {
	r.t.Helper()
	name, data, _ := strings.Cut(text, " ")
	r.must(r.event(name, data))
}

// refused sends an event that must be refused, and gives the error.
func (r *drive) refused(text string) *machine.Rejected {
	r.t.Helper()
	before := string(r.m.EncodeSnapshot(r.s))
	name, data, _ := strings.Cut(text, " ")
	err := r.take(r.event(name, data))
	var rejected *machine.Rejected
	if !errors.As(err, &rejected) {
		r.t.Fatalf("%s: %v, not a rejection", text, err)
	}
	if after := string(r.m.EncodeSnapshot(r.s)); after != before {
		r.t.Fatalf("%s: a refused event changed the run", text)
	}
	return rejected
}

// attempt is the open task of the activity, by its name or its label.
func (r *drive) attempt(activity string) machine.Input {
	r.t.Helper()
	for _, task := range r.s.Tasks {
		do := &r.m.Definition().Dos[task.Do]
		if name := r.m.Definition().Activities[do.Activity].Name; (name == activity || do.Label == activity) && task.State == machine.TaskOpen {
			return machine.Input{Do: task.Do, Key: task.Key, Attempt: task.Attempt, Event: -1}
		}
	}
	r.t.Fatalf("%s has no open attempt", activity)
	return machine.Input{}
}

// result ends the open attempt of an activity: "Name {json}", or "" for
// nothing to say.
func (r *drive) result(activity, text string) {
	r.t.Helper()
	in := r.attempt(activity)
	in.Kind = machine.ResultInput
	if name, data, _ := strings.Cut(text, " "); name != "" {
		e := r.event(name, data)
		in.Event, in.Data = e.Event, e.Data
	}
	r.must(in)
}

func (r *drive) fail(activity, category string) {
	r.t.Helper()
	in := r.attempt(activity)
	in.Kind, in.Message = machine.FailureInput, "boom"
	in.Category = categoryOf(r.m, category)
	r.must(in)
}

// at checks the state, and data as JSON where it is given.
func (r *drive) at(path string, data ...string) {
	r.t.Helper()
	if got := r.m.Definition().States[r.s.State].Path; got != path {
		r.t.Fatalf("in state %q (%s %+v), not %q", got, r.s.Status, r.s.Halt, path)
	}
	if len(data) > 0 {
		if got := string(r.m.EncodeData(r.s)); got != data[0] {
			r.t.Fatalf("data is %s, not %s", got, data[0])
		}
	}
}

// effects checks what the last input did, as "moved moved".
func (r *drive) effects(want string) {
	r.t.Helper()
	var got []string
	for _, record := range r.last {
		got = append(got, string(record.Effect))
	}
	if strings.Join(got, " ") != want {
		r.t.Fatalf("effects %v, not %q", got, want)
	}
}

// did checks the commands of the last input, one word each.
func (r *drive) did(want string) {
	r.t.Helper()
	var got []string
	for i := range r.commands {
		got = append(got, r.word(&r.commands[i]))
	}
	if text := strings.Join(got, " "); text != want {
		r.t.Fatalf("commands\n%s\nnot\n%s", text, want)
	}
}

func (r *drive) word(c *machine.Command) string {
	r.t.Helper()
	text := string(c.Kind)
	switch c.Kind {
	case machine.StartTask, machine.CancelTask, machine.EndTask, machine.ReadyTask:
		text += fmt.Sprintf(":%s#%d", c.Task.Key, c.Task.Attempt)
		if !c.Task.NotBefore.IsZero() {
			text += "+" + c.Task.NotBefore.Sub(r.now).String()
		}
	case machine.SetTimer:
		text += ":" + machine.DelayText(r.m, c.Timer) + "+" + c.Due.Sub(r.now).String()
	case machine.DropTimer:
		text += ":" + machine.DelayText(r.m, c.Timer)
	case machine.SendOut:
		data, err := r.m.EncodePayload(c.Event, c.Data)
		must(r.t, err)
		text += ":" + r.m.Definition().Events[c.Event].Name + string(data) + c.Message
	case machine.Finish:
		text += ":" + string(c.Outcome)
	}
	return text
}

// halted checks that the run stands still, and why.
func (r *drive) halted(why string) {
	r.t.Helper()
	if r.s.Status != machine.Halted || !strings.Contains(r.s.Halt.Cause.String(), why) {
		r.t.Fatalf("status %s, halt %+v; not halted with %q", r.s.Status, r.s.Halt, why)
	}
}

func eventOf(m *machine.Machine, name string) int {
	i, _ := m.Event(name)
	return i
}

func categoryOf(m *machine.Machine, name string) int {
	i, _ := m.Category(name)
	return i
}
