// Package replay performs a witness on the runtime's own step, and finds values for what
// it leaves open. What cannot be performed there is not printed as a refutation. It has
// these parts:
//
//   - witness.go says when a witness is a run, search.go tries the ways in which it may be
//     one, choose.go the values, timetable.go the times.
//   - run.go is a run on runtime/machine: whatever an input does, the step does there. What a
//     witness decides beside its inputs is put into it: answers of guards, and (waits.go) waits
//     within their jitter.
//   - children.go says what the machines are given that the run calls, and how they end.
//   - elements.go says which element of a fan-out an input is of.
//   - lap.go says when a cycle can be gone round for ever, recalled.go whether the data is
//     what was guessed of it.
//   - book.go, lengths.go and value.go look up what the text of the machine says.
package replay

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// run is a run of the machine in the book. Times are nanoseconds since its start.
type run struct {
	book    *book
	s       *machine.Snapshot
	leaf    *ir.State // nil before the start
	now     int64
	params  []machine.Value // and the run's own values: see ir.Machine.Inputs
	started []int64         // by do: when its attempt begins, or has begun

	elements map[int]*elements             // of the fan-outs of the visit, by do
	handed   map[attemptKey]map[string]any // of the machines that it has called, as they started

	lap   lap     // after the first round of the loop
	over  int64   // when that round ended
	slow  bool    // jitter makes waits as long as they can be, not as short
	plan  *player // whose times the run keeps to, where it has any
	row   int     // of the witness: the input that is taken; -1 at the start, which is none of its rows
	round int     // how often the loop has been gone round
	at    int64   // when that comes, where it is said
	steps int     // how many checkpoints there were
}

// epoch is when every replayed run starts.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newRun(b *book, params []machine.Value) *run {
	id := "r"
	if v := b.m.OwnVar(ir.RunID); v != nil {
		id = params[v.Index].Text()
	}
	return &run{book: b, s: b.x.NewSnapshot(id, 7), params: params, row: -1, started: make([]int64, len(b.m.Dos))}
}

// clone is a copy that shares nothing that a step changes: a snapshot is never changed.
func (r *run) clone() *run {
	c := *r
	c.started, c.elements, c.handed = slices.Clone(r.started), r.cloneElements(), maps.Clone(r.handed)
	return &c
}

func (r *run) value(v *ir.Var) machine.Value {
	if v.Param {
		return r.params[v.Index]
	}
	return r.s.Data[v.Index]
}

// since is a time of the snapshot as one of the run.
func since(t time.Time) int64 { return int64(t.Sub(epoch)) }

// input is what comes.
type input struct {
	ir.Case
	silent   *ir.Do // an activity that ends with nothing to say
	element  int    // of a fan-out: which one says it
	deferred bool   // the event that was deferred first and not looked at yet
	data     map[string]machine.Value
	guards   map[string]bool
	arm      *ir.Arm  // the one that takes it; nil where that is not known
	overs    []string // the costs whose over_budget comes right behind it
}

// errRefused says that nothing takes an input: one from outside is refused, and
// one from inside halts the run.
var errRefused = errors.New("nothing takes it")

// errOther says that an input is taken otherwise than the witness says.
var errOther = errors.New("another arm takes it")

// errTooLarge says that a run goes beyond the limits of the runtime. Other values do not
// help.
var errTooLarge = errors.New("the run would be too large")

// start begins the run.
func (r *run) start(guards map[string]bool) error {
	return r.step(machine.Input{Kind: machine.StartInput, Data: r.params[:len(r.book.m.Params)]}, guards, nil)
}

// take performs in. Where there is an error the run is as it was.
func (r *run) take(in *input) error {
	before := *r
	if in.silent == nil && in.Kind == ir.CaseOverBudget {
		if err := r.pass(in); err != nil {
			return err
		}
	}
	given, err := r.given(in)
	if err != nil {
		return err
	}
	if err = r.step(given, in.guards, in.arm); err != nil {
		*r = before
	}
	return err
}

// given is in as the step takes it.
func (r *run) given(in *input) (machine.Input, error) {
	if in.deferred {
		next, due := r.next()
		if !due || next.Kind != machine.KeptInput {
			return next, errors.New("no deferred event is due")
		}
		return next, nil
	}
	out := machine.Input{Event: -1}
	switch {
	case in.silent != nil, in.Kind == ir.CaseResult:
		out.Kind = machine.ResultInput
	case in.Kind == ir.CaseEvent:
		out.Kind = machine.EventInput
	case in.Kind == ir.CaseFailure:
		out.Kind, out.Category = machine.FailureInput, in.Category.Index
	case in.Kind == ir.CaseTimer:
		out.Kind, out.Timer = machine.TimerInput, in.Timer.ID
	case in.Kind == ir.CaseDone:
		out.Kind = machine.DoneInput
	case in.Kind == ir.CaseCancel:
		out.Kind = machine.CancelInput
	case in.Kind == ir.CaseOverBudget:
		out.Kind, out.Over = machine.OverBudgetInput, in.Cost
	}
	if in.silent == nil && (in.Kind == ir.CaseResult || in.Kind == ir.CaseEvent) {
		out.Event = in.Event.Index
		for _, f := range in.Event.Fields {
			out.Data = append(out.Data, in.data[f.Name])
		}
	}
	if out.Kind == machine.ResultInput || out.Kind == machine.FailureInput {
		t := r.attemptOf(in)
		if t == nil {
			return out, errRefused
		}
		out.Do, out.Index, out.Key, out.Attempt = t.Do, t.Index, t.Key, t.Attempt
		if len(in.overs) > 0 {
			out.Cost = r.report(r.book.m.Dos[t.Do].Activity, in.overs)
		}
	}
	return out, nil
}

