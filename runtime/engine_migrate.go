package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// MigrateOptions say how runs move to another definition.
type MigrateOptions struct {
	Mapping Mapping
	Apply   bool      // move them; else only say which fit
	Of      RunFilter // which of the unfinished runs; all, if it is empty. Its machine is the one that is migrated
	Operator
}

// MigratedRun says what becomes of one run, or what would become of it.
type MigratedRun struct {
	Run        string `json:"run"`
	Definition string `json:"definition"` // hash of the one that it had
	State      string `json:"state"`
	To         string `json:"to,omitempty"`  // its state by the new one
	Why        string `json:"why,omitempty"` // it does not fit, or does not stand still, and stays as it is

	// Its children that have started and not ended: those that go on, each with its own
	// version, and those that are cancelled, as the new definition has no do for them.
	Keeps   []string `json:"keeps,omitempty"`
	Cancels []string `json:"cancels,omitempty"`
}

// Migrate moves the unfinished runs of a machine to the version that was registered last, newest
// first, and calls each with what becomes of a run. A run that does not fit keeps its definition.
// Attempts under way are cancelled; when they have stopped, the new definition starts them again.
// Children that have started go on, each with its own definition. A run does not fit if one of
// them can end in a way that the new definition does not handle.
//
// Only runs that o.Of lets pass are looked at. Without Apply, nothing is written. If the mapping has a name that no version has in which it
// could be meant, that is an error. If each returns an error, the walk ends with it.
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
	f, statuses := o.Of, []Status{Running, Halted}
	switch {
	case f.Machine != "" && f.Machine != machine:
		return fmt.Errorf("the runs meant are of machine %q, and %q is migrated", f.Machine, machine)
	case f.Outcome != "" || f.Status != "" && !slices.Contains(statuses, f.Status):
		return errors.New("only running and halted runs can be moved")
	case f.Status != "":
		statuses = []Status{f.Status}
	}
	f.Machine = machine
	return e.eachRun(ctx, f, statuses, replayRuns, func(row *RunRow) error {
		if row.Definition == h.machine.Hash() {
			return nil
		}
		done, err := e.migrateRun(ctx, h, row.Run, &o)
		if err != nil || done == nil {
			return err
		}
		return each(*done)
	})
}

