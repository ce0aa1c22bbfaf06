package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// RepairOptions say how a run is repaired.
type RepairOptions struct {
	Apply bool // write it; else only say what is wrong
	Operator
}

// Repair is what is wrong with a run, and what mends it.
type Repair struct {
	Run     string   `json:"run"`
	Faults  []string `json:"faults"` // none: nothing is wrong
	State   string   `json:"state"`  // by its history
	To      string   `json:"to"`     // after the repair
	Applied bool     `json:"applied"`
}

// Repair mends a run whose snapshot is not what its history gives, whose tasks or
// timers are not those of the snapshot, or whose `require` is false where it stands:
// the history is the truth, and a false require sends the run where it would
// have been turned away to. With Apply that is written, with a line of history.
// A run with nothing wrong is left alone. One whose history itself does not
// replay cannot be repaired: the error is a *Difference.
func (e *Engine) Repair(ctx context.Context, run string, o RepairOptions) (Repair, error) {
	live, err := e.runs.lock(ctx, run)
	if err != nil {
		return Repair{}, err
	}
	defer e.runs.unlock(live)
	live.forget()
	defer live.forget()
	row, err := e.store.Load(ctx, run)
	if err != nil {
		return Repair{}, fmt.Errorf("run %q: %w", run, err)
	}
	x := &repair{engine: e, row: row, report: Repair{Run: run, Faults: []string{}}}
	if err := x.examine(ctx, live, &o.Operator); err != nil || len(x.report.Faults) == 0 || !o.Apply {
		return x.report, err
	}
	if err := x.apply(ctx); err != nil {
		return x.report, err
	}
	x.report.Applied = true
	e.active.release(run, x.write.commands)
	e.changes.notify(run)
	e.report(x.write)
	return x.report, nil
}

// repair is one call of Repair.
type repair struct {
	engine *Engine
	row    RunRow
	write  *write
	tasks  []TaskRow // as stored
	report Repair
}

func (x *repair) fault(format string, args ...any) {
	x.report.Faults = append(x.report.Faults, fmt.Sprintf(format, args...))
}

// examine finds what is wrong, and makes the step that mends it.
func (x *repair) examine(ctx context.Context, live *liveRun, who *Operator) error {
	e := x.engine
	h, err := e.host(ctx, x.row.Definition)
	if err != nil {
		return fmt.Errorf("run %q: %w", x.row.Run, err)
	}
	stored, err := h.machine.DecodeSnapshot(x.row.Snapshot)
	if err != nil {
		x.fault("%v", err) // and stored is nil
	}
	s, err := e.relive(ctx, h, &x.row, stored)
	if err != nil {
		return err
	}
	live.host, live.snapshot = h, s
	if err := x.compare(ctx, h, s); err != nil {
		return err
	}
	x.write = e.newWrite(ctx, &request{run: x.row.Run}, live)
	return x.step(who)
}

// compare holds the run's row, its tasks and its timers against what history gives.
func (x *repair) compare(ctx context.Context, h *host, s *Snapshot) error {
	m := h.machine
	if text := m.EncodeSnapshot(s); len(x.report.Faults) == 0 && !bytes.Equal(text, x.row.Snapshot) {
		x.fault("%v", difference(x.row.Run, x.row.Seq, "snapshot", x.row.Snapshot, text))
	}
	if err := sameRow(x.row.Run, x.row.Seq, "runs", columnsOfRun(&x.row), columnsOfRun(new(m.row(s)))); err != nil {
		x.fault("%v", err)
	}
	var err error
	if x.tasks, err = x.engine.store.Tasks(ctx, x.row.Run); err != nil {
		return fmt.Errorf("the tasks of run %q: %w", x.row.Run, err)
	}
	wanted := s.handedOut()
	for i := range wanted {
		if !m.stored(&wanted[i], x.tasks) {
			x.fault("no task stands for attempt %d of %q", wanted[i].Attempt, m.dos[wanted[i].Do].Name)
		}
	}
	for i := range x.tasks {
		if t := &x.tasks[i]; !t.Cancelled && !m.wants(wanted, t) {
			x.fault("a task stands for attempt %d of %q, which is not open", t.Attempt, t.Do)
		}
	}
	return x.compareTimers(ctx, m, s)
}