func (r *run) clock() time.Time { return epoch.Add(time.Duration(r.now)) }

// next is what comes before anything else, if something does.
func (r *run) next() (machine.Input, bool) { return r.book.x.Next(r.s, r.clock()) }

// step takes an input on the runtime's step; arm is the one that must take it, if any.
func (r *run) step(in machine.Input, guards map[string]bool, arm *ir.Arm) error {
	a := answers{book: r.book, guards: guards, given: map[string]bool{}}
	next, commands, record, err := r.book.x.Step(r.s, in, r.clock(), a.ask)
	var refused *machine.Rejected
	switch {
	case a.err != nil:
		return a.err
	case errors.As(err, &refused) && refused.Cause != nil:
		return faultOf(refused.Cause)
	case err != nil:
		return err
	case next.Status == machine.Halted:
		return faultOf(next.Halt.Cause)
	case record != nil && arm != nil && record.Arm != arm.ID:
		return errOther
	}
	if record != nil && record.Effect == machine.Moved || next.State != r.s.State {
		r.elements = nil
	}
	r.begin(next, commands, record)
	r.s, r.leaf = next, r.book.m.States[next.State]
	return nil
}

// faultOf is why a step was not taken.
func faultOf(c *machine.Cause) error {
	switch c.Code {
	case machine.NothingTakes, machine.NotTaken, machine.RefusedByMachine:
		return errRefused
	case machine.TooManyDeferred, machine.DeferredTooLarge, machine.StringTooLong, machine.ListTooLarge, machine.DataTooLarge,
		machine.RunTooLarge, machine.JSONTooLarge, machine.JSONTooDeep:
		return fmt.Errorf("%w: %s", errTooLarge, c)
	}
	return &stepError{c}
}

// stepError says that a step cannot be computed, and why.
type stepError struct{ cause *machine.Cause }

func (e *stepError) Error() string { return e.cause.String() }

// begin puts the waits that begin with a step where the witness wants them.
func (r *run) begin(next *machine.Snapshot, commands []machine.Command, record *machine.Record) {
	owned := false
	for i := range commands {
		switch c := &commands[i]; c.Kind {
		case machine.StartTask:
			if r.book.m.Dos[c.Task.Do].Fan != nil {
				r.setStart(next, &c.Task)
				continue
			}
			r.started[c.Task.Do] = r.now
			if record.Effect != machine.Retried {
				continue
			}
			wait := record.Wait
			if r.book.m.Arms[record.Arm].Backoff == nil || r.book.m.Arms[record.Arm].Backoff.By == nil {
				share := 1.0
				if r.slow {
					share = 0
				}
				wait = r.book.x.RetryWait(record.Arm, record.Count, share)
			}
			r.started[c.Task.Do] += int64(wait)
		case machine.SetTimer:
			t := r.book.m.Timers[c.Timer]
			if t.Jitter == nil {
				continue
			}
			if !owned {
				next.Alarms, owned = slices.Clone(next.Alarms), true
			}
			at := slices.IndexFunc(next.Alarms, func(a machine.Alarm) bool { return a.Timer == c.Timer })
			a := &next.Alarms[at]
			least := int64(a.Wait)
			if a.Wait == 0 { // it does not start again
				least = r.least(t, next)
			}
			wait := r.jittered(t, least)
			a.Due = record.At.Add(time.Duration(wait))
		}
	}
}

// answers are those of host guards in one step: what the witness says of the call, or what
// was answered to the same question before. The two must agree.
type answers struct {
	book   *book
	guards map[string]bool // by the text of the call
	given  map[string]bool // by guard and arguments
	err    error
}

func (a *answers) ask(call int, args []machine.Value) (bool, error) {
	text := a.book.asks[call]
	name, _, _ := strings.Cut(text, "(")
	question := name
	for _, v := range args {
		question += "\x00" + key(v)
	}
	before, asked := a.given[question]
	answer, said := a.guards[text]
	switch {
	case asked && !said:
		answer = before
	case asked && answer != before:
		a.err = fmt.Errorf("%q is answered in two ways", name)
		return false, a.err
	}
	a.given[question] = answer
	return answer, nil
}

// attemptOf is the attempt that in is of, or nil.
func (r *run) attemptOf(in *input) *machine.Task {
	d := in.Do
	if in.silent != nil {
		d = in.silent
	}
	for i := range r.s.Tasks {
		if t := &r.s.Tasks[i]; d != nil && t.Do == d.ID && t.State == machine.TaskOpen && (d.Fan == nil || t.Index == in.element) {
			return t
		}
	}
	return nil
}

// pending is the event that was deferred first and not looked at yet, or nil.
func (r *run) pending() *machine.Kept {
	if r.s.KeptNext == len(r.s.Kept) {
		return nil
	}
	return &r.s.Kept[r.s.KeptNext]
}
