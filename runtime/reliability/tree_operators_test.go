//go:build unix && cgo

package reliability

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing/synctest"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

var ada = runtime.Operator{Actor: "ada", Reason: "because"}

// treeOperators are what is done to the runs of a tree from outside.
var treeOperators = []struct {
	name  string
	share int
	rude  int // only in groves that are so rude
	leaf  bool
	do    func(g *grove, w *worker, row *runtime.RunRow) error
}{
	{name: "send", share: 8, do: (*grove).send},
	{name: "pause", share: 4, rude: 1, do: (*grove).pause},
	{name: "resume", share: 2, do: (*grove).resume},
	{name: "cancel", share: 1, rude: 2, do: (*grove).cancel},
	{name: "cancel", share: 1, rude: 1, leaf: true, do: (*grove).cancel},
	{name: "complete", share: 3, rude: 1, do: (*grove).complete},
	{name: "restart", share: 1, do: (*grove).restart},
	{name: "retry", share: 1, do: func(g *grove, w *worker, row *runtime.RunRow) error {
		return errOf(w.RetryOverBudget(g.t.Context(), row.Run, ada))
	}},
	{name: "migrate", share: 1, rude: 2, do: (*grove).migrate},
	{name: "repair", share: 1, do: (*grove).repair},
	{name: "wait", share: 3},
}

// act does one thing to a run from outside.
func (g *grove) act(w *worker, row *runtime.RunRow) {
	all := 0
	for i := range treeOperators {
		all += treeOperators[i].share
	}
	n := g.random.IntN(all)
	for i := range treeOperators {
		o := &treeOperators[i]
		if n -= o.share; n >= 0 {
			continue
		}
		if o.do != nil && g.rude >= o.rude && (!o.leaf || row.Machine == "Leaf") {
			g.answered(w, o.name, row.Run, o.do(g, w, row))
		}
		return
	}
}

// answered notes what was done. That a run does not take it is nothing wrong.
func (g *grove) answered(w *worker, what, run string, err error) {
	g.note(what, run, err)
	fine := []error{nil, runtime.ErrNotFound, runtime.ErrConflict, runtime.ErrFinished, runtime.ErrHalted}
	if !isRefusal(err) && !w.store.died() && !slices.ContainsFunc(fine, func(f error) bool { return errors.Is(err, f) }) {
		g.fault("%s of run %q: %w", what, run, err)
	}
}

// player makes values for a machine.
func (g *grove) player(name string) *player { return &player{m: g.models[name], random: g.random} }

func (g *grove) send(w *worker, row *runtime.RunRow) error {
	d, results := g.models[row.Machine].Definition(), map[int]bool{}
	for i := range d.Activities {
		for _, event := range d.Activities[i].Results {
			results[event] = true
		}
	}
	var events []*machine.Event
	for i := range d.Events {
		if !results[i] {
			events = append(events, &d.Events[i])
		}
	}
	event := events[g.random.IntN(len(events))]
	return errOf(w.Send(g.t.Context(), row.Run, runtime.ExternalEvent{Name: event.Name, Data: g.player(row.Machine).object(event.Fields)}))
}

func (g *grove) pause(w *worker, row *runtime.RunRow) error {
	g.paused[row.Run] = true
	return errOf(w.Pause(g.t.Context(), row.Run, ada))
}

// resume resumes all that has been paused.
func (g *grove) resume(w *worker, _ *runtime.RunRow) error {
	for _, run := range slices.Sorted(maps.Keys(g.paused)) {
		_, err := w.Resume(g.t.Context(), run, ada)
		g.answered(w, "resume", run, err)
	}
	clear(g.paused)
	return nil
}

