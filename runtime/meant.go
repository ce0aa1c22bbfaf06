package runtime

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// meantBy is for which runs an operator's command is where only a filter says which: those
// of these statuses.
var meantBy = map[InputKind]struct {
	statuses []Status
	paused   bool // only those that are paused
}{
	machine.CancelInput: {statuses: []Status{Running, Halted}},
	machine.PauseInput:  {statuses: []Status{Running}},
	machine.ResumeInput: {statuses: []Status{Running, Halted}, paused: true},
	machine.RetryInput:  {statuses: []Status{Halted}},
}

// pageOfRuns is how many runs are read at a time where many are meant.
const pageOfRuns = 500

// EachMeant calls visit with the runs, and their snapshots, for which f means a pause, resume,
// cancel or retry. These are the unfinished runs that match f; for retry, only the halted ones,
// and for resume, only the paused ones. If f asks for a status or an outcome, they are all that
// match f. Some of them may refuse: see Refusal.
func (e *Engine) EachMeant(ctx context.Context, f RunFilter, kind InputKind, visit func(*RunRow) error) error {
	of, known := meantBy[kind]
	if !known {
		return fmt.Errorf("%s is no command for many runs", kind)
	}
	statuses := of.statuses
	if f.Status != "" || f.Outcome != "" {
		statuses = []Status{f.Status}
	}
	f.Paused = f.Paused || of.paused
	return e.eachRun(ctx, f, statuses, pageOfRuns, visit)
}

// unfinished are the statuses of runs that have not finished.
var unfinished = []Status{Running, Halted, Ending}

// eachRun calls visit with the runs that f lets through, those of one status after those of another.
func (e *Engine) eachRun(ctx context.Context, f RunFilter, statuses []Status, page int, visit func(*RunRow) error) error {
	for _, f.Status = range statuses {
		if err := store.EachRun(ctx, e.store, f, page, visit); err != nil {
			return err
		}
	}
	return nil
}

// Commands are those of pause, resume, cancel and retry that a run would take and that would
// change something, as far as this can be known without taking them: see Refusal. The error is
// ErrNotFound if there is no such run.
func (e *Engine) Commands(ctx context.Context, run string) ([]InputKind, error) {
	row, _, s, err := e.read(ctx, run)
	if err != nil {
		return nil, err
	}
	var kinds []InputKind
	for _, kind := range []InputKind{machine.PauseInput, machine.ResumeInput, machine.RetryInput, machine.CancelInput} {
		switch {
		case kind == machine.PauseInput && row.Paused, kind == machine.ResumeInput && !row.Paused, kind == machine.CancelInput && s.Cancelled:
		case e.Refusal(ctx, &row, kind) == nil:
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}

// steeredAtOnce is how many runs are steered side by side: many writes share one sync.
const steeredAtOnce = 16

// SteerAll calls steer for each run, several side by side, and returns for how many it went well.
// A run that refuses does not stop the others: SteerAll calls refused for it, in the order of the
// names of the runs.
func (e *Engine) SteerAll(runs []string, steer func(run string) error, refused func(run string, why error)) (done int) {
	why := make([]error, len(runs))
	sideBySide(len(runs), steeredAtOnce, func(i int) { why[i] = steer(runs[i]) })
	var lost []int
	for i := range runs {
		if why[i] != nil {
			lost = append(lost, i)
		}
	}
	slices.SortFunc(lost, func(a, b int) int { return cmp.Compare(runs[a], runs[b]) })
	for _, i := range lost {
		refused(runs[i], why[i])
	}
	return len(runs) - len(lost)
}
