package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/converter"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/enginetest"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// player plays one tape in the test environment of the SDK, whose time is virtual, too.
type player struct {
	tape    *enginetest.Tape
	machine *machine.Machine
	env     *testsuite.TestWorkflowEnvironment
	limits  *limitServer

	mu       sync.Mutex
	over     bool // nothing counts that comes later
	calls    map[string]int
	attempts []string
	messages map[string][]string
}

// play gives what has become of a tape: as far as the workflow lasts, which ends with its run. With renew the
// run goes on in a new execution of the workflow as often as it can.
func play(t *testing.T, tape *enginetest.Tape, renew bool) (trace *enginetest.Trace, renewals int) {
	p := &player{tape: tape, machine: tape.Machines[len(tape.Machines)-1], calls: map[string]int{}, messages: map[string][]string{}, limits: &limitServer{limiters: map[string]*temporal.Limiter{}}}
	trace = &enginetest.Trace{Answers: make([]string, 1+len(tape.Acts)), Runs: map[string]enginetest.RunTrace{}}
	begin := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // with which bubbles of synctest begin
	now, acted := begin, make([]bool, len(tape.Acts))
	in := temporal.Input{Definition: p.machine.Definition().Encode(), Params: tape.Params}
	callees := make([]temporal.Callee, len(tape.Machines)-1)
	for i, m := range tape.Machines[:len(callees)] {
		callees[i] = temporal.Callee{Machine: m, Handlers: p.tape.Handlers(m, p.called)}
		in.Callees = append(in.Callees, m.Definition().Encode())
	}
	run := enginetest.RunTrace{}
	for {
		p.env = quiet()
		p.limits = &limitServer{env: p.env, limiters: p.limits.limiters} // what an attempt of the execution before still says, that one hears
		if err := temporal.Register(p.env, temporal.Worker{Name: enginetest.Worker, Machine: p.machine, Handlers: p.tape.Handlers(p.machine, p.called), Outbox: p.deliver, Client: p.limits, Callees: callees}); err != nil {
			t.Fatal(err)
		}
		p.env.SetStartTime(now)
		p.env.SetWorkflowRunTimeout(1000 * time.Hour)
		p.env.SetStartWorkflowOptions(startOptions)
		p.env.SetContinueAsNewSuggested(renew)
		for id := range p.limits.limiters { // whose rate opens in this execution
			p.env.RegisterDelayedCallback(func() { p.limits.hand(id) }, 0)
		}
		for i := range tape.Acts {
			if !acted[i] {
				p.env.RegisterDelayedCallback(func() {
					acted[i] = true
					p.act(&tape.Acts[i], &trace.Answers[1+i])
				}, begin.Add(tape.Acts[i].At).Sub(now))
			}
		}
		var children []string // of this execution: it is not left while one goes on
		p.env.SetOnChildWorkflowStartedListener(func(of *workflow.Info, _ workflow.Context, _ converter.EncodedValues) {
			children = append(children, of.WorkflowExecution.ID)
		})
		var history []json.RawMessage
		var snapshot json.RawMessage
		look := func() {
			history, snapshot = p.look(t, "")
			for _, id := range children {
				h, s := p.look(t, id)
				trace.Runs[id] = enginetest.RunTrace{Snapshot: string(s), History: texts(h)}
			}
		}
		p.env.RegisterDelayedCallback(func() {
			look()
			p.mu.Lock()
			p.over = true
			p.mu.Unlock()
			if len(callees) > 0 { // children that do not end by themselves would hold the environment
				p.env.UpdateWorkflow(temporal.UpdateSteer, "", &callback{func(any, error) {}}, temporal.Steer{Kind: machine.CancelInput, Force: true})
			}
		}, begin.Add(tape.Lasts).Sub(now))
		p.env.ExecuteWorkflow(temporal.WorkflowType, in)
		if !p.over && p.env.IsWorkflowCompleted() {
			look()
		}
		run.History = append(run.History, texts(history)...)
		run.Snapshot = string(snapshot)
		next, ok := continued(t, p.env.GetWorkflowError())
		at := p.env.Now()
		if ok {
			renewals++
		} else if !p.over {
			if next, at, ok = p.again(t, run.Snapshot, begin, acted); ok {
				retries++
			}
		}
		if !ok || p.over {
			break
		}
		in, now = next, at
	}
	if len(run.History) > 0 {
		trace.Runs[enginetest.Run] = run
	} else {
		var refusal *sdk.ApplicationError
		if !errors.As(p.env.GetWorkflowError(), &refusal) {
			t.Fatal(p.env.GetWorkflowError())
		}
		trace.Answers[0] = refusal.Message()
	}
	trace.Attempts, trace.Messages = slices.Sorted(slices.Values(p.attempts)), p.messages
	return trace, renewals
}

