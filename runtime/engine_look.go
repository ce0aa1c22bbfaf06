package runtime

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Get shows a run as it is in the store, with what is known of the workers of its activities. The
// error is ErrNotFound if there is no such run.
func (e *Engine) Get(ctx context.Context, run string) (View, error) {
	row, h, s, err := e.read(ctx, run)
	if err != nil {
		return View{}, err
	}
	v, err := e.look(ctx, &row, h, s)
	v.Parent, v.Tags = row.Parent, row.Tags
	if row.Paused {
		pause := e.pauseOf(ctx, &row)
		v.Pause = &machine.PauseView{Actor: pause.Actor, Reason: pause.Reason}
	}
	return v, err
}

// look is Get of a run that was read.
func (e *Engine) look(ctx context.Context, row *RunRow, h *host, s *machine.Snapshot) (v View, err error) {
	run := s.Run
	if s.Status == Finished && s.Outcome == Failed {
		v := h.machine.View(s)
		v.End, err = e.endOf(ctx, s)
		return v, err
	}
	over := s.Status != Finished && h.machine.OverTime(s, e.now())
	if !s.HasOpenTask() && !s.Left {
		v := h.machine.View(s)
		v.OverBudget = v.OverBudget || over
		return v, nil
	}
	tasks, err := e.store.Tasks(ctx, run)
	if err != nil {
		return View{}, fmt.Errorf("the tasks of run %q: %w", run, err)
	}
	v = h.machine.View(withProgress(h.machine, s, tasks))
	v.OverBudget = v.OverBudget || over
	if err := e.addChildren(ctx, &v, row, tasks); err != nil {
		return View{}, err
	}
	steps, err := e.History(ctx, run, max(0, s.Seq-recentSteps), recentSteps)
	if err != nil {
		return View{}, err
	}
	limits, err := e.closedLimits(ctx, tasks)
	if err != nil {
		return View{}, err
	}
	for i := range v.Activities {
		a := &v.Activities[i]
		for k := range tasks {
			if t := &tasks[k]; !t.Cancelled && t.Do == a.Do {
				addTask(a, t)
				a.Limit = limitView(limits, t)
			}
		}
		addLastError(a, steps)
	}
	return v, nil
}

// endOf is the input with which a run ended; what came too late
// may stand behind it. It is nil where that is too much.
func (e *Engine) endOf(ctx context.Context, s *machine.Snapshot) (*machine.EndView, error) {
	steps, err := e.History(ctx, s.Run, max(0, s.Seq-recentSteps), recentSteps)
	if err != nil {
		return nil, err
	}
	for _, step := range slices.Backward(steps) {
		if step.From != step.To {
			return &machine.EndView{Input: step.Input, Activity: step.Activity, Message: step.Message}, nil
		}
	}
	return nil, nil
}

// recentSteps is how far back Get looks for the last failure of an activity, and
// for what ended a run.
const recentSteps = 100

func addTask(a *machine.ActivityView, t *store.TaskRow) {
	a.Checkpoint, a.Progress, a.Lost = t.Checkpoint, present(t.CheckpointAt), t.Lost
	if t.Worker == "" {
		return
	}
	a.Worker, a.Since, a.Lease, a.Beat = t.Worker, present(t.ClaimedAt), present(t.LeaseUntil), present(t.BeatAt)
}

func present(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// addLastError finds the last failure of the same execution, or of the same do
// in this visit, where a retry began a new execution.
func addLastError(a *machine.ActivityView, steps []StepView) {
	thisVisit := true
	for i := len(steps) - 1; i >= 0; i-- {
		s := &steps[i]
		if s.Kind == machine.FailureInput && (s.Key == a.Key || thisVisit && s.Effect == machine.Retried && doOf(s.Key) == doOf(a.Key)) {
			a.LastError = &machine.ErrorView{Category: s.Category, Message: s.Message, Stderr: s.Stderr, Attempt: s.Attempt, At: s.At}
			return
		}
		thisVisit = thisVisit && s.Effect != machine.Moved
	}
}

// doOf is an execution's key without the step that began it.
func doOf(key string) string { return key[:max(strings.LastIndexByte(key, '/'), 0)] }

// History gives the lines of the history of a run behind sequence number after, in order, at most
// limit of them. If there is no such run, there are none.
func (e *Engine) History(ctx context.Context, run string, after int64, limit int) ([]StepView, error) {
	rows, err := e.store.History(ctx, run, after, limit)
	if err != nil {
		return nil, fmt.Errorf("the history of run %q: %w", run, err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	row, err := e.store.Load(ctx, run)
	if err != nil {
		return nil, fmt.Errorf("run %q: %w", run, err)
	}
	h, err := e.host(ctx, row.Definition)
	if err != nil {
		return nil, fmt.Errorf("run %q: %w", run, err)
	}
	var versions []machine.Version
	if s, err := h.machine.DecodeSnapshot(row.Snapshot); err == nil {
		versions = s.Versions
	} else if versions, err = e.versionsInHistory(ctx, h, &row); err != nil {
		return nil, err
	}
	current := h
	views := make([]StepView, len(rows))
	for i := range rows {
		if h, err = e.versionAt(ctx, current, versions, rows[i].Seq); err != nil {
			return nil, fmt.Errorf("run %q: %w", run, err)
		}
		r, err := h.machine.DecodeRecord(rows[i].Record)
		if err != nil {
			return nil, fmt.Errorf("run %q: line %d of its history is damaged: %w", run, rows[i].Seq, err)
		}
		views[i] = h.machine.StepView(r)
	}
	return views, nil
}

// At is a stored run as it was after a step, by its number, and the machine that it then had: its
// history is replayed up to there. 0 is the run as it is. ErrNotFound where there is no such run, a *Difference where history does not replay.
func (e *Engine) At(ctx context.Context, run string, seq int64) (*Machine, *machine.Snapshot, error) {
	row, h, stored, err := e.read(ctx, run)
	switch {
	case err != nil:
		return nil, nil, err
	case seq < 0 || seq > row.Seq:
		return nil, nil, fmt.Errorf("run %q has taken %d steps, and there is no step %d", run, row.Seq, seq)
	case seq == 0 || seq == row.Seq:
		return h.machine, stored, nil
	}
	row.Seq = seq
	s, err := e.relive(ctx, h, &row, stored)
	if err != nil {
		return nil, nil, err
	}
	version, err := e.versionAt(ctx, h, stored.Versions, seq)
	if err != nil {
		return nil, nil, err
	}
	return version.machine, s, nil
}

// Row is a run as lists show it. Unlike Get, it also works for a run that is damaged. The error
// is ErrNotFound if there is no such run.
func (e *Engine) Row(ctx context.Context, run string) (RunRow, error) {
	row, err := e.store.Load(ctx, run)
	if err != nil {
		return RunRow{}, fmt.Errorf("run %q: %w", run, err)
	}
	return row, nil
}

// List gives the runs that match f, newest first.
func (e *Engine) List(ctx context.Context, f RunFilter) ([]RunRow, error) {
	return e.store.Runs(ctx, f)
}

// nearRuns is among how many of the newest runs the one is looked for that was meant.
const nearRuns = 200

// DidYouMean is ` (did you mean "x"?)` where the id of a new run is near enough to one that is
// not there to be what was meant, and nothing otherwise.
func (e *Engine) DidYouMean(ctx context.Context, run string) string {
	rows, _ := e.List(ctx, RunFilter{Limit: nearRuns}) // it is a hint, which may be missing
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].Run
	}
	return machine.DidYouMean(run, ids)
}
