package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime"
)

// workOnAll works on every unfinished run of the store, each by its own
// version of the machine: until all that there are have ended or wait for the
// outside, or with --follow until it is stopped.
func (r *runner) workOnAll(ctx context.Context, engine *runtime.Engine, store runtime.Store) error {
	var unfinished []runtime.RunRow
	if !r.follow {
		var err error
		if unfinished, err = unfinishedRuns(ctx, store); err != nil {
			return err
		}
	}
	working, stop := context.WithCancel(ctx)
	defer stop()
	worked := make(chan error, 1)
	go func() {
		worked <- engine.Run(working)
		stop() // it may have given up
	}()
	if r.follow {
		return <-worked
	}
	var broken, waitErr error
	how := standings{}
	for again := unfinished; ; {
		var wrong error
		wrong, waitErr = how.waitFor(working, engine, again)
		broken = errors.Join(broken, wrong)
		if waitErr == nil {
			again, waitErr = how.movedOn(working, store, unfinished)
		}
		if waitErr != nil || len(again) == 0 {
			break
		}
	}
	views := []runtime.View{}
	for _, row := range unfinished {
		if v, ok := how[row.Run]; ok {
			views = append(views, v)
		}
	}
	if waitErr == nil && r.outbox != "" {
		waitErr = engine.WaitDelivered(working)
	}
	stop()
	if err := <-worked; err != nil {
		return err
	}
	if waitErr != nil && !errors.Is(waitErr, context.Canceled) {
		return waitErr
	}
	err := r.reportAll(views, waitErr != nil)
	if waitErr == nil {
		broken = errors.Join(broken, leftRuns(ctx, engine, views))
	}
	if broken != nil && (err == nil || errors.Is(err, errFinding)) {
		return broken
	}
	return err
}

// unfinishedRuns are those that have not ended.
func unfinishedRuns(ctx context.Context, db runtime.Store) ([]runtime.RunRow, error) {
	var rows []runtime.RunRow
	for _, status := range unfinished {
		some, err := matching(ctx, db, runtime.RunFilter{Status: status})
		if err != nil {
			return nil, fmt.Errorf("the runs cannot be read: %w", err)
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

// standings are how runs stood, by their ids, when they had ended or waited.
type standings map[string]runtime.View

// waitFor waits until the last of some runs has ended or waits, and notes how each then stands,
// or as far as it comes before ctx is done. Runs that cannot be read, which are
// broken, keep no other from being worked on, nor do those that are pruned.
func (s standings) waitFor(ctx context.Context, engine *runtime.Engine, rows []runtime.RunRow) (broken, err error) {
	faults := 0
	for i, row := range rows {
		v, err := engine.Wait(ctx, row.Run)
		if err != nil && ctx.Err() != nil {
			s.refresh(context.WithoutCancel(ctx), engine, rows[i:])
			return broken, err
		}
		delete(s, row.Run)
		switch {
		case err == nil:
			s[row.Run] = v
		case errors.Is(err, runtime.ErrNotFound):
		case faults == maxFaults:
			return broken, err
		default:
			broken, faults = errors.Join(broken, err), faults+1
		}
	}
	return broken, nil
}

// refresh notes how those of some runs stand now that were waited for before, until one cannot
// be read.
func (s standings) refresh(ctx context.Context, engine *runtime.Engine, rows []runtime.RunRow) {
	for _, row := range rows {
		if _, before := s[row.Run]; !before {
			continue
		}
		v, err := engine.Get(ctx, row.Run)
		if err != nil {
			return
		}
		s[row.Run] = v
	}
}

// movedOn are those of some runs that have taken steps since they were waited for, by a timer
// or by what others have sent.
func (s standings) movedOn(ctx context.Context, store runtime.Store, rows []runtime.RunRow) (moved []runtime.RunRow, err error) {
	unfinished, err := unfinishedRuns(ctx, store)
	if err != nil {
		return nil, err
	}
	now := make(map[string]int64, len(unfinished))
	for _, row := range unfinished {
		now[row.Run] = row.Seq
	}
	for _, row := range rows {
		if v, ok := s[row.Run]; ok && v.Status != runtime.Finished && now[row.Run] != v.Seq {
			moved = append(moved, row)
		}
	}
	return moved, nil
}

// maxFaults is how many runs that cannot be read end the command: then it may be the
// database.
const maxFaults = 20

// reportAll prints how runs stand, after work on them has stopped.
func (r *runner) reportAll(views []runtime.View, stopped bool) error {
	if r.asJSON {
		if err := printJSON(r.out, views); err != nil {
			return err
		}
	}
	var result error
	for i := range views {
		if !r.asJSON {
			r.how(&views[i])
		}
		result = cmp.Or(outcomeError(&views[i]), result)
	}
	if stopped {
		r.say("stopped: the same command continues")
		return nil
	}
	return result
}
