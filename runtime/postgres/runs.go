package postgres

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const (
	selectRuns = `SELECT ` + sqlrow.RunColumns + ` FROM @runs`
	selectRun  = selectRuns + ` WHERE run = $1`

	// selectTagged is for the index of tags, which has the order of the list.
	selectTagged = `SELECT ` + sqlrow.RunColumns + ` FROM @tags AS tags JOIN @runs AS runs USING (run)`
)

var selectRunOfAll = everywhere(selectRun)

func (s *Store) Load(ctx context.Context, run string) (store.RunRow, error) {
	if !keeps(run) {
		return store.RunRow{}, store.ErrNotFound
	}
	rows, err := s.load(ctx, run)
	if err == nil && len(rows) == 0 {
		rows, err = readAll(ctx, s, sqlrow.Run, selectRunOfAll, run)
	}
	switch {
	case err != nil:
		return store.RunRow{}, err
	case len(rows) == 0:
		return store.RunRow{}, store.ErrNotFound
	}
	s.standings.note(standingIn(&rows[0]))
	return rows[0], nil
}

// Runs implements store.Store. A page begins where the one before ended, by the order
// itself, so that a late page costs no more than the first.
func (s *Store) Runs(ctx context.Context, f store.RunFilter) ([]store.RunRow, error) {
	after, err := f.Begins(ctx, s)
	if err != nil {
		return nil, err
	}
	query, args := runsQuery(&f, after)
	return readAll(ctx, s, sqlrow.Run, query, args...)
}

// conditions are those of a WHERE, with the values of their parameters.
type conditions struct {
	texts []string
	args  []any
}

// add adds a condition, in which each %d stands for the number of the parameter with the next
// value, and the others for that with the last one.
func (c *conditions) add(condition string, values ...any) {
	for _, value := range values {
		c.args = append(c.args, value)
		condition = strings.Replace(condition, "%d", fmt.Sprint(len(c.args)), 1)
	}
	c.texts = append(c.texts, strings.ReplaceAll(condition, "%d", fmt.Sprint(len(c.args))))
}

// runsQuery has conditions for those fields only that filter. Runs that have ended are found
// by their state in an index of their own, which a step of others does not touch.
func runsQuery(f *store.RunFilter, after *store.RunRow) (string, []any) {
	var c conditions
	for _, equal := range []struct{ condition, value string }{
		{"run = $%d", f.Run},
		{"starts_with(run, $%d)", f.RunPrefix},
		{"machine = $%d", f.Machine},
		{"status = $%d", string(f.Status)},
		{"outcome = $%d", string(f.Outcome)},
		{"definition = $%d", f.Definition},
		{"parent = $%d", f.Parent},
		{"(root = $%d OR root IS NULL AND run = $%d)", f.Root},
	} {
		if equal.value != "" {
			c.add(equal.condition, equal.value)
		}
	}
	switch {
	case f.State == "":
	case f.Status == machine.Finished:
		c.add("final = $%d", f.State)
	default:
		c.add("(final = $%d OR final IS NULL AND status IN ('running', 'halted', 'ending') AND state = $%d)", f.State)
	}
	text, tags, order := selectRuns, "@tags", "started"
	if len(f.Tags) > 0 {
		text, order = selectTagged, "began"
	}
	if !onlyLive(f) {
		text, tags = everywhere(text), everywhere(tags)
	}
	for i, name := range machine.TagNames(f.Tags) {
		if i == 0 {
			c.add("name = $%d", name)
			c.add("value = $%d", f.Tags[name])
			continue
		}
		c.add("EXISTS (SELECT 1 FROM "+tags+" AS t WHERE t.run = runs.run AND t.name = $%d AND t.value = $%d)", name, f.Tags[name])
	}
	if f.Paused {
		c.texts = append(c.texts, "paused")
	}
	for _, limit := range []struct {
		condition string
		time      time.Time
	}{
		{"started >= $%d", f.StartedFrom},
		{"started < $%d", f.StartedTo},
		{"entered < $%d", f.EnteredTo},
		{"updated < $%d", f.UpdatedTo},
	} {
		if !limit.time.IsZero() {
			c.add(limit.condition, limit.time)
		}
	}
	if after != nil {
		c.add("("+order+", run) < ($%d, $%d)", after.Started, after.Run)
	}
	if len(c.texts) > 0 {
		text += " WHERE " + strings.Join(c.texts, " AND ")
	}
	c.args = append(c.args, atMost(f.Limit))
	return text + fmt.Sprintf(" ORDER BY "+order+" DESC, run DESC LIMIT $%d", len(c.args)), c.args
}

// onlyLive reports whether no run in the archive can be meant.
func onlyLive(f *store.RunFilter) bool {
	return f.Paused || f.Status != "" && f.Status != machine.Finished
}