// again is the input of the execution that the next retry starts, as a client does: of a run that has ended in failure,
// and is no child. Nothing else is taken until then.
func (p *player) again(t *testing.T, snapshot string, begin time.Time, acted []bool) (in temporal.Input, at time.Time, ok bool) {
	var s struct{ Outcome machine.Outcome }
	if json.Unmarshal([]byte(snapshot), &s) != nil || s.Outcome != machine.Failed {
		return in, at, false
	}
	for i := range p.tape.Acts {
		act := &p.tape.Acts[i]
		if acted[i] {
			continue
		}
		acted[i] = true
		if act.Kind != machine.RetryInput {
			continue
		}
		value, err := p.env.QueryWorkflow(temporal.QueryAgain)
		if err == nil {
			err = value.Get(&in)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, known := p.machine.State(in.Continued.Left); known {
			in.Continued.Retry = &temporal.Again{Actor: act.Actor, Reason: act.Reason}
			return in, begin.Add(act.At), true
		}
	}
	return in, at, false
}

// continued is what the next execution starts with.
func continued(t *testing.T, err error) (in temporal.Input, ok bool) {
	var next *workflow.ContinueAsNewError
	if !errors.As(err, &next) {
		return in, false
	}
	if err := converter.GetDefaultDataConverter().FromPayloads(next.Input, &in); err != nil {
		t.Fatal(err)
	}
	return in, true
}

func texts(records []json.RawMessage) (all []string) {
	for _, record := range records {
		all = append(all, string(record))
	}
	return all
}

// look asks the run what there is, as a client does, or a child of it.
func (p *player) look(t *testing.T, child string) (history []json.RawMessage, snapshot json.RawMessage) {
	for what, into := range map[string]any{temporal.QueryHistory: &history, temporal.QuerySnapshot: &snapshot} {
		args := []any{}
		if what == temporal.QueryHistory {
			args = []any{0, 1 << 20}
		}
		var value converter.EncodedValue
		var err error
		if child != "" {
			value, err = p.env.QueryWorkflowByID(child, what, args...)
		} else {
			value, err = p.env.QueryWorkflow(what, args...)
		}
		if err == nil {
			err = value.Get(into)
		}
		if err != nil && p.env.GetWorkflowError() == nil {
			t.Error(err)
		}
	}
	return history, snapshot
}

func (p *player) act(a *enginetest.Act, answer *string) {
	name, arg := temporal.UpdateSend, any(a.Event)
	switch a.Kind {
	case machine.EventInput:
	case machine.CompleteRefused:
		name, arg = temporal.UpdateComplete, a.Completion
	default:
		name, arg = temporal.UpdateSteer, temporal.Steer{Kind: a.Kind, Force: a.Force, Actor: a.Actor, Reason: a.Reason}
	}
	say := func(text string) {
		if !p.over { // what is answered only because the test ends the run does not count
			*answer = text
		}
	}
	failed := func(err error) {
		var refusal *sdk.ApplicationError
		if errors.As(err, &refusal) {
			say(refusal.Message())
			return
		}
		say(err.Error())
	}
	p.env.UpdateWorkflow(name, "", &testsuite.TestUpdateCallback{OnAccept: func() {}, OnReject: failed, OnComplete: func(view any, err error) {
		if err != nil {
			failed(err)
			return
		}
		say(encode(view))
	}}, arg)
}

func encode(v any) string { return enginetest.Encode(v) }

// called notes what an attempt was given, in the words of enginetest.
func (p *player) called(a *runtime.Attempt) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := fmt.Sprintf("%s#%d", a.Key, a.Number)
	before := p.calls[name]
	p.calls[name]++
	if p.over {
		return before
	}
	p.attempts = append(p.attempts, fmt.Sprintf("%s call %d of %s in %s: %s, checkpoint %s", name, before, a.Activity, a.Run, a.Args, a.Checkpoint))
	return before
}

func (p *player) deliver(_ context.Context, m *runtime.Message) error {
	if !p.tape.Accepts(m.ID, m.Attempt) {
		return errors.New("the line is busy")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return nil
	}
	p.messages[m.Run] = append(p.messages[m.Run], encode(m))
	return nil
}
