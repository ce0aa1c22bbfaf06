//go:build unix && cgo

package reliability

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestRandomMachines runs machines made at random, under events and faults made
// at random, in virtual time: on the memory store, and every fourth on SQLite.
// synctest fails a test that leaves a goroutine behind. FSMC_MACHINES is how many,
// FSMC_SEED the first seed.
func TestRandomMachines(t *testing.T) {
	machines := count(t, "FSMC_MACHINES", 24)
	first := uint64(count(t, "FSMC_SEED", 1))
	t.Logf("the first seed is %d", first)
	var sum tally
	for seed, done := first, 0; done < machines; seed++ {
		m, err := newModel(oracletest.Generate(rand.New(rand.NewPCG(seed, 0))))
		if err != nil {
			continue // it has errors of names or types
		}
		done++
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { sum.add(liveRandomly(t, m, seed, done%4 == 0)) }) {
			t.Logf("the machine of seed %d:\n%s", seed, m.source)
		}
	}
	if machines >= 20 && (sum.steps == 0 || sum.faults == 0 || sum.deaths == 0 || sum.clean == 0) {
		t.Errorf("the test sees too little: %+v", sum)
	}
	t.Logf("figure: random machines = %d", machines)
	t.Logf("figure: random machines that the checker proves = %d", sum.clean)
	t.Logf("figure: steps of random machines = %d", sum.steps)
	t.Logf("figure: injected store errors = %d", sum.faults)
	t.Logf("figure: engines that died = %d", sum.deaths)
}

type tally struct{ steps, faults, deaths, clean int }

func (a *tally) add(b tally) {
	a.steps, a.faults, a.deaths, a.clean = a.steps+b.steps, a.faults+b.faults, a.deaths+b.deaths, a.clean+b.clean
}

// liveRandomly lives through several lives of an engine on one store, and
// inspects it when all has settled.
func liveRandomly(t *testing.T, m *model, seed uint64, onDisk bool) (sum tally) {
	if m.proved().clean {
		sum.clean = 1
	}
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		l, err := openLedger(ledgerIn(dir))
		must(t, err)
		defer l.file.Close()
		var store runtime.Store = memstore.New()
		if onDisk {
			if store, err = sqlite.Open(t.Context(), filepath.Join(dir, "runs.db")); err != nil {
				t.Fatal(err)
			}
		}
		defer store.Close()
		p := &player{m: m, ledger: l, random: rand.New(rand.NewPCG(seed, 1))}
		for life := range 4 {
			faulty := &unreliable{Store: store, random: rand.New(rand.NewPCG(seed, 2+uint64(life))), share: 0.03}
			p.live(t, life, faulty)
			sum.faults += faulty.faults
			if faulty.dead {
				sum.deaths++
			}
		}
		p.calm(t, store)
		e, err := readLedger(l.file.Name())
		if err == nil {
			err = inspect(t.Context(), store, m, e, false)
		}
		if err != nil {
			t.Error(err)
		}
		sum.steps = settled(t, store)
		if err != nil {
			histories(t, store, err)
		}
	})
	return sum
}

