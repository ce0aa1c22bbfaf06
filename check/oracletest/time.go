package oracletest

import (
	"math/rand/v2"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// maxWalk is the most inputs of one walk.
const maxWalk = 80

// Slowest is how long the slowest of some random runs lasts, as far as it is
// walked. What has a limit mostly takes all of it; what has none takes a year.
func (s *Space) Slowest(r *rand.Rand, walks int) time.Duration {
	slowest := time.Duration(0)
	for range walks {
		w := &walk{Space: s, Rand: r, at: s.m.NewSnapshot("r", r.Uint64()), now: start}
		slowest = max(slowest, w.last())
	}
	return slowest
}

// walk is one run in its own time.
type walk struct {
	*Space
	*rand.Rand
	at    *machine.Snapshot
	now   time.Time
	since map[[2]int]time.Time // by do and element: when the attempt under way has started, or will
}

// last walks, and gives how long the run lasted until its last step.
func (w *walk) last() time.Duration {
	for range maxWalk {
		in, ok := w.next()
		if !ok || !w.takes(in) {
			break
		}
	}
	return w.at.Now.Sub(start)
}

// takes gives the run an input, and reports whether it goes on.
func (w *walk) takes(in machine.Input) bool {
	ask := func(int, []machine.Value) (bool, error) { return w.IntN(2) == 0, nil }
	next, commands, _, err := w.m.Step(w.at, in, w.now, ask)
	if err != nil {
		return in.Kind == machine.EventInput
	}
	for _, c := range commands {
		if c.Kind == machine.StartTask {
			if w.since == nil {
				w.since = map[[2]int]time.Time{}
			}
			w.since[[2]int{c.Task.Do, c.Task.Index}] = later(w.now, c.Task.NotBefore)
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
	limit, out := w.limit()
	if w.IntN(4) > 0 {
		w.now = limit
		if in, due := w.m.Next(w.at, w.now); due {
			return in, true
		}
		if out != nil && w.IntN(2) == 0 {
			return *out, true
		}
	}
	var list []machine.Input
	for _, in := range w.others(w.at) {
		switch in.Kind {
		case machine.CancelInput, machine.ProgressInput:
			continue
		case machine.ResultInput, machine.FailureInput, machine.SpentInput:
			if w.since[[2]int{in.Do, in.Index}].After(w.now) || w.timedOut(in) {
				continue
			}
		}
		list = append(list, in)
	}
	if len(list) == 0 {
		if out != nil {
			w.now = limit
			return *out, true
		}
		w.now = limit
		return w.m.Next(w.at, w.now)
	}
	return w.one(list)
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

// limit is the time until which nothing need happen: that of the next timer or
// of the next attempt to run out of its time, whose failure out is then.
func (w *walk) limit() (limit time.Time, out *machine.Input) {
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
		since := w.since[[2]int{task.Do, task.Index}]
		if timeout := w.Def.Dos[task.Do].Timeout; timeout != nil && since.Add(time.Duration(*timeout)).Before(limit) {
			limit = since.Add(time.Duration(*timeout))
			out = &machine.Input{Kind: machine.FailureInput, Do: task.Do, Index: task.Index, Key: task.Key, Attempt: task.Attempt, Category: w.category("timeout")}
		}
		if since.After(w.now) && since.Before(limit) { // the next attempt starts
			limit, out = since, nil
		}
	}
	return limit, out
}

func (w *walk) category(name string) int {
	for k, c := range w.Def.Categories {
		if c == name {
			return k
		}
	}
	return -1
}
