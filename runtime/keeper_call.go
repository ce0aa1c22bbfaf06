package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// call is the task of a child, which a keeper has claimed.
type call struct {
	running
	parent *machine.Snapshot
	root   string
	tags   map[string]string // of the parent, which its children have, too
	hears  *store.Report     // of the child that has ended; nil where all is known
}

// childOf says of a run that starts which task it is the child of.
type childOf struct {
	task *store.TaskRow
	root string
}

// prepare reads the parent. Where there is nothing to do the task has been dealt with.
func (c *call) prepare() bool {
	e, t := c.engine, &c.task
	row, err := e.store.Load(c.ctx, t.Run)
	if err != nil {
		return c.notNow(e.poll, err.Error())
	}
	if c.host, c.parent, err = e.decode(c.ctx, &row); err != nil {
		return c.notNow(longestRest, err.Error())
	}
	c.root, c.tags = row.Root, row.Tags
	of, known := attemptOf(c.host.machine, t)
	switch {
	case !known || c.host.machine.Callee(of.Do) == "":
		return c.notNow(longestRest, "there is no such call")
	case !c.parent.IsOpen(of):
		c.confirm()
		return false
	case c.parent.Status != Running || !c.parent.PausedAt.IsZero():
		return c.notNow(0, "the run is paused or halted") // nothing of it is claimed until it goes on
	}
	c.attempt = of
	return true
}

// start starts the child, with arguments as they are now.
func (c *call) start() {
	e, m, t := c.engine, c.host.machine, &c.task
	id := m.ChildID(c.parent, c.attempt)
	callee, err := e.host(c.ctx, m.Callee(c.attempt.Do))
	if err == nil {
		err = e.keepDefinition(c.ctx, callee)
	}
	if err != nil {
		e.logger.Error("a child cannot start", slog.String("run", t.Run), slog.String("machine", t.Activity), slog.Any("error", err))
		c.release(longestRest, err.Error(), nil)
		return
	}
	if len(id) > machine.MaxChildID {
		c.fail("unknown", fmt.Sprintf("the id of the child would have %d bytes, more than the %d that are allowed", len(id), machine.MaxChildID))
		return
	}
	if m.Begins(c.parent, c.attempt.Do) {
		parent, begun := c.begin(c.parent)
		if !begun {
			return
		}
		c.parent = parent
	}
	a := e.asker(c.ctx, c.host)
	args, err := m.TaskArgs(c.parent, c.attempt, e.now(), a.ask)
	switch {
	case a.unasked != nil:
		c.release(longestRest, a.unasked.Error(), nil)
		return
	case err != nil:
		c.fail("unknown", err.Error())
		return
	}
	failpoint.Hit(failpoint.ChildStarts)
	child := &childOf{t, c.root}
	_, err = c.apply(answered, &request{run: id, start: callee, child: child, tags: c.tags, input: func(of *Machine, _ *machine.Snapshot) (machine.Input, error) {
		in, err := of.StartInput(args, e.now(), e.maxPayload)
		in.Actor, in.Above = t.Run, m.HeldBelow(c.parent)
		return in, err
	}})
	failpoint.Hit(failpoint.ChildStarted)
	c.started(id, err)
	e.changes.notify(t.Run)
}

// started deals with what became of the start of a child.
func (c *call) started(id string, err error) {
	var refused *Rejected
	switch {
	case err == nil:
	case errors.Is(err, ErrExists): // perhaps by this very task, which is held by it then
		c.fail("unknown", "there is a run "+strconv.Quote(id)+" already")
	case errors.As(err, &refused):
		c.fail("unknown", "its arguments do not fit: "+refused.Why)
	case errors.Is(err, ErrFenced):
		c.leave()
	case errors.Is(err, ErrNoGuard):
		c.release(longestRest, err.Error(), nil)
	default:
		c.engine.logger.Error("a child could not be started; it will be tried again", slog.String("run", c.task.Run),
			slog.String("child", id), slog.Any("error", err))
	}
}

// leave gives up a task that is not the keeper's any more: because its run has moved on, is
// paused or halted, or because another keeper has the task.
func (c *call) leave() {
	e := c.engine
	claim := c.task.Claim()
	if err := e.store.Confirm(c.ctx, claim, e.now()); errors.Is(err, ErrFenced) {
		e.releaseCall(c.ctx, claim, e.now())
	}
	e.letGo(claim.Run)
}

// releaseCall lets others have the task of a child from notBefore on, if it is still held.
func (e *Engine) releaseCall(ctx context.Context, c store.Claim, notBefore time.Time) {
	if err := e.store.Release(ctx, c, e.now(), notBefore); err != nil && !errors.Is(err, ErrFenced) {
		e.logger.Warn("the task of a child could not be released; its lease runs out", slog.String("run", c.Run), slog.Any("error", err))
	}
}

// tell tells the parent how the child has ended.
func (c *call) tell() {
	e := c.engine
	h, child, err := e.snapshot(c.ctx, c.task.Child)
	if err == nil {
		c.hears, err = e.reportOf(c.ctx, c.task.Child)
	}
	if err != nil {
		e.logger.Error("a child that has ended cannot be read", slog.String("run", c.task.Run), slog.Any("error", err))
		c.release(longestRest, err.Error(), nil)
		return
	}
	in := c.host.machine.EndedInput(c.attempt, h.machine, child, e.maxPayload)
	in.Took = child.Now.Sub(child.Started)
	c.write(in)
}

// overdue says that the time of the child is over.
func (c *call) overdue() {
	c.fail("timeout", fmt.Sprintf("the run %q has not ended within %s", c.task.Child, machine.DurationText(c.task.Timeout)))
}

func (c *call) fail(category, message string) {
	c.write(c.host.machine.FailureInput(c.attempt, category, message))
}

// write gives the parent the end of the attempt, under the claim.
func (c *call) write(in machine.Input) {
	e, claim, m := c.engine, c.task.Claim(), c.host.machine
	info := c.named(endOf(m, &in))
	in.Actor = c.task.Child
	if in.Worker = e.worker; in.Took > 0 {
		info.Duration = in.Took
	}
	failpoint.Hit(failpoint.TellsParent)
	_, err := c.apply(answered, &request{run: claim.Run, claim: &claim, hears: c.hears, attempt: &info, input: func(now *Machine, s *machine.Snapshot) (machine.Input, error) {
		if now.Hash() != m.Hash() {
			return in, fmt.Errorf("%w: the run has another definition by now", ErrFenced)
		}
		if c.hears == nil {
			return in, nil
		}
		total, told, err := decodeReport(c.hears)
		in.AddBelow(s, total, told)
		return in, err
	}})
	failpoint.Hit(failpoint.ParentTold)
	switch {
	case err == nil:
	case errors.Is(err, ErrFenced), errors.Is(err, ErrHalted):
		c.leave()
	case errors.Is(err, ErrNoGuard):
		c.release(longestRest, err.Error(), nil)
	default:
		e.logger.Error("a parent could not be told; it will be tried again", slog.String("run", claim.Run),
			slog.String("child", c.task.Child), slog.Any("error", err))
	}
}
