package runtime

import (
	"context"
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// unended lists attempts that are held though their time is over. A worker ends each then, so that it has
// the end and cannot store it: most often, because a guard that the step asks has no function or executable
// there. Which guard that is only the worker knows; the guards of the machine are named.
func (x *examination) unended(ctx context.Context) (problems []Problem, cut bool, err error) {
	rows, err := x.e.store.Expired(ctx, store.Never, mostRead) // all that are held
	for i := range rows {
		t := &rows[i]
		over := t.ClaimedAt.Add(t.Timeout)
		if t.Timeout == 0 || t.Child != "" || !t.LeaseUntil.After(x.now) || x.now.Sub(over) <= x.Late {
			continue
		}
		why := fmt.Sprintf("%s, attempt %d, is over its timeout of %s, and worker %q cannot store how it ended",
			t.Activity, t.Attempt, machine.DurationText(t.Timeout), t.Worker)
		if h, err := x.e.host(ctx, t.Definition); err == nil && len(h.machine.Definition().Guards) > 0 {
			var names []string
			for _, g := range h.machine.Definition().Guards {
				names = append(names, fmt.Sprintf("guard %q", g.Name))
			}
			why += ": nothing may answer for " + strings.Join(names, " or ")
		}
		if problems = append(problems, x.of(ctx, t.Run, over, why)); len(problems) > x.Limit {
			break
		}
	}
	return problems, len(rows) == mostRead, err
}
