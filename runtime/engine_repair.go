package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// RepairOptions say how a run is repaired.
type RepairOptions struct {
	Apply bool // write it; else only say what is wrong
	Operator
}

// Repair says what is wrong with a run, and what repairs it.
type Repair struct {
	Run     string   `json:"run"`
	Faults  []string `json:"faults"` // none: nothing is wrong
	State   string   `json:"state"`  // by its history
	To      string   `json:"to"`     // after the repair
	Applied bool     `json:"applied"`
}

// Repair repairs a run whose snapshot is not what its history gives, whose tasks or timers are
// not those of the snapshot, or whose `require` is false in its state. The history counts as
// right. A false `require` sends the run to the state after its `else`. With Apply, the repair is
// written, with a line of history. A run with nothing wrong does not change. A child of which no
// task of its parent knows is cancelled with Force. If the history itself does not replay, the
// run cannot be repaired: the error is a *Difference.
func (e *Engine) Repair(ctx context.Context, run string, o RepairOptions) (Repair, error) {
	live, err := e.turn(ctx, run)
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
	x.write.amend = x.amend
	if err := e.commit(ctx, x.write, live, false); errors.Is(err, ErrConflict) {
		return x.report, fmt.Errorf("run %q has moved on meanwhile: %w", run, ErrConflict)
	} else if err != nil {
		return x.report, err
	}
	x.report.Applied = true
	return x.report, x.cancelOrphans(ctx, &o.Operator)
}

// repair is one call of Repair.
type repair struct {
	engine *Engine
	row    RunRow
	write  *write
	tasks  []store.TaskRow // as stored
	report Repair

	adopted map[string]*RunRow // children of tasks that are missing, by the names of these
	orphans []string           // children of no task
}

func (x *repair) fault(format string, args ...any) {
	x.report.Faults = append(x.report.Faults, fmt.Sprintf(format, args...))
}

// examine finds what is wrong, and makes the step that repairs it.
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
	w := e.newWrite(ctx, &request{run: x.row.Run}, live)
	x.write = &w
	return x.step(who)
}

// compare holds the run's row, its tasks and its timers against what history gives.
func (x *repair) compare(ctx context.Context, h *host, s *machine.Snapshot) error {
	m := h.machine
	if text := m.EncodeSnapshot(s); len(x.report.Faults) == 0 && !bytes.Equal(text, x.row.Snapshot) {
		x.fault("%v", machine.Differs(x.row.Run, x.row.Seq, "snapshot", x.row.Snapshot, text))
	}
	if err := sameRow(x.row.Run, x.row.Seq, "runs", columnsOfRun(&x.row), columnsOfRun(new(store.RunOf(m, s)))); err != nil {
		x.fault("%v", err)
	}
	faults, tasks, err := x.engine.workFaults(ctx, m, s)
	x.report.Faults, x.tasks = append(x.report.Faults, faults...), tasks
	if err != nil || !m.Calls() {
		return err
	}
	return x.children(ctx, m, s)
}

// children finds those whose tasks are missing, and those that have no task at all.
func (x *repair) children(ctx context.Context, m *Machine, s *machine.Snapshot) error {
	held := map[string]bool{}
	for i := range x.tasks {
		held[x.tasks[i].Child] = true
	}
	x.adopted = map[string]*RunRow{}
	for _, t := range s.HandedOut() {
		if stored(m, &t, x.tasks) {
			continue
		}
		child, err := x.engine.childOfTask(ctx, m, s, &t)
		if err != nil {
			return err
		}
		if child != nil {
			held[child.Run], x.adopted[m.TaskName(&t)] = true, child
		}
	}
	return x.engine.eachRun(ctx, RunFilter{Parent: s.Run}, unfinished, batch, func(row *RunRow) error {
		if !held[row.Run] {
			x.fault("no task stands for the child %q", row.Run)
			x.orphans = append(x.orphans, row.Run)
		}
		return nil
	})
}

// cancelOrphans cancels children of which no task of the run knows.
func (x *repair) cancelOrphans(ctx context.Context, who *Operator) error {
	for _, run := range x.orphans {
		in := machine.Input{Kind: machine.CancelInput, Force: true, Actor: who.Actor, Reason: who.Reason}
		if _, err := x.engine.steer(ctx, &request{run: run}, in); err != nil && !errors.Is(err, ErrFinished) {
			return err
		}
	}
	return nil
}

func (x *repair) step(who *Operator) error {
	w := x.write
	m := w.host.machine
	in := machine.Input{Kind: machine.RepairInput, Actor: who.Actor, Reason: who.Reason}
	after, commands, record, err := m.Step(w.before, in, w.now, w.ask)
	switch {
	case w.asker.unasked != nil:
		return w.asker.unasked
	case err != nil:
		return err
	}
	w.after, w.commands, w.records = after, commands, []*machine.Record{record}
	x.report.State, x.report.To = m.Definition().States[w.before.State].Path, m.Definition().States[after.State].Path
	if record.Effect == machine.Moved {
		x.fault("the require of %s is false", x.report.State)
		return w.settle() // what follows at once
	}
	return nil
}

// amend has all timers written with the step, and the tasks that are missing.
func (x *repair) amend(c *store.Commit) {
	w := x.write
	m := w.host.machine
	c.Repairs = new(store.RunOf(m, w.before))
	c.Drop, c.Set = nil, nil
	due := map[int]time.Time{}
	for _, a := range w.after.Alarms {
		due[a.Timer] = a.Due
	}
	for i, t := range m.Definition().Timers {
		if at, running := due[i]; running {
			c.Set = append(c.Set, store.TimerRow{Run: w.after.Run, Name: t.Name, Due: at})
		} else {
			c.Drop = append(c.Drop, t.Name)
		}
	}
	before := w.before.HandedOut()
	for i := range x.tasks {
		if t := &x.tasks[i]; !t.Cancelled && !wants(m, before, t) {
			c.End = append(c.End, t.Do)
		}
	}
	if w.records[0].Effect != machine.Moved {
		for _, t := range before {
			if !stored(m, &t, x.tasks) {
				row := w.taskRow(&machine.Command{Kind: machine.StartTask, Seq: w.after.Seq, Task: t})
				if child := x.adopted[row.Do]; child != nil {
					heldBy(&row, child)
				}
				c.Start = append(c.Start, row)
			}
		}
	}
}
