package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// pageOfFeed is how many steps are read before what was made of them is sent on.
// A step has a span, and one for the attempt that it has ended.
const (
	pageOfFeed  = 500
	spansOfPage = 2 * pageOfFeed
)

// follower tells observers of the steps that stand in a database.
type follower struct {
	engine  *runtime.Engine
	traces  runtime.Observer
	figures runtime.Observer            // told of what has been sent, since it would count twice
	sent    func(context.Context) error // sends what the observer was told
	keep    func(position int64) error  // keeps how far it has come
	log     func(format string, args ...any)
}

// follow tells of all steps behind a position, and then of each that comes, until ctx is done.
func (f *follower) follow(ctx context.Context, position int64, every time.Duration) error {
	seen := int64(-1)
	for {
		changed, err := f.engine.Changed(ctx)
		if err == nil && changed != seen {
			position, err = f.catchUp(ctx, position)
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			f.log("%v; it is tried again", err)
		default:
			seen = changed
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
		}
	}
}

// catchUp tells of all steps behind a position, and gives the position behind them. What could not be
// sent is told again: its spans have the same ids.
func (f *follower) catchUp(ctx context.Context, position int64) (int64, error) {
	for {
		rows, err := f.engine.Feed(ctx, position, pageOfFeed)
		if err != nil || len(rows) == 0 {
			return position, err
		}
		steps, err := f.page(ctx, rows)
		if err != nil {
			return position, err
		}
		tell(f.traces, steps)
		if err := f.sent(ctx); err != nil {
			return position, fmt.Errorf("it cannot be sent: %w", err)
		}
		tell(f.figures, steps)
		position = rows[len(rows)-1].ID
		if err := f.keep(position); err != nil {
			return position, err
		}
	}
}

// told is what an observer is told of a step.
type told struct {
	step    runtime.StepInfo
	attempt *runtime.AttemptInfo // that the step has ended; nil for none
}

func tell(o runtime.Observer, steps []told) {
	for i := range steps {
		o.OnStep(steps[i].step)
		if a := steps[i].attempt; a != nil {
			o.OnAttempt(*a)
		}
	}
}

// page reads some steps. What cannot be read is left out, and said: it would be met again.
func (f *follower) page(ctx context.Context, rows []runtime.FeedRow) (steps []told, err error) {
	histories := map[string]*history{}
	for i := range rows {
		row := &rows[i]
		if histories[row.Run] == nil {
			h, err := f.read(ctx, rows[i:], row.Run)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil && !errors.Is(err, runtime.ErrNotFound): // which has been pruned
				f.log("run %q is left out: %v", row.Run, err)
			}
			histories[row.Run] = h
		}
		if step := histories[row.Run].steps[row.Seq]; step != nil {
			steps = append(steps, toldOf(row, histories[row.Run].started, step))
		}
	}
	return steps, nil
}

// history is what a page has of a run.
type history struct {
	started time.Time
	steps   map[int64]*runtime.StepView
}

// read reads the steps of a run that stand in rows; the first of them is of the run.
func (f *follower) read(ctx context.Context, rows []runtime.FeedRow, run string) (*history, error) {
	h := &history{steps: map[int64]*runtime.StepView{}}
	first, last := rows[0].Seq, rows[0].Seq
	for i := range rows {
		if rows[i].Run == run {
			last = rows[i].Seq
		}
	}
	steps, err := f.engine.History(ctx, run, first-1, int(last-first+1))
	if err != nil {
		return h, err
	}
	start := steps
	if first > 1 {
		if start, err = f.engine.History(ctx, run, 0, 1); err != nil {
			return h, err
		}
	}
	if len(start) == 0 {
		return h, fmt.Errorf("it has no first step: %w", runtime.ErrNotFound)
	}
	h.started = start[0].At
	for i := range steps {
		h.steps[steps[i].Seq] = &steps[i]
	}
	return h, nil
}

// toldOf is what a line of history says.
func toldOf(row *runtime.FeedRow, started time.Time, s *runtime.StepView) told {
	var record struct {
		Visit int64 `json:"visit"`
	}
	_ = json.Unmarshal(row.Record, &record) // it has been read with the step
	info := runtime.StepInfo{
		Run: row.Run, Machine: row.Machine, Started: started, Seq: s.Seq, At: s.At, From: s.From, To: s.To, Visit: record.Visit,
		Input: s.Input, Effect: s.Effect, Arm: s.Arm, Event: eventOf(s), Guards: s.Guards, Costs: s.Costs, Count: s.Count,
		Passed: s.Passed, Held: duration(s.Held), Actor: s.Actor, Reason: s.Reason,
	}
	if s.Effect == machine.HaltedBy {
		info.Reason = s.Message
	}
	end, ended := endOf(s)
	if !ended {
		return told{step: info}
	}
	visit := record.Visit
	if s.Effect == machine.Moved {
		visit--
	}
	attempt := runtime.AttemptInfo{
		Run: row.Run, Machine: row.Machine, Activity: s.Activity, Key: s.Key, Attempt: s.Attempt, Worker: s.Worker,
		Started: started, Visit: visit, Fence: s.Seq, At: s.At, // no two claims end with one step
		End: end, Category: s.Category, Message: s.Message, Duration: duration(s.Took), Event: info.Event,
	}
	for _, c := range s.Costs {
		if attempt.Cost == nil {
			attempt.Cost = map[string]json.Number{}
		}
		attempt.Cost[c.Name] = json.Number(c.Spent)
	}
	return told{info, &attempt}
}

// eventOf is the name of the event of a step, empty where it has none: `review.Completed` is one of
// a child, and has none either.
func eventOf(s *runtime.StepView) string {
	if s.Kind == machine.EventInput || s.Kind == machine.KeptInput || s.Kind == machine.ResultInput && s.Effect != machine.Ended {
		return s.Input
	}
	return ""
}

// ends are how the steps that end an attempt do so, by their kind.
var ends = map[machine.InputKind]runtime.AttemptEnd{
	machine.ResultInput: runtime.AttemptResult, machine.FailureInput: runtime.AttemptFailed, machine.LostInput: runtime.AttemptLost,
	machine.ReturnInput: runtime.AttemptReturned, machine.LateInput: runtime.AttemptFenced,
}

// endOf says how a step has ended an attempt, if it has. One that ended while its run was paused
// has ended when that was queued.
func endOf(s *runtime.StepView) (end runtime.AttemptEnd, ended bool) {
	end, ended = ends[s.Kind]
	return end, ended && (!s.Queued || s.Effect == machine.Queued)
}

func duration(text string) time.Duration {
	d, _ := time.ParseDuration(text) // empty for none
	return d
}
