package runtime

import (
	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// hitBefore is at the failpoints just before w is made durable as c, by what it does.
func (w *write) hitBefore(c *store.Commit) {
	if !failpoint.Enabled {
		return
	}
	failpoint.Hit(failpoint.BeforeCommit)
	for _, r := range w.records {
		if r.Input.Kind == machine.OverBudgetInput || r.Effect == machine.Held {
			failpoint.Hit(failpoint.BudgetPassed)
		}
	}
	if c.Total != nil {
		failpoint.Hit(failpoint.CostGoesUp)
	}
	if w.endsChild() {
		failpoint.Hit(failpoint.ChildEnds)
	}
}

// hitAfter is at those just after that.
func (w *write) hitAfter() {
	if !failpoint.Enabled {
		return
	}
	failpoint.Hit(failpoint.AfterCommit)
	if w.endsChild() {
		failpoint.Hit(failpoint.ChildEnded)
	}
	if w.endsElement() {
		failpoint.Hit(failpoint.ElementEnded)
	}
}

func (w *write) endsChild() bool {
	return w.after.Status == Finished && w.before.Status != Finished && store.MayBeChild(w.after.Run)
}

// endsElement reports whether an element has ended and others of its list are open.
func (w *write) endsElement() bool {
	if len(w.after.Lists) == 0 || !w.after.HasOpenTask() {
		return false
	}
	for _, r := range w.records {
		ended := r.Input.Kind == machine.ResultInput || r.Input.Kind == machine.FailureInput
		if ended && r.Effect != machine.Retried && w.host.machine.Definition().Dos[r.Input.Do].Fan != nil {
			return true
		}
	}
	return false
}
