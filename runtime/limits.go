package runtime

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// closedLimits are the limits that let nothing begin now. Where none of the tasks is ready, but for
// a worker or a limit that opens, it asks for none.
func (e *Engine) closedLimits(ctx context.Context, tasks []store.TaskRow) ([]store.LimitRow, error) {
	now := e.now()
	if !slices.ContainsFunc(tasks, func(t store.TaskRow) bool { return t.Worker == "" && !t.NotBefore.After(now) }) {
		return nil, nil
	}
	limits, err := e.store.Limits(ctx, now)
	if err != nil {
		return nil, fmt.Errorf("the limits of activities: %w", err)
	}
	return slices.DeleteFunc(limits, func(l store.LimitRow) bool { return l.Open(now) }), nil
}

// limitOf is the limit of a task's activity, nil for none.
func limitOf(limits []store.LimitRow, t *store.TaskRow) *store.LimitRow {
	for i := range limits {
		if l := &limits[i]; l.Machine == t.Machine && l.Activity == t.Activity {
			return l
		}
	}
	return nil
}

// limitView is the closed limit for which a task waits that no one holds, nil for none.
func limitView(closed []store.LimitRow, t *store.TaskRow) *machine.LimitView {
	l := limitOf(closed, t)
	switch {
	case l == nil || t.Worker != "":
		return nil
	case l.Full():
		return &machine.LimitView{Text: fmt.Sprintf("%d at once", l.AtOnce)}
	}
	return &machine.LimitView{Text: fmt.Sprintf("%d per %s", l.Rate, machine.DurationText(l.Window)), Opens: &l.Opens}
}

// holdsBack reports whether a limit is why its tasks wait: it is closed, or was until
// lately, or a task was claimed lately.
func holdsBack(l *store.LimitRow, lately time.Time) bool {
	return l.Full() || l.Opens.After(lately) || l.Last.After(lately)
}