// settled looks that no message is left and no timer overdue, and counts steps.
func settled(t *testing.T, db runtime.Store) (steps int) {
	t.Helper()
	rows, err := db.Outbox(t.Context(), "", 0)
	if err != nil || len(rows) > 0 {
		t.Errorf("%d messages are not delivered: %v", len(rows), err)
	}
	due, err := db.Due(t.Context(), time.Now().Add(-time.Minute), 0)
	if err != nil || len(due) > 0 {
		t.Errorf("timers %v are overdue: %v", due, err)
	}
	err = store.EachRun(t.Context(), db, runtime.RunFilter{}, 100, func(r *runtime.RunRow) error {
		steps += int(r.Seq)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return steps
}

// player starts runs of a machine, sends to them what it knows, and does their
// activities.
type player struct {
	m      *model
	ledger *ledger
	mu     sync.Mutex
	random *rand.Rand
	runs   []string
	calmly bool
}

func (p *player) intN(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.random.IntN(n)
}

// live is one life of an engine, which ends in peace or not.
func (p *player) live(t *testing.T, life int, store *unreliable) {
	l := &witness{Store: store, ledger: p.ledger, worker: fmt.Sprint("life", life)}
	e := p.engine(t, l, fmt.Sprint("life", life))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	for i := range 25 {
		p.act(ctx, e, fmt.Sprintf("%d-%d", life, i))
		time.Sleep(time.Duration(p.intN(8000)) * time.Millisecond)
	}
	if life%2 == 0 {
		store.die()
	}
	stop()
	if err := <-done; err != nil && !errors.Is(err, errFault) {
		t.Error(err)
	}
}

func (p *player) engine(t *testing.T, store runtime.Store, worker string) *runtime.Engine {
	e := runtime.NewEngine(store, runtime.WithWorker(worker), runtime.WithOutbox(p.deliver), runtime.WithGrace(time.Second), runtime.WithPoll(5*time.Second))
	must(t, e.Register(p.m.Machine, p.m.source, p.handlers()))
	return e
}

// calm lets all go on undisturbed until nothing is left but to wait for events.
func (p *player) calm(t *testing.T, store runtime.Store) {
	p.calmly = true
	e := p.engine(t, &witness{Store: store, ledger: p.ledger, worker: "calm"}, "calm")
	for _, run := range p.runs {
		if _, err := e.Resume(t.Context(), run, runtime.Operator{}); err != nil && !isRefusal(err) && !errors.Is(err, runtime.ErrNotFound) {
			t.Error(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	time.Sleep(20 * time.Minute)
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// act does one thing from outside. Errors are nothing that matters here: what
// was not acknowledged may have happened or not.
func (p *player) act(ctx context.Context, e *runtime.Engine, id string) {
	run := "r" + id
	if len(p.runs) > 0 && p.intN(4) > 0 {
		run = p.runs[p.intN(len(p.runs))]
	} else {
		p.runs = append(p.runs, run)
		if _, err := e.Start(ctx, p.m.Definition().Name, run, p.object(p.m.Definition().Params)); err == nil {
			p.ledger.note(started, run)
		}
		return
	}
	switch p.intN(20) {
	case 0:
		short, stop := context.WithTimeout(ctx, time.Second)
		defer stop()
		_, _ = e.Cancel(short, run, runtime.CancelOptions{Force: p.intN(2) == 0})
	case 1:
		_, _ = e.Pause(ctx, run, runtime.Operator{})
	case 2, 3:
		_, _ = e.Resume(ctx, run, runtime.Operator{})
	default:
		events := p.m.Definition().Events
		event := &events[p.intN(len(events))]
		p.ledger.note(sent, run, id)
		if _, err := e.Send(ctx, run, runtime.ExternalEvent{Name: event.Name, ID: id, Data: p.object(event.Fields)}); err == nil {
			p.ledger.note(accepted, run, id)
		}
	}
}

func (p *player) deliver(_ context.Context, m *runtime.Message) error {
	if !p.calmly && p.intN(10) == 0 {
		return errors.New("the line is busy")
	}
	p.ledger.note(delivered, m.Run, m.ID)
	return nil
}

func (p *player) handlers() runtime.Handlers {
	h := runtime.Handlers{Activities: map[string]runtime.ActivityFunc{}, Guards: map[string]runtime.GuardFunc{}}
	d := p.m.Definition()
	for i := range d.Activities {
		h.Activities[d.Activities[i].Name] = p.activity(&d.Activities[i])
	}
	for i := range d.Guards {
		h.Guards[d.Guards[i].Name] = func(context.Context, json.RawMessage) (bool, error) { return p.intN(2) == 0, nil }
	}
	return h
}

// activity does whatever an activity can do, right or wrong.
func (p *player) activity(a *machine.Activity) runtime.ActivityFunc {
	d := p.m.Definition()
	return func(ctx context.Context, at *runtime.Attempt) (runtime.Result, error) {
		checkpoint := 0
		if at.Checkpoint != nil {
			if err := json.Unmarshal(at.Checkpoint, &checkpoint); err != nil {
				return runtime.Result{}, err
			}
		}
		name := p.ledger.begun(at, checkpoint)
		wait := time.Duration(p.intN(3000)) * time.Millisecond
		for step := range p.intN(3) {
			if err := at.Progress(checkpoint + step + 1); err == nil {
				p.ledger.note(reached, name, at.Key, checkpoint+step+1)
			}
		}
		if !p.calmly {
			switch p.intN(12) {
			case 0:
				return runtime.Result{}, runtime.ErrWorkerLost
			case 1:
				return runtime.Result{}, runtime.Decline("not now")
			case 2:
				return runtime.Result{}, errors.New("it broke")
			case 3:
				panic("it broke badly")
			case 4:
				wait = time.Hour // unless it is told to stop
			case 5:
				if len(a.Fails) > 0 {
					return runtime.Result{}, runtime.Fail(d.Categories[a.Fails[0]], "it happens")
				}
			case 6:
				return runtime.Result{Event: "NoSuchEvent"}, nil
			}
		}
		select {
		case <-ctx.Done():
			return runtime.Result{}, context.Cause(ctx)
		case <-time.After(wait):
		}
		if len(a.Results) == 0 {
			return runtime.Result{}, nil
		}
		event := &d.Events[a.Results[p.intN(len(a.Results))]]
		return runtime.Result{Event: event.Name, Data: p.object(event.Fields)}, nil
	}
}

// object makes values for fields.
func (p *player) object(fields []machine.Field) json.RawMessage {
	var parts []string
	for i := range fields {
		parts = append(parts, fmt.Sprintf("%q: %s", fields[i].Name, p.value(&fields[i].Type)))
	}
	return json.RawMessage("{" + strings.Join(parts, ", ") + "}")
}

func (p *player) value(t *machine.Type) string {
	low, high := int64(0), int64(5)
	if t.Min != nil {
		low, high = *t.Min, *t.Max
	}
	n := low + int64(p.intN(int(high-low)+1))
	switch t.Kind {
	case machine.Bool:
		return fmt.Sprint(n%2 == 0)
	case machine.Int:
		return fmt.Sprint(n)
	case machine.DurationKind:
		return fmt.Sprintf("%q", time.Duration(n))
	case machine.EnumKind:
		values := p.m.Definition().Enums[t.Enum].Values
		return fmt.Sprintf("%q", values[p.intN(len(values))])
	}
	return fmt.Sprintf("%q", []string{"no", "yes", ""}[p.intN(3)])
}