func (x *repair) compareTimers(ctx context.Context, m *Machine, s *Snapshot) error {
	rows, err := x.engine.store.Timers(ctx, x.row.Run)
	if err != nil {
		return fmt.Errorf("the timers of run %q: %w", x.row.Run, err)
	}
	stored := map[string]time.Time{}
	for _, row := range rows {
		stored[row.Name] = row.Due
	}
	for _, a := range s.Alarms {
		name := m.def.Timers[a.Timer].Name
		switch due, ok := stored[name]; {
		case !ok:
			x.fault("no timer stands for %q", name)
		case !due.Equal(a.Due):
			x.fault("the timer %q is set for %s, not %s", name, due.Format(time.RFC3339Nano), a.Due.Format(time.RFC3339Nano))
		}
		delete(stored, name)
	}
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		x.fault("a timer stands for %q, which is not running", name)
	}
	return nil
}

// handedOut are the attempts for which a task stands: those that are open, and
// have not returned what waits in the queue or has halted the run.
func (s *Snapshot) handedOut() (tasks []Task) {
	for _, t := range s.Tasks {
		returned := s.inQueue(t.input())
		if s.Halt != nil {
			in := &s.Halt.Input
			returned = returned || (in.Kind == ResultInput || in.Kind == FailureInput) && in.Do == t.Do && in.Key == t.Key && in.Attempt == t.Attempt
		}
		if t.State == TaskOpen && !returned {
			tasks = append(tasks, t)
		}
	}
	return tasks
}

func (m *Machine) stored(t *Task, rows []TaskRow) bool {
	for i := range rows {
		if !rows[i].Cancelled && m.same(t, &rows[i]) {
			return true
		}
	}
	return false
}

func (m *Machine) wants(tasks []Task, row *TaskRow) bool {
	for i := range tasks {
		if m.same(&tasks[i], row) {
			return true
		}
	}
	return false
}

func (m *Machine) same(t *Task, row *TaskRow) bool {
	return m.dos[t.Do].Name == row.Do && t.Key == row.Key && t.Attempt == row.Attempt
}

func (x *repair) step(who *Operator) error {
	w := x.write
	m := w.host.machine
	in := Input{Kind: RepairInput, Actor: who.Actor, Reason: who.Reason}
	after, commands, record, err := m.Step(w.before, in, w.now, w.asker.ask)
	switch {
	case w.asker.unasked != nil:
		return w.asker.unasked
	case err != nil:
		return err
	}
	w.after, w.commands, w.records = after, commands, []*Record{record}
	x.report.State, x.report.To = m.def.States[w.before.State].Path, m.def.States[after.State].Path
	if record.Effect == Moved {
		x.fault("the require of %s is false", x.report.State)
		return w.settle() // what follows at once
	}
	return nil
}

// apply writes the step, and with it all timers and the tasks that are missing.
func (x *repair) apply(ctx context.Context) error {
	w := x.write
	m := w.host.machine
	c, err := w.commit(false)
	if err != nil {
		return err
	}
	c.Mends = new(m.row(w.before))
	c.Drop, c.Set = nil, nil
	for i := range m.def.Timers {
		name := m.def.Timers[i].Name
		if a := w.after.alarm(i); a >= 0 {
			c.Set = append(c.Set, TimerRow{Run: w.after.Run, Name: name, Due: w.after.Alarms[a].Due})
		} else {
			c.Drop = append(c.Drop, name)
		}
	}
	before := w.before.handedOut()
	for i := range x.tasks {
		if t := &x.tasks[i]; !t.Cancelled && !m.wants(before, t) {
			c.End = append(c.End, t.Do)
		}
	}
	if w.records[0].Effect != Moved {
		for _, t := range before {
			if !m.stored(&t, x.tasks) {
				c.Start = append(c.Start, w.taskRow(&Command{Kind: StartTask, Seq: w.after.Seq, Task: t}))
			}
		}
	}
	if err := x.engine.store.Commit(ctx, c); err != nil {
		if errors.Is(err, ErrConflict) {
			return fmt.Errorf("run %q has moved on meanwhile: %w", x.row.Run, err)
		}
		return fmt.Errorf("run %q: %w", x.row.Run, err)
	}
	return nil
}
