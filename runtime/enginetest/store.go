package enginetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// OnStore plays tapes on the engine of package runtime, each over a new, empty store, which is
// opened and closed within the bubble.
func OnStore(open func(t *testing.T) store.Store) Player {
	return func(t *testing.T, tape *Tape) *Trace {
		p := &player{tape: tape, calls: map[string]int{}, messages: map[string][]string{}}
		synctest.Test(t, func(t *testing.T) {
			p.store = open(t)
			defer p.store.Close()
			p.play(t)
		})
		return p.trace
	}
}

// player plays one tape.
type player struct {
	tape   *Tape
	store  store.Store
	engine *runtime.Engine
	trace  *Trace

	mu       sync.Mutex
	steps    int
	stop     context.CancelFunc
	calls    map[string]int // of attempts
	attempts []string
	messages map[string][]string
}

func (p *player) play(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	p.stop = stop
	concurrency := 64
	if p.tape.Serial {
		concurrency = 1
	}
	p.engine = runtime.NewEngine(p.store, runtime.WithClock(runtime.SystemClock()), runtime.WithWorker(Worker),
		runtime.WithOutbox(p.deliver), runtime.WithObserver(p), runtime.WithConcurrency(concurrency), runtime.WithGrace(0),
		runtime.WithPoll(time.Hour), runtime.WithLease(time.Hour)) // no one else has anything to do with the store
	for _, m := range p.tape.Machines {
		if err := p.engine.Register(m, "", p.tape.Handlers(m, p.called)); err != nil {
			t.Fatal(err)
		}
	}
	stopped := make(chan error, 1)
	go func() { stopped <- p.engine.Run(ctx) }()
	answers := p.act(ctx)
	if ctx.Err() == nil {
		synctest.Wait()
		p.trace = &Trace{Runs: p.runs(t), Attempts: slices.Sorted(slices.Values(p.attempts)), Messages: p.messages}
	}
	stop()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if given := answers(); p.trace != nil {
		p.trace.Answers = given
	}
}

// OnStep ends what goes on without end.
func (p *player) OnStep(runtime.StepInfo) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.steps++; p.steps > MaxSteps {
		p.stop()
	}
}

// OnAttempt has nothing to note.
func (p *player) OnAttempt(runtime.AttemptInfo) {}

// act starts the run and does what comes from outside, each at its time, also where what came
// before it is not over. The answers are there when they are asked for.
func (p *player) act(ctx context.Context) (answers func() []string) {
	began, given := time.Now(), make([]string, 1+len(p.tape.Acts))
	var under sync.WaitGroup
	last := p.tape.Machines[len(p.tape.Machines)-1]
	given[0] = answer(p.engine.Start(ctx, last.Definition().Name, Run, p.tape.Params))
	for i := range p.tape.Acts {
		if !rest(ctx, time.Until(began.Add(p.tape.Acts[i].At))) {
			break
		}
		under.Go(func() { given[1+i] = answer(p.perform(ctx, &p.tape.Acts[i])) })
	}
	rest(ctx, time.Until(began.Add(p.tape.Lasts)))
	return func() []string {
		under.Wait()
		return given
	}
}

func (p *player) perform(ctx context.Context, a *Act) (machine.View, error) {
	switch a.Kind {
	case machine.CancelInput:
		return p.engine.Cancel(ctx, Run, runtime.CancelOptions{Force: a.Force, Actor: a.Actor, Reason: a.Reason})
	case machine.PauseInput:
		return p.engine.Pause(ctx, Run, a.Operator)
	case machine.ResumeInput:
		return p.engine.Resume(ctx, Run, a.Operator)
	case machine.RetryInput:
		return p.engine.Retry(ctx, Run, a.Operator)
	case machine.CompleteRefused:
		return p.engine.Complete(ctx, Run, a.Completion)
	}
	return p.engine.Send(ctx, Run, a.Event)
}

func answer(v machine.View, err error) string {
	if err != nil {
		return err.Error()
	}
	return Encode(v)
}

// called notes what an attempt was given, and gives how often it was called before.
func (p *player) called(a *runtime.Attempt) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := fmt.Sprintf("%s#%d", a.Key, a.Number)
	before := p.calls[name]
	p.calls[name]++
	p.attempts = append(p.attempts, fmt.Sprintf("%s call %d of %s in %s: %s, checkpoint %s", name, before, a.Activity, a.Run, a.Args, a.Checkpoint))
	return before
}

func (p *player) deliver(_ context.Context, m *runtime.Message) error {
	if !p.tape.Accepts(m.ID, m.Attempt) {
		return errors.New("the line is busy")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages[m.Run] = append(p.messages[m.Run], Encode(m))
	return nil
}

// runs reads what there is, past the engine but for the views.
func (p *player) runs(t *testing.T) map[string]RunTrace {
	all := map[string]RunTrace{}
	err := store.EachRun(t.Context(), p.store, store.RunFilter{}, 100, func(row *store.RunRow) error {
		trace := RunTrace{Snapshot: string(row.Snapshot)}
		history, err := p.store.History(t.Context(), row.Run, 0, 0)
		for i := range history {
			trace.History = append(trace.History, string(history[i].Record))
		}
		view, failed := p.engine.Get(t.Context(), row.Run)
		for i := range view.Activities {
			a := &view.Activities[i]
			a.Worker, a.Since, a.Lease, a.Beat, a.Progress, a.Lost = "", nil, nil, nil, nil, 0
		}
		listed := *row
		listed.Snapshot = nil
		trace.Row, trace.View = Encode(listed), Encode(view)
		all[row.Run] = trace
		return cmp.Or(err, failed)
	})
	if err != nil {
		t.Error(err)
	}
	return all
}
