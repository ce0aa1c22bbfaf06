package oracletest

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// maxWalk is the most inputs of one walk.
const maxWalk = 80

// Slowest is how long the slowest of some random runs lasts, with those that it starts, as far
// as they are walked. What has a limit mostly takes all of it, and in each other run always; what
// has none takes a year.
func (s *Space) Slowest(r *rand.Rand, walks int) time.Duration {
	slowest := time.Duration(0)
	for i := range walks {
		passed := walked(s, r, start, i%2 == 1)
		slowest = max(slowest, passed[len(passed)-1].done().Sub(start))
	}
	return slowest
}

// walk is one run in its own time.
type walk struct {
	*Space
	*rand.Rand
	at    *machine.Snapshot
	now   time.Time
	slow  bool                 // whatever has a limit takes all of it
	since map[[2]int]time.Time // by do and element: when the attempt under way has started, or will

	children map[[2]int]*child // the same: its run
	stopping time.Time         // when the last run has stopped that this one has left behind
}

// walked is a random run of s that begins at a time, as it was behind each of its inputs. In the
// moment of its last one it may be cancelled instead.
func walked(s *Space, r *rand.Rand, at time.Time, slow bool) []*walk {
	w := &walk{
		Space: s, Rand: r, at: s.m.NewSnapshot("r", r.Uint64()), now: at, slow: slow,
		since: map[[2]int]time.Time{}, children: map[[2]int]*child{},
	}
	passed := []*walk{w.copied()}
	note := func(w *walk) { passed = append(passed, w.copied()) }
	w.on(note)
	if n := len(passed) - 1; n > 1 && w.at.Status.Over() && r.IntN(2) == 0 {
		before := passed[n-1].copied()
		before.now = w.now
		if _, due := before.m.Next(before.at, before.now); !due {
			passed = passed[:n]
			before.cancelled(note)
		}
	}
	return passed
}

// cancelled walks on with a cancel.
func (w *walk) cancelled(step func(*walk)) {
	w.begin()
	goesOn := w.takes(machine.Input{Kind: machine.CancelInput})
	if step(w); goesOn {
		w.on(step)
	}
}

// on walks on, and calls step behind each input.
func (w *walk) on(step func(*walk)) {
	for range maxWalk {
		in, ok := w.next()
		if !ok {
			return
		}
		goesOn := w.takes(in)
		if step(w); !goesOn {
			return
		}
	}
}

// takes gives the run an input, and reports whether it goes on.
func (w *walk) takes(in machine.Input) bool {
	ask := func(int, []machine.Value) (bool, error) { return w.IntN(2) == 0, nil }
	next, commands, _, err := w.m.Step(w.at, in, w.now, ask)
	if err != nil {
		return in.Kind == machine.EventInput
	}
	w.leave(in, commands)
	for _, c := range commands {
		if c.Kind == machine.StartTask {
			w.since[placeOf(c.Task)] = later(later(w.now, c.Task.NotBefore), w.stopping)
		}
	}
	w.at = next
	return next.Status == machine.Running
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// next is an input that can come, and moves the time on to when it does.
func (w *walk) next() (machine.Input, bool) {
	if w.at.State < 0 {
		return w.one(w.each(machine.Input{Kind: machine.StartInput}, w.Def.Params))
	}
	if in, due := w.m.Next(w.at, w.now); due {
		return in, true
	}
	w.begin()
	limit, out, starts := w.limit()
	if w.slow || w.IntN(4) > 0 {
		w.now = limit
		if in, due := w.m.Next(w.at, w.now); due {
			return in, true
		}
		if out != nil && (w.slow || w.IntN(2) == 0) {
			return *out, true
		}
		if starts && w.slow {
			return w.next()
		}
	}
	var list []machine.Input
	for _, in := range w.others(w.at) {
		if w.may(in) {
			list = append(list, in)
		}
	}
	if len(list) > 0 {
		return w.one(list)
	}
	w.now = limit
	switch {
	case out != nil:
		return *out, true
	case starts:
		return w.next()
	}
	return w.m.Next(w.at, w.now)
}

// may reports whether in can come at any time: what a run says that this one has started comes
// when that has ended.
func (w *walk) may(in machine.Input) bool {
	switch in.Kind {
	case machine.CancelInput, machine.ProgressInput:
		return false
	case machine.ResultInput, machine.FailureInput, machine.SpentInput:
		since := w.since[[2]int{in.Do, in.Index}]
		if w.callees[w.Def.Dos[in.Do].Activity] != nil {
			return in.Kind == machine.FailureInput && w.Def.Categories[in.Category] == "unknown" && since.Equal(w.now)
		}
		return !since.After(w.now) && !w.timedOut(in)
	}
	return true
}

func (w *walk) one(list []machine.Input) (machine.Input, bool) {
	if len(list) == 0 {
		return machine.Input{}, false
	}
	return list[w.IntN(len(list))], true
}

// limited are the categories of time limits.
var limited = map[string]bool{"timeout": true, "silent": true, "stalled": true}

func (w *walk) timedOut(in machine.Input) bool {
	return in.Kind == machine.FailureInput && limited[w.Def.Categories[in.Category]]
}

// limit is the time until which nothing need happen: that of the next timer, or of the next
// attempt to run out of its time or of the next run to end, and out is what that says then; or
// that at which an attempt starts.
func (w *walk) limit() (limit time.Time, out *machine.Input, starts bool) {
	limit = w.now.AddDate(1, 0, 0)
	for _, a := range w.at.Alarms {
		if a.Due.Before(limit) {
			limit = a.Due
		}
	}
	for _, task := range w.at.Tasks {
		if task.State != machine.TaskOpen {
			continue
		}
		since := w.since[placeOf(task)]
		if since.After(w.now) {
			if since.Before(limit) {
				limit, out, starts = since, nil, true
			}
			continue
		}
		if timeout := w.Def.Dos[task.Do].Timeout; timeout != nil && since.Add(time.Duration(*timeout)).Before(limit) {
			limit, out, starts = since.Add(time.Duration(*timeout)), w.fails(task, "timeout"), false
		}
		if c := w.children[placeOf(task)]; c != nil && !c.over.IsZero() && c.over.Before(limit) {
			limit, out, starts = later(c.over, w.now), c.tells(w, task), false
		}
	}
	return limit, out, starts
}

// fails is the failure of an attempt with a category.
func (w *walk) fails(task machine.Task, category string) *machine.Input {
	k := slices.Index(w.Def.Categories, category)
	return &machine.Input{Kind: machine.FailureInput, Do: task.Do, Index: task.Index, Key: task.Key, Attempt: task.Attempt, Category: k}
}
