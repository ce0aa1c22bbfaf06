package scenarios

import (
	"errors"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/simulate"
)

// pace says which moves wait until the time that the checker gives them. Waits are shorter in a
// scenario, which has no jitter, so that no one way is right for all runs.
type pace int

const (
	eventsWait pace = iota
	allWait
	noneWaits
	paces
)

// mostPutOff is how often a wait puts off idle timers.
const mostPutOff = 50

// waitFor waits until a timer fires. Idle timers that would fire before it are put off by checkpoints of an attempt.
func (w *writer) waitFor(timer int) error {
	for n := 0; ; n++ {
		var due, idle time.Time
		for _, a := range w.sim.Run().Alarms {
			switch {
			case a.Timer == timer:
				due = a.Due
			case w.x.Definition().Timers[a.Timer].Idle && (idle.IsZero() || a.Due.Before(idle)):
				idle = a.Due
			}
		}
		if due.IsZero() {
			return errors.New("its timer does not run there")
		}
		name := w.running()
		if idle.IsZero() || !idle.Before(due) || name == "" || n == mostPutOff {
			return w.wait(due)
		}
		now := w.sim.Now()
		if err := w.wait(now.Add(idle.Sub(now) * 9 / 10)); err != nil {
			return err
		}
		w.line("%s checkpoint", name)
		if err := w.take(simulate.Move{Kind: machine.ProgressInput, Do: name}); err != nil {
			return err
		}
	}
}

// running is an attempt that is under way, by the name that a line has for it; empty for none.
func (w *writer) running() string {
	for _, t := range w.underWay() {
		if name, err := w.nameOf(&t); err == nil {
			return name
		}
	}
	return ""
}

// underWay are the attempts that run now.
func (w *writer) underWay() []machine.Task {
	return slices.DeleteFunc(w.sim.Run().HandedOut(), func(t machine.Task) bool { return t.NotBefore.After(w.sim.Now()) })
}

// wait lets time pass until a moment.
func (w *writer) wait(until time.Time) error {
	d := until.Sub(w.sim.Now())
	if d <= 0 {
		return nil
	}
	w.line("wait %s", ir.FormatDuration(int64(d)))
	return w.take(simulate.Move{Kind: machine.TimerInput, Pass: d})
}
