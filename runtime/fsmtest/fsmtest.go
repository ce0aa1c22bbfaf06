// Package fsmtest tests what a machine does. The test says how attempts of activities
// end, runs are in memory, and time passes only while everything waits.
//
//	fsmtest.Play(t, CodeReviewMachine(), func(t *fsmtest.T) {
//		t.Activity("fetch_diff", fsmtest.Fails("transient"), fsmtest.Raises("DiffLoaded", diff))
//		…
//		run := t.Start(CodeReviewParams{Pr: "17"})
//		run.Send("StartReview", nil)
//		run.Wait()
//		run.WantPath("Idle", "FetchingDiff", "Analyzing", "PostingComments", "Summarizing", "Completed")
//	})
//
// The engine is the real one, with its workers, leases and retries. The time is that of
// testing/synctest: a retry after a minute and a deadline of a day come in their order, and
// take no time at all. So a test must not wait for anything outside, such as the network.
package fsmtest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// T is one test of a machine. If one of its methods cannot do what it is asked for, the test
// fails.
type T struct {
	*testing.T
	Engine *runtime.Engine // for everything that T has no method for

	machine  *runtime.Machine
	machines []*runtime.Machine // it, and those that may be called
	started  int

	mu        sync.Mutex
	scripts   map[string]*script
	children  map[string]*script // of machines that are called
	guards    map[string]runtime.GuardFunc
	attempts  []runtime.Attempt
	steps     []runtime.StepInfo
	published []runtime.Message
}

// Play runs test in a bubble of its own time (see testing/synctest), with an engine that works on
// the runs of m. If an activity is called for which the test has no outcomes, the test fails. The
// machines that m calls, and those that they call, come behind the test, in any order, also those
// of which T.Machine says the outcomes. The others run as children.
func Play(t *testing.T, m *runtime.Machine, test func(t *T), called ...*runtime.Machine) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &T{T: t, machine: m, machines: append([]*runtime.Machine{m}, called...),
			scripts: map[string]*script{}, children: map[string]*script{}, guards: map[string]runtime.GuardFunc{}}
		p.Engine = runtime.NewEngine(memstore.New(), runtime.WithObserver((*observer)(p)), runtime.WithOutbox(p.publish),
			runtime.WithStandIns(p.standIn),
			runtime.WithPoll(time.Hour), // no other process has anything to do with it, and weeks are to pass in no time
			runtime.WithLogger(slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))))
		if err := p.register(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		stopped := make(chan error, 1)
		go func() { stopped <- p.Engine.Run(ctx) }()
		defer func() {
			cancel()
			if err := <-stopped; err != nil {
				t.Error(err)
			}
		}()
		test(p)
	})
}

// register registers the machines, each behind those that it calls.
func (t *T) register() error {
	for _, m := range t.machines {
		for _, a := range m.Definition().Activities {
			if a.Callee != "" && !slices.ContainsFunc(t.machines, func(m *runtime.Machine) bool { return m.Definition().Name == a.Name }) {
				return fmt.Errorf("machine %q calls machine %q: add %sMachine() behind the test", m.Definition().Name, a.Name, ir.Exported(a.Name))
			}
		}
	}
	for left := t.machines; len(left) > 0; {
		var refused []*runtime.Machine
		var first error
		for _, m := range left {
			if err := t.Engine.Register(m, "", t.handlers(m)); err != nil {
				refused, first = append(refused, m), cmp.Or(first, err)
			}
		}
		if len(refused) == len(left) {
			return first
		}
		left = refused
	}
	return nil
}

// handlers look the test's scripts up when they are called, so that a test may
// give another one in the middle.
func (t *T) handlers(m *runtime.Machine) runtime.Handlers {
	return runtime.HandlersOf(m.Definition(), func(string) runtime.ActivityFunc { return t.attempt }, func(name string) runtime.GuardFunc {
		return func(ctx context.Context, args json.RawMessage) (bool, error) { return t.ask(ctx, name, args) }
	})
}

func (t *T) attempt(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
	t.mu.Lock()
	t.attempts = append(t.attempts, *a)
	next := t.scripts[a.Activity].next()
	t.mu.Unlock()
	if next == nil {
		t.Errorf("activity %q is called, and the test does not say what it does", a.Activity)
		return runtime.Result{}, fmt.Errorf("the test does not say what %q does", a.Activity)
	}
	return next(t.checking(ctx), a)
}

func (t *T) ask(ctx context.Context, name string, args json.RawMessage) (bool, error) {
	t.mu.Lock()
	guard := t.guards[name]
	t.mu.Unlock()
	if guard == nil {
		t.Errorf("guard %q is asked, and the test does not say what it answers", name)
		return false, fmt.Errorf("the test does not say what %q answers", name)
	}
	return guard(ctx, args)
}

// Guard sets the answer of a host guard from now on.
func (t *T) Guard(name string, verdict bool) {
	t.GuardFunc(name, func(context.Context, json.RawMessage) (bool, error) { return verdict, nil })
}

// GuardFunc sets the function that answers a host guard from now on.
func (t *T) GuardFunc(name string, f runtime.GuardFunc) {
	t.Helper()
	names := []string{}
	for _, m := range t.machines {
		for _, g := range m.Definition().Guards {
			names = append(names, g.Name)
		}
	}
	t.known("guard", name, names)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.guards[name] = f
}

func (t *T) known(kind, name string, names []string) {
	t.Helper()
	if !slices.Contains(names, name) {
		t.Fatalf("machine %q has no %s %q; it has %q", t.machine.Definition().Name, kind, name, names)
	}
}

// Attempts are the calls of an activity so far, in order.
func (t *T) Attempts(activity string) []runtime.Attempt {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(t.attempts), func(a runtime.Attempt) bool { return a.Activity != activity })
}

// Published are the messages that the outbox has delivered so far.
func (t *T) Published() []runtime.Message {
	synctest.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.published)
}

func (t *T) publish(_ context.Context, m *runtime.Message) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.published = append(t.published, *m)
	return nil
}

// observer notes the steps that are taken.
type observer T

func (o *observer) OnStep(info runtime.StepInfo) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.steps = append(o.steps, info)
}

func (o *observer) OnAttempt(runtime.AttemptInfo) {}

// Start starts a run with parameters: anything that encoding/json turns into
// their object, or nil where there are none.
func (t *T) Start(params any) *Run {
	t.Helper()
	t.started++
	id := fmt.Sprintf("run-%d", t.started)
	data, err := encode(params)
	if err == nil {
		_, err = t.Engine.Start(t.Context(), t.machine.Definition().Name, id, data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &Run{t: t, ID: id}
}

func encode(v any) (json.RawMessage, error) {
	if raw, ok := v.(json.RawMessage); ok || v == nil {
		return raw, nil
	}
	return runtime.EncodeFields(v)
}
