package main

import (
	"context"
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
)

// audit holds what the simulation knows against what the runtime says.
func (s *swarm) audit(ctx context.Context, engine *runtime.Engine) ([]program.Promise, error) {
	w := s.whole
	found, err := s.inspect(ctx, engine)
	if err != nil {
		return nil, err
	}
	t := &s.tally
	orphans := len(t.Orphans) + found.unfinished
	promises := []program.Promise{
		{Kept: found.unfinished == 0, Text: fmt.Sprintf("%d tasks: %d completed, %d failed, %d cancelled, %d without an end",
			s.config.tasks, found.completed, found.failed, found.cancelled, found.unfinished)},
		{Kept: orphans == 0, Text: fmt.Sprintf("%d tasks orphaned, %.1f %% (the article: 0.3 %%); the longest time that one in progress had nobody is %s",
			orphans, 100*float64(orphans)/float64(s.config.tasks), t.Longest.Round(time.Second))},
		{Kept: w.table.twice() == 0, Text: fmt.Sprintf("%d batches written twice; %d were asked for again under their key, %d by an attempt that had been replaced",
			w.table.twice(), w.table.repeats, w.table.refused)},
		{Kept: found.gaps == 0, Text: fmt.Sprintf("%d completed tasks with a row missing", found.gaps)},
		{Kept: found.byZombie == 0 && t.ZombieCheckpoints == 0, Text: fmt.Sprintf("%d zombies came back to deliver: %d of their results were taken, %d of their checkpoints; %d late results stand in history as refused",
			t.Zombies, found.byZombie, t.ZombieCheckpoints, t.Refused)},
		{Kept: found.announced == 0, Text: fmt.Sprintf("%d tasks announced more or less than once", found.announced)},
		{Kept: w.early() == 0, Text: fmt.Sprintf("%d tasks cleaned up after a cancellation, %d of them while someone worked on them", len(w.table.closed), w.early())},
		{Kept: found.differ == 0, Text: fmt.Sprintf("%d histories replayed, %d differ from what is stored", found.replayed, found.differ)},
	}
	return append(promises, s.saved()...), nil
}

// saved compares continuing from checkpoints with beginning from zero, over every
// time that a task was continued: how many rows were done again, and how many
// were left to do.
func (s *swarm) saved() []program.Promise {
	t := &s.tally
	n, worked := max(t.Recoveries, 1), 0
	for _, task := range s.whole.tasks {
		worked += task.worked
	}
	return []program.Promise{
		{Kept: t.Repeated <= t.WouldRepeat, Text: fmt.Sprintf("%d times a task was continued: %d rows repeated on average, %d from a cold start; %d rows done in all",
			t.Recoveries, t.Repeated/n, t.WouldRepeat/n, worked)},
		{Kept: t.Remaining <= t.RemainingIfCold, Text: fmt.Sprintf("%d rows left to do on average, %d from a cold start: %.1f times fewer (the article: 3.2 times faster)",
			t.Remaining/n, t.RemainingIfCold/n, float64(t.RemainingIfCold)/float64(max(t.Remaining, 1)))},
	}
}

// findings are what the runs say.
type findings struct {
	completed, failed, cancelled, unfinished int
	byZombie, gaps, announced                int
	replayed, differ                         int
}

// inspect looks at every run.
func (s *swarm) inspect(ctx context.Context, engine *runtime.Engine) (f findings, err error) {
	runs, w, t := TaskLifecycleRuns{Engine: engine}, s.whole, &s.tally
	for id, task := range w.tasks {
		run, err := runs.Get(ctx, id)
		if err != nil {
			return f, err
		}
		announced := 0
		switch run.State {
		case TaskLifecycleStateCompleted:
			f.completed++
			announced = 1
			if !w.table.whole(id) {
				f.gaps++
			}
			if task.zombies[run.Data.Result.Value] {
				f.byZombie++
			}
		case TaskLifecycleStateFailed:
			f.failed++
		case TaskLifecycleStateCancelled:
			f.cancelled++
		default:
			f.unfinished++
		}
		if len(t.Completed[id]) != announced {
			f.announced++
		}
	}
	replayed, differ, err := program.Replay(ctx, engine)
	f.replayed, f.differ = replayed["TaskLifecycle"], differ
	return f, err
}
