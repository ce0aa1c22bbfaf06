package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// MigrateOptions say how runs move to another definition.
type MigrateOptions struct {
	Mapping Mapping
	Apply   bool // move them; else only say which fit
	Operator
}

// MigratedRun is what becomes, or would become, of one run.
type MigratedRun struct {
	Run        string `json:"run"`
	Definition string `json:"definition"` // hash of the one that it had
	State      string `json:"state"`
	To         string `json:"to,omitempty"`  // its state by the new one
	Why        string `json:"why,omitempty"` // it does not fit, and stays as it is
}

// Migrate moves the unfinished runs of a machine to the version that was
// registered last, and tells each what becomes of it, newest first. A run that
// does not fit stays with the definition that it has. Attempts under way are
// cancelled, and made again by the new definition when they have stopped. Without
// Apply nothing is written. The error says so where the mapping has a name that is
// in no version that it could mean. What each returns ends the walk.
func (e *Engine) Migrate(ctx context.Context, machine string, o MigrateOptions, each func(MigratedRun) error) error {
	h, err := e.currentHost(machine)
	if err != nil {
		return err
	}
	if err := e.checkMapping(ctx, h, &o.Mapping); err != nil {
		return err
	}
	if o.Apply {
		if err := e.keepDefinition(ctx, h); err != nil {
			return err
		}
	}
	for _, status := range []Status{Running, Halted} {
		err := store.EachRun(ctx, e.store, RunFilter{Machine: machine, Status: status}, replayRuns, func(row *RunRow) error {
			if row.Definition == h.machine.Hash() {
				return nil
			}
			done, err := e.migrateRun(ctx, h, row.Run, &o)
			if err != nil || done == nil {
				return err
			}
			return each(*done)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// migrateRun is nil for a run that has ended or moved meanwhile.
func (e *Engine) migrateRun(ctx context.Context, h *host, run string, o *MigrateOptions) (*MigratedRun, error) {
	live, err := e.turn(ctx, run)
	if err != nil {
		return nil, err
	}
	defer e.runs.unlock(live)
	defer live.forget()
	for try := 1; ; try++ {
		done, err := e.migrateOnce(ctx, live, h, o)
		if !errors.Is(err, ErrConflict) || try >= maxTries {
			return done, err
		}
		if err := giveWay(ctx, backOff(try)); err != nil {
			return nil, err
		}
	}
}

func (e *Engine) migrateOnce(ctx context.Context, live *liveRun, h *host, o *MigrateOptions) (*MigratedRun, error) {
	run := live.id
	row, err := e.store.Load(ctx, run)
	if err != nil {
		return nil, fmt.Errorf("run %q: %w", run, err)
	}
	if row.Status == Finished || row.Definition == h.machine.Hash() {
		return nil, nil
	}
	report := &MigratedRun{Run: run, Definition: row.Definition, State: row.State}
	old, s, err := e.decode(ctx, &row)
	if err != nil {
		report.Why = err.Error()
		return report, nil
	}
	a := e.asker(ctx, h)
	next, err := h.machine.Migrated(old.machine, s, &o.Mapping, e.now(), a.ask)
	switch {
	case a.unasked != nil:
		return nil, a.unasked
	case err != nil:
		report.Why = err.Error()
		return report, nil
	}
	report.To = h.machine.Definition().States[next.State].Path
	if !o.Apply {
		return report, nil
	}
	return report, e.writeMigration(ctx, live, old, h, s, next, &o.Operator)
}

// writeMigration writes the step: the tasks and timers of before go, and those
// of the new definition stand.
func (e *Engine) writeMigration(ctx context.Context, live *liveRun, old, h *host, s, next *machine.Snapshot, who *Operator) error {
	m := h.machine
	in := machine.Input{Kind: machine.MigrateInput, Actor: who.Actor, Reason: who.Reason,
		Migration: &machine.Migration{From: old.machine.Definition().States[s.State].Path, Snapshot: m.EncodeSnapshot(next)}}
	after, _, record, err := m.Step(s, in, next.Now, nil)
	if err != nil {
		return fmt.Errorf("run %q: %w", s.Run, err)
	}
	w := &write{host: h, before: s, after: after, records: []*machine.Record{record}, began: e.clock.Now()}
	for _, t := range s.Tasks {
		if t.State == machine.TaskOpen {
			w.stops = append(w.stops, machine.Command{Kind: machine.CancelTask, Task: t})
		}
	}
	w.amend = func(c *store.Commit) { w.replaceWork(c, old.machine) }
	return e.commit(ctx, w, live, false)
}

// replaceWork puts the tasks and timers of the run as it now stands in the place of those
// that it had by an older version.
func (w *write) replaceWork(c *store.Commit, old *Machine) {
	s, after, m := w.before, w.after, w.host.machine
	for i := range w.stops {
		c.Cancel = append(c.Cancel, old.TaskName(&w.stops[i].Task))
	}
	for _, a := range s.Alarms {
		c.Drop = append(c.Drop, old.Definition().Timers[a.Timer].Name)
	}
	for _, t := range after.HandedOut() {
		c.Start = append(c.Start, w.taskRow(&machine.Command{Kind: machine.StartTask, Seq: after.Seq, Task: t}))
	}
	for _, a := range after.Alarms {
		c.Set = append(c.Set, store.TimerRow{Run: s.Run, Name: m.Definition().Timers[a.Timer].Name, Due: a.Due})
	}
}
