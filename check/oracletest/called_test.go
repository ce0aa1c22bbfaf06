package oracletest

import (
	"maps"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// A run in its own time starts others, in theirs. A child is walked to its end when it begins,
// since its caller gives it nothing but a cancel: what that does is walked from
// where the child was then. It is given any arguments, as the figures of its machine hold for all.
//
// What the caller has left behind, or has cancelled for its `timeout`, goes on until it has
// stopped: until then no attempt of the caller begins, and the caller has not ended.

// child is a run that was started by another.
type child struct {
	passed []*walk   // as it was behind each of its inputs
	over   time.Time // when it has ended, and all that it has started; zero if it has not by then
}

// begin starts the runs that are due.
func (w *walk) begin() {
	for _, t := range w.at.Tasks {
		k := placeOf(t)
		callee := w.callees[w.Def.Dos[t.Do].Activity]
		if t.State != machine.TaskOpen || callee == nil || w.children[k] != nil || w.since[k].After(w.now) {
			continue
		}
		c := &child{passed: walked(callee, w.Rand, w.since[k], w.slow || w.IntN(2) == 0)}
		w.children[k] = c
		if last := c.passed[len(c.passed)-1]; last.at.Status.Over() {
			c.over = last.done()
		}
	}
}

// stops is when c has stopped that is cancelled at a time.
func (c *child) stops(at time.Time) time.Time {
	var run *walk
	for _, w := range c.passed {
		if !w.now.After(at) {
			run = w
		}
	}
	if run == nil || run.at.Status.Over() {
		return later(at, c.over)
	}
	run = run.copied()
	run.now = at
	if run.at.State < 0 { // it has not begun
		return at
	}
	run.cancelled(func(*walk) {})
	return later(at, run.done())
}

// tells is what the run of a task tells w once it has ended.
func (c *child) tells(w *walk, task machine.Task) *machine.Input {
	at := c.passed[len(c.passed)-1].at
	last := w.callees[w.Def.Dos[task.Do].Activity].Machine.States[at.State]
	var list []machine.Input
	in := machine.Input{Kind: machine.ResultInput, Do: task.Do, Index: task.Index, Key: task.Key, Attempt: task.Attempt}
	for _, e := range w.Def.Activities[w.Def.Dos[task.Do].Activity].Results {
		if in.Event = e; w.ending(in) == last.Name {
			list = append(list, w.each(in, w.Def.Events[e].Fields)...)
		}
	}
	if len(list) == 0 { // it was cancelled
		return w.fails(task, "cancelled")
	}
	in, _ = w.one(list)
	return &in
}

// leave stops the runs that a step has left behind, and lets what begins later wait for them.
func (w *walk) leave(in machine.Input, commands []machine.Command) {
	for _, c := range commands {
		k := placeOf(c.Task)
		run := w.children[k]
		if run == nil || c.Kind != machine.CancelTask && c.Kind != machine.EndTask {
			continue
		}
		delete(w.children, k)
		if c.Kind == machine.CancelTask || w.timedOut(in) {
			w.stopping = later(w.stopping, run.stops(w.now))
		}
	}
	for k, since := range w.since {
		if !since.Before(w.now) && w.children[k] == nil { // what would begin now may be too late
			w.since[k] = later(since, w.stopping)
		}
	}
}

// placeOf is the do and the element of a task.
func placeOf(t machine.Task) [2]int { return [2]int{t.Do, t.Index} }

// done is when the run has ended, with all that it has started, as far as it has come.
func (w *walk) done() time.Time { return later(w.at.Now, w.stopping) }

// copied is w as it is, to be walked on in another way.
func (w *walk) copied() *walk {
	c := *w
	c.since, c.children = maps.Clone(w.since), maps.Clone(w.children)
	return &c
}
