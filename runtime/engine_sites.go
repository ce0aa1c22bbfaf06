package runtime

import (
	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// sites are the failpoints just before w is made durable as c, by what it does.
func (w *write) sites(c *store.Commit) (sites []failpoint.Site) {
	if !failpoint.Enabled {
		return nil
	}
	for _, r := range w.records {
		if r.Input.Kind == machine.OverBudgetInput || r.Effect == machine.Held {
			sites = append(sites, failpoint.BudgetPassed)
		}
	}
	if c.Total != nil {
		sites = append(sites, failpoint.CostGoesUp)
	}
	if w.endsChild() {
		sites = append(sites, failpoint.ChildEnds)
	}
	return sites
}

// sitesAfter are those just after that.
func (w *write) sitesAfter() (sites []failpoint.Site) {
	if !failpoint.Enabled {
		return nil
	}
	if w.endsChild() {
		sites = append(sites, failpoint.ChildEnded)
	}
	if w.endsElement() {
		sites = append(sites, failpoint.ElementEnded)
	}
	return sites
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