// cancel cancels, and looks that what was under way has stopped where it says that the run is cancelled.
func (g *grove) cancel(w *worker, row *runtime.RunRow) error {
	began := time.Now()
	ctx, stop := context.WithTimeout(g.t.Context(), time.Duration(g.random.IntN(20))*time.Second)
	defer stop()
	_, err := w.Cancel(ctx, row.Run, runtime.CancelOptions{Actor: ada.Actor, Reason: ada.Reason, Force: g.rude > 1 && g.random.IntN(7) == 0})
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if err == nil && !g.deadly {
		v, err := w.Get(g.t.Context(), row.Run)
		must(g.t, err)
		g.stoppedBy(&v, began)
	}
	return err
}

// complete says what an activity or a child of the run has to say.
func (g *grove) complete(w *worker, row *runtime.RunRow) error {
	v, err := w.Get(g.t.Context(), row.Run)
	if err != nil || len(v.Activities) == 0 {
		return err
	}
	a := &v.Activities[g.random.IntN(len(v.Activities))]
	c := runtime.Completion{Activity: a.Do, Operator: ada}
	d := g.models[row.Machine].Definition()
	i := slices.IndexFunc(d.Activities, func(of machine.Activity) bool { return of.Name == a.Activity })
	switch of := &d.Activities[i]; {
	case of.Callee != "":
		c.Event = of.Name + ".Failed"
	case len(of.Results) > 0:
		event := &d.Events[of.Results[0]]
		c.Event, c.Data = event.Name, g.player(row.Machine).object(event.Fields)
	}
	return errOf(w.Complete(g.t.Context(), row.Run, c))
}

func (g *grove) restart(*worker, *runtime.RunRow) error {
	i := g.random.IntN(len(g.workers))
	g.workers[i].stop()
	g.workers[i] = g.launch(fmt.Sprint("again", len(g.inputs)))
	return nil
}

// migrate moves all runs to the newer version.
func (g *grove) migrate(*worker, *runtime.RunRow) error {
	g.moved = true
	for i := range g.workers {
		g.workers[i].stop()
		g.workers[i] = g.launch(fmt.Sprint("moved", len(g.inputs), "-", i))
	}
	w := g.workers[0]
	for _, name := range slices.Sorted(maps.Keys(g.models)) {
		err := w.Migrate(g.t.Context(), name, runtime.MigrateOptions{Apply: true, Operator: ada}, func(runtime.MigratedRun) error { return nil })
		g.answered(w, "migrate "+name, "", err)
	}
	return nil
}

// repair finds nothing when what is under way at this instant has been done.
func (g *grove) repair(w *worker, row *runtime.RunRow) error {
	r, err := w.Repair(g.t.Context(), row.Run, runtime.RepairOptions{Operator: ada})
	if err != nil || len(r.Faults) == 0 || g.deadly {
		return err
	}
	synctest.Wait()
	if r, err = w.Repair(g.t.Context(), row.Run, runtime.RepairOptions{Operator: ada}); len(r.Faults) > 0 {
		g.fault("run %q has faults: %+v", row.Run, r.Faults)
	}
	return err
}

// mortal is the store of an engine that dies: at a commit, which is there or is not. Commits take their time, so
// that others get between them and what they were decided by.
type mortal struct {
	*unreliable
	grove  *grove
	worker string
	left   int  // commits until it dies; 0 for never
	behind bool // the last one is there
}

func (m *mortal) Commit(ctx context.Context, c *store.Commit) error {
	if m.grove.slow > 0 {
		m.grove.writes(c.Run.Run, 1)
		time.Sleep(time.Duration(m.grove.chance(m.worker, c.Run.Run, c.Run.Seq).Int64N(int64(m.grove.slow))))
		m.grove.writes(c.Run.Run, -1)
	}
	if last, behind := m.counts(); last {
		if behind {
			_ = m.unreliable.Commit(ctx, c)
		}
		m.die()
		m.grove.drop(m)
	}
	return m.unreliable.Commit(ctx, c)
}

func (m *mortal) counts() (last, behind bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left--
	return m.left == 0, m.behind
}

// live keeps it from dying, where it has not.
func (m *mortal) live() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left = 0
}

func (m *mortal) died() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dead
}
