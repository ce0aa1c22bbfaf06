package postgres_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// contents are all that the port shows of a store.
func contents(t *testing.T, s store.Store) string {
	t.Helper()
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetIndent("", " ")
	show := func(v any, err error) {
		if err == nil {
			err = out.Encode(v)
		}
		must(t, err)
	}
	ctx := t.Context()
	runs, err := s.Runs(ctx, store.RunFilter{})
	show(runs, err)
	for _, r := range runs {
		history, err := s.History(ctx, r.Run, 0, 0)
		show(history, err)
		tasks, err := s.Tasks(ctx, r.Run)
		show(tasks, err)
		timers, err := s.Timers(ctx, r.Run)
		show(timers, err)
		messages, err := s.Outbox(ctx, r.Run, 0)
		show(messages, err)
		answer, _, err := s.Accepted(ctx, r.Run, "go")
		show(answer, err)
		report, err := s.Reports(ctx, store.ReportQuery{Child: r.Run})
		show(report, err)
	}
	definitions, err := s.Definitions(ctx)
	show(definitions, err)
	versions, err := s.VersionCounts(ctx)
	slices.SortFunc(versions, func(a, b store.VersionCount) int { return cmp.Compare(a.Hash, b.Hash) })
	show(versions, err)
	limits, err := s.Limits(ctx, noon.AddDate(1, 0, 0))
	show(limits, err)
	counts, err := s.Counts(ctx, "", time.Time{})
	var rows []string
	for _, c := range counts.Runs {
		rows = append(rows, fmt.Sprintf("run %+v", c))
	}
	for _, c := range counts.Steps {
		rows = append(rows, fmt.Sprintf("step %+v", c))
	}
	for _, c := range counts.Stays {
		rows = append(rows, fmt.Sprintf("stay %+v", c))
	}
	costs := map[string]string{} // a day may have several of them
	for _, c := range counts.Costs {
		costs[c.Name] = machine.AddAmounts(cmp.Or(costs[c.Name], "0"), c.Amount)
	}
	slices.Sort(rows)
	show([]any{rows, costs}, err)
	return b.String()
}