// migrateRun is nil for a run that has ended or moved meanwhile. One that others move on each time
// stays as it is.
func (e *Engine) migrateRun(ctx context.Context, h *host, run string, o *MigrateOptions) (*MigratedRun, error) {
	live, err := e.turn(ctx, run)
	if err != nil {
		return nil, err
	}
	defer e.runs.unlock(live)
	defer live.forget()
	for try := 1; ; try++ {
		done, err := e.migrateOnce(ctx, live, h, o)
		switch {
		case !errors.Is(err, ErrConflict), done == nil:
			return done, err
		case try >= maxTries:
			return &MigratedRun{Run: run, Definition: done.Definition, State: done.State, Why: "it does not stand still: " + err.Error()}, nil
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
	if report.Why, err = e.misfitParent(ctx, &row, h.machine); err != nil || report.Why != "" {
		return report, err
	}
	report.To = h.machine.Definition().States[next.State].Path
	var children []store.TaskRow
	if old.machine.Calls() {
		if o.Apply {
			held, err := e.holdCalls(ctx, old.machine, run)
			if err != nil {
				return report, err
			}
			defer e.releaseCalls(context.WithoutCancel(ctx), held)
		}
		if children, err = e.keptChildren(ctx, h.machine, next, report); err != nil || report.Why != "" {
			report.To, report.Keeps, report.Cancels = "", nil, nil
			return report, err
		}
	}
	if !o.Apply {
		return report, nil
	}
	return report, e.writeMigration(ctx, live, old, h, s, next, children, &o.Operator)
}

// writeMigration writes the step: the tasks and timers of before go, and those
// of the new definition stand.
func (e *Engine) writeMigration(ctx context.Context, live *liveRun, old, h *host, s, next *machine.Snapshot, children []store.TaskRow, who *Operator) error {
	m := h.machine
	after, _, record, err := m.Step(s, m.MigrationInput(old.machine, s, next, *who), next.Now, nil)
	if err != nil {
		return fmt.Errorf("run %q: %w", s.Run, err)
	}
	w := &write{request: &request{run: s.Run}, host: h, before: s, after: after, records: []*machine.Record{record}, began: e.own.Now()}
	for _, t := range s.Tasks {
		if t.State == machine.TaskOpen {
			w.stops = append(w.stops, machine.Command{Kind: machine.CancelTask, Task: t})
		}
	}
	w.amend = func(c *store.Commit) { w.replaceWork(c, old.machine, children) }
	return e.commit(ctx, w, live, false)
}

// replaceWork puts the tasks and timers of the run as it now stands in the place of those
// that it had by an older version. Children go on with the tasks that do.
func (w *write) replaceWork(c *store.Commit, old *Machine, children []store.TaskRow) {
	s, after, m := w.before, w.after, w.host.machine
	for i := range w.stops {
		c.Cancel = append(c.Cancel, old.TaskName(&w.stops[i].Task))
	}
	for _, a := range s.Alarms {
		c.Drop = append(c.Drop, old.Definition().Timers[a.Timer].Name)
	}
	for _, t := range after.HandedOut() {
		row := w.taskRow(&machine.Command{Kind: machine.StartTask, Seq: after.Seq, Task: t})
		if i := slices.IndexFunc(children, func(c store.TaskRow) bool { return isSame(&c, &t) }); i >= 0 {
			row.Child, row.NotBefore = children[i].Child, children[i].NotBefore
		}
		c.Start = append(c.Start, row)
	}
	for _, a := range after.Alarms {
		c.Set = append(c.Set, store.TimerRow{Run: s.Run, Name: m.Definition().Timers[a.Timer].Name, Due: a.Due})
	}
}

// isSame reports whether a stored task stands for an attempt, whatever its do is called by now.
func isSame(row *store.TaskRow, t *machine.Task) bool {
	_, index, element := machine.CutElement(row.Do)
	return row.Key == t.Key && row.Attempt == t.Attempt && (!element || index == t.Index)
}

// holdCalls claims the tasks of a run whose children have yet to start, so that none does while it
// is migrated. Where a keeper has one its child may start in a moment: that is an ErrConflict, and
// the next try has the task of one that was lost.
func (e *Engine) holdCalls(ctx context.Context, old *Machine, run string) (held []store.Claim, err error) {
	var calls []store.Claimable
	for _, a := range old.Definition().Activities {
		if a.Callee != "" {
			calls = append(calls, store.Claimable{Definition: old.Hash(), Activity: a.Name})
		}
	}
	now := e.now()
	rows, err := e.store.Claim(ctx, store.ClaimQuery{Worker: e.worker, Now: now, Until: now.Add(e.lease), Limit: math.MaxInt32, Run: run, Activities: calls})
	var others []store.Claim // of children that have ended, or whose time is over
	for i := range rows {
		if c := rows[i].Claim(); rows[i].Child == "" {
			held = append(held, c)
		} else {
			others = append(others, c)
		}
	}
	e.releaseCalls(ctx, others)
	var tasks []store.TaskRow
	if err == nil {
		tasks, err = e.store.Tasks(ctx, run)
	}
	for i := range tasks {
		if t := &tasks[i]; !t.Cancelled && t.Child == "" && t.Worker != "" && slices.Contains(calls, store.Claimable{Definition: t.Definition, Activity: t.Activity}) && !slices.Contains(held, t.Claim()) {
			_ = e.store.Reclaim(ctx, t.Claim(), now) // which its lease refuses
			err = fmt.Errorf("%w: a child of run %q is about to start", ErrConflict, run)
		}
	}
	if err != nil {
		e.releaseCalls(ctx, held)
	}
	return held, err
}

// releaseCalls ends what holdCalls has claimed, whether that has been cancelled or not.
func (e *Engine) releaseCalls(ctx context.Context, held []store.Claim) {
	sideBySide(len(held), firing, func(i int) {
		e.releaseCall(ctx, held[i], time.Time{})
		e.changes.notify(held[i].Run)
	})
}

// keptChildren are the tasks that have a child with which a run goes on by m. The report says
// what becomes of children that have yet to end, or why the run cannot go on.
func (e *Engine) keptChildren(ctx context.Context, m *Machine, next *machine.Snapshot, report *MigratedRun) (kept []store.TaskRow, err error) {
	tasks, err := e.store.Tasks(ctx, next.Run)
	if err != nil {
		return nil, fmt.Errorf("the tasks of run %q: %w", next.Run, err)
	}
	for i := range tasks {
		row := &tasks[i]
		if row.ChildHolds() && !m.Calls() {
			report.Why = fmt.Sprintf("its child %q has yet to end, and the new definition calls no machine", row.Child)
			return nil, nil
		}
		k := slices.IndexFunc(next.Tasks, func(t machine.Task) bool { return isSame(row, &t) })
		if row.Cancelled || row.Child == "" {
			continue
		}
		if k < 0 || m.Callee(next.Tasks[k].Do) == "" {
			if row.ChildHolds() {
				report.Cancels = append(report.Cancels, row.Child)
			}
			continue
		}
		h, child, err := e.snapshot(ctx, row.Child)
		if err != nil {
			return nil, err
		}
		ended := -1
		if child.Status == machine.Finished {
			ended = child.State
		}
		activity := &m.Definition().Activities[m.Definition().Dos[next.Tasks[k].Do].Activity]
		if why := misfitChild(m.Definition(), activity, h.machine, ended, "the new definition"); why != "" {
			report.Why = fmt.Sprintf("its child %q %s", row.Child, why)
			return nil, nil
		}
		if kept = append(kept, *row); row.ChildHolds() {
			report.Keeps = append(report.Keeps, row.Child)
		}
	}
	return kept, nil
}

// misfitParent says why the parent of a run, if it has one that waits for it, cannot be told how
// the run ends by m, or nothing.
func (e *Engine) misfitParent(ctx context.Context, row *RunRow, m *Machine) (why string, err error) {
	if row.Parent == "" {
		return "", nil
	}
	task, err := e.store.TaskOf(ctx, row.Run)
	switch {
	case errors.Is(err, ErrNotFound), err == nil && task.Cancelled:
		return "", nil // it was left behind
	case err != nil:
		return "", fmt.Errorf("the task of run %q: %w", row.Run, err)
	}
	h, s, err := e.snapshot(ctx, row.Parent)
	if err != nil {
		return "", err
	}
	k := slices.IndexFunc(s.Tasks, func(t machine.Task) bool { return isSame(&task, &t) })
	if k < 0 {
		return "", fmt.Errorf("%w: the parent of run %q has moved on", ErrConflict, row.Run)
	}
	d := h.machine.Definition()
	if why = misfitChild(d, &d.Activities[d.Dos[s.Tasks[k].Do].Activity], m, -1, fmt.Sprintf("its parent %q", row.Parent)); why != "" {
		why = "it " + why
	}
	return why, nil
}

// misfitChild says why a call in d, which is that of who, cannot be told how a child ends, or
// nothing. One that has ended has done so in the state ended, which else is negative.
func misfitChild(d *Definition, a *machine.Activity, callee *Machine, ended int, who string) string {
	child := callee.Definition()
	if child.Name != a.Name {
		return fmt.Sprintf("is a %s, and its do runs a %s by the new definition", child.Name, a.Name)
	}
	for i := range child.States {
		s := &child.States[i]
		if s.Kind != machine.TerminalState || ended >= 0 && i != ended {
			continue
		}
		k := slices.IndexFunc(a.Results, func(e int) bool { return d.Events[e].Name == a.Name+"."+s.Path })
		if k < 0 {
			return fmt.Sprintf("can end in %s, which %s does not know", s.Path, who)
		}
		if is, want := fieldsText(child, callee.Returned(i)), fieldsText(d, d.Events[a.Results[k]].Fields); is != want {
			return fmt.Sprintf("can end in %s with %s, and %s expects %s", s.Path, cmp.Or(is, "nothing"), who, cmp.Or(want, "nothing"))
		}
	}
	return ""
}
