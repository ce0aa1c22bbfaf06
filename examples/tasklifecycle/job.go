package main

import (
	"context"
	"encoding/json"
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
	id      string
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
	if before := j.ask(enters, 0, 0); before.Yes {
		j.note(func(t *tally) { t.recovered(from, before.Row) })
	}
	for row := from; row < rows; row += batch {
		if m := j.ask(befalls, row, row+batch); m.Yes {
			if done := max(row, m.Row); m.Trouble != preempted {
				j.ask(did, row, done)
			}
			return j.suffer(ctx, mishap{m.Trouble, m.Row}, row)
		}
		if err := j.batch(ctx, row); err != nil {
			j.ask(leaves, 0, 0)
			return TaskLifecycleWorkDone{}, err
		}
		j.lead.wish(j.id, j.ask(wishes, row, row+batch).Wish)
	}
	j.ask(leaves, 0, 0)
	return TaskLifecycleWorkDone{Result: j.result()}, nil
}

// ask asks the world about the task, or tells it.
func (j *job) ask(what what, from, to int) answer {
	return j.world.ask(question{What: what, Task: j.id, Visit: visit(j.host.name, j.attempt.Number), From: from, To: to,
		Key: j.attempt.Key, Attempt: j.attempt.Number, Result: j.result()})
}

// visit names an agent at work on a task.
func visit(host string, attempt int) string { return fmt.Sprintf("%s %d", host, attempt) }

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
	j.ask(did, row, row+batch)
	if !j.ask(writes, row, row+batch).Yes {
		return errOld
	}
	for {
		err := j.attempt.Progress(checkpoint{Row: row + batch, By: j.name})
		if err == nil || ctx.Err() != nil || !unreached(err) {
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
	j.note(func(t *tally) { t.Befell[m.trouble]++ })
	what := fmt.Sprintf("%s at row %d", m.trouble, m.row)
	switch m.trouble {
	case crash:
		// What breaks the connection in the end is that the host gives up on it.
		j.die(10 * time.Minute)
		fallthrough
	case hang:
		j.ask(leaves, 0, 0)
		<-ctx.Done()
		return none, context.Cause(ctx)
	case livelock:
		j.ask(leaves, 0, 0)
		for !sleep(ctx, j.clock, perBatch/2) {
			j.attempt.Heartbeat()
		}
		return none, context.Cause(ctx)
	case freeze:
		return j.rise(row)
	case preempted:
		// It has 25 seconds: enough for the batch and its checkpoint.
		err := j.batch(ctx, row)
		j.ask(leaves, 0, 0)
		if err != nil {
			return none, err
		}
		return none, runtime.Fail(TaskLifecycleFailPreempted, what)
	}
	j.ask(leaves, 0, 0)
	return none, runtime.Fail(failures[m.trouble], what)
}

// failures are what an agent says of a trouble with which it can do no more.
var failures = map[trouble]string{
	transient: TaskLifecycleFailTransient, auth: TaskLifecycleFailAuth, schema: TaskLifecycleFailSchema,
	ambiguity: TaskLifecycleFailAmbiguity, logic: TaskLifecycleFailLogic,
}

// rise is an agent whose machine froze. For itself no time has passed: it
// writes its batch, cannot leave a checkpoint, and delivers all the same.
func (j *job) rise(row int) (TaskLifecycleWorkDone, error) {
	j.ask(leaves, 0, 0)
	sleep(context.Background(), j.clock, between(j.random, 4*time.Minute, 9*time.Minute))
	if j.ask(writes, row, row+batch).Yes {
		j.ask(did, row, row+batch)
	}
	if err := j.attempt.Progress(checkpoint{Row: row + batch, By: j.name}); err == nil {
		j.count(&j.tally.ZombieCheckpoints)
	}
	j.count(&j.tally.Zombies)
	j.ask(rises, 0, 0)
	return TaskLifecycleWorkDone{Result: j.result()}, nil
}
