package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// checkpoint is what an agent leaves behind for the next one.
type checkpoint struct {
	Row int    `json:"row"` // the first that has not been done
	By  string `json:"by"`
}

// job is an agent at work on a task.
type job struct {
	*agent
	host    *host // that holds the attempt
	task    *task
	attempt *runtime.Attempt
	random  *rand.Rand
}

// perBatch is how long an agent takes for a batch; it beats twice.
const perBatch = 20 * time.Second

// work does the task from its last checkpoint on. Between two batches it looks
// whether it is to stop.
func (j *job) work(ctx context.Context) (TaskLifecycleWorkDone, error) {
	from, err := j.resume()
	if err != nil {
		return TaskLifecycleWorkDone{}, err
	}
	again, reached := j.task.enter(j)
	if again {
		j.recovered(from, reached)
	}
	for row := from; row < rows; row += batch {
		if m, ok := j.task.befalls(row + batch); ok {
			if done := max(row, m.row); m.trouble != preempted {
				j.task.did(row, done)
			}
			return j.suffer(ctx, m, row)
		}
		if err := j.batch(ctx, row); err != nil {
			j.task.leave(j)
			return TaskLifecycleWorkDone{}, err
		}
		j.lead.wish(j.task, row+batch)
	}
	j.task.leave(j)
	return TaskLifecycleWorkDone{Result: j.result()}, nil
}

// result says who did the last row.
func (j *job) result() string {
	return fmt.Sprintf("%d rows, the last by %s in attempt %d", rows, j.name, j.attempt.Number)
}

// resume is where to begin.
func (j *job) resume() (int, error) {
	if j.attempt.Checkpoint == nil || j.cold {
		return 0, nil
	}
	var c checkpoint
	err := json.Unmarshal(j.attempt.Checkpoint, &c)
	return c.Row, err
}

// batch does the rows of one batch, writes them, and leaves a checkpoint. In
// between it may die: then the next one writes them again, under the same key.
func (j *job) batch(ctx context.Context, row int) error {
	for range 2 {
		if sleep(ctx, j.clock, perBatch/2) {
			return context.Cause(ctx)
		}
		j.attempt.Heartbeat()
	}
	j.task.did(row, row+batch)
	if err := j.table.write(j.task.id, j.attempt.Key, j.attempt.Number, row); err != nil {
		return err
	}
	for {
		err := j.attempt.Progress(checkpoint{Row: row + batch, By: j.name})
		if err == nil || ctx.Err() != nil || !errors.Is(err, errCut) {
			return err
		}
		if sleep(ctx, j.clock, perBatch/2) { // the checkpoint did not get through
			return context.Cause(ctx)
		}
		j.attempt.Heartbeat()
	}
}

// suffer is what a mishap does to the agent, in the batch that begins at row.
func (j *job) suffer(ctx context.Context, m mishap, row int) (none TaskLifecycleWorkDone, err error) {
	j.befell(m.trouble)
	what := fmt.Sprintf("%s at row %d", m.trouble, m.row)
	switch m.trouble {
	case crash:
		// What breaks the connection in the end is that the host gives up on it.
		j.die(10 * time.Minute)
		j.task.leave(j)
		<-ctx.Done()
		return none, context.Cause(ctx)
	case hang:
		j.task.leave(j)
		<-ctx.Done()
		return none, context.Cause(ctx)
	case livelock:
		j.task.leave(j)
		for !sleep(ctx, j.clock, perBatch/2) {
			j.attempt.Heartbeat()
		}
		return none, context.Cause(ctx)
	case freeze:
		return j.rise(row)
	case preempted:
		// It has 25 seconds: enough for the batch and its checkpoint.
		err := j.batch(ctx, row)
		j.task.leave(j)
		if err != nil {
			return none, err
		}
		return none, runtime.Fail(TaskLifecycleFailPreempted, what)
	}
	j.task.leave(j)
	switch m.trouble {
	case auth:
		return none, runtime.Fail(TaskLifecycleFailAuth, what)
	case schema:
		return none, runtime.Fail(TaskLifecycleFailSchema, what)
	case ambiguity:
		return none, runtime.Fail(TaskLifecycleFailAmbiguity, what)
	case logic:
		return none, runtime.Fail(TaskLifecycleFailLogic, what)
	}
	return none, runtime.Fail(TaskLifecycleFailTransient, what)
}

// rise is an agent whose machine froze. For itself no time has passed: it
// writes its batch, cannot leave a checkpoint, and delivers all the same.
func (j *job) rise(row int) (TaskLifecycleWorkDone, error) {
	j.task.leave(j)
	sleep(context.Background(), j.clock, between(j.random, 4*time.Minute, 9*time.Minute))
	if err := j.table.write(j.task.id, j.attempt.Key, j.attempt.Number, row); err == nil {
		j.task.did(row, row+batch)
	}
	if err := j.attempt.Progress(checkpoint{Row: row + batch, By: j.name}); err == nil {
		j.count(&j.tally.zombieCheckpoints)
	}
	j.count(&j.tally.zombies)
	j.task.zombie(j.result())
	return TaskLifecycleWorkDone{Result: j.result()}, nil
}
