//go:build cgo

package sqlite

import (
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// A list of runs is read from one index, in its order, and stops at the limit.
// Each column that runs are asked for by has such an index, and where there are
// several the statement, not the planner, says which one: the planner has no
// statistics, and would as soon walk over a million finished runs of a machine
// as over the three that are halted. A "+" takes a column's index from its
// choice (sqlite.org/optoverview.html, "Disqualifying WHERE Clause Terms").
//
// Of the columns the one is taken that narrows most: a parent, a root, a tag, a status other
// than finished, a version, a state, an outcome, a machine, finished.
//
// The index of states has only runs that have ended, so that a step that moves a
// run writes no index. A list of a state without a status is put together of
// those that have ended and those that are under way, which come in the same
// order. So is a list of a tree: of its root, which has no root, and the others. Runs with a tag are
// found in the index of tags, which is in the order of the list, too.
//
// An id is looked up. How an id begins is held against each run of the index that is taken for the
// rest, which has the id.
func leading(f *store.RunFilter) string {
	for _, c := range listedBy(f) {
		switch {
		case c.name == "status" && len(f.Tags) > 0:
			return "tags"
		case c.value != "" && (c.name != "status" || f.Status != machine.Finished):
			return c.name
		}
	}
	return "status"
}

// listedBy are the columns that runs are asked for by, with what is asked; the one that narrows most comes first.
func listedBy(f *store.RunFilter) []struct{ name, value string } {
	return []struct{ name, value string }{
		{"run", f.Run}, {"parent", f.Parent}, {"root", f.Root}, {"status", string(f.Status)},
		{"definition", f.Definition}, {"state", f.State}, {"outcome", string(f.Outcome)}, {"machine", f.Machine},
	}
}

// runsQuery has conditions for those fields only that filter.
func runsQuery(f *store.RunFilter, after *store.RunRow) (text string, args []any) {
	add := func(f *store.RunFilter, query []string, values ...any) {
		one, its := runsWhere(f, after, query, values)
		if text != "" {
			text += " UNION ALL"
		}
		text, args = text+one, append(args, its...)
	}
	order := "started"
	switch index := leading(f); {
	case index == "tags":
		order = "began"
		add(f, nil)
	case index == "root":
		add(f, []string{"root = ?"}, f.Root)
		add(f, []string{"run = ?", "root IS NULL"}, f.Root)
	case index == "state" && f.Status == "":
		for _, status := range []machine.Status{machine.Finished, machine.Running, machine.Halted, machine.Ending} {
			part := *f
			part.Status = status
			add(&part, nil)
		}
	default:
		add(f, nil)
	}
	return text + " ORDER BY " + order + " DESC, run DESC LIMIT ? + 0", append(args, atMost(f.Limit))
}

func runsWhere(f *store.RunFilter, after *store.RunRow, query []string, args []any) (string, []any) {
	from, order := selectRuns, "started"
	if leading(f) == "tags" {
		from, order = selectTagged, "began"
	}
	query, args = conditions(f, query, args)
	if after != nil {
		query = append(query, "("+order+", run) < (?, ?)")
		args = append(args, micros(after.Started), after.Run)
	}
	if len(query) == 0 {
		return from, args
	}
	return from + " WHERE " + strings.Join(query, " AND "), args
}

// conditions adds those of a filter, whatever the order of the list. Of a root as the index
// they are given already.
func conditions(f *store.RunFilter, query []string, args []any) ([]string, []any) {
	where := func(condition string, value any) {
		query, args = append(query, condition), append(args, value)
	}
	index := leading(f)
	if index == "state" {
		query = append(query, "status = 'finished'") // in words that name the index
	}
	for _, c := range listedBy(f) {
		switch {
		case c.value == "", c.name == "status" && index == "state", c.name == "root" && index == "root":
		case c.name == index:
			where(c.name+" = ?", c.value)
		default:
			where("+"+c.name+" = ?", c.value)
		}
	}
	for i, name := range machine.TagNames(f.Tags) {
		condition := "name = ? AND value = ?"
		if i > 0 || index != "tags" {
			condition = "EXISTS (SELECT 1 FROM tags AS t WHERE t.run = runs.run AND t.name = ? AND t.value = ?)"
		}
		query, args = append(query, condition), append(args, name, f.Tags[name])
	}
	if f.RunPrefix != "" {
		where("instr(run, ?) = 1", f.RunPrefix)
	}
	if f.Paused {
		where("paused = ?", 1)
	}
	for _, limit := range []struct {
		condition string
		time      time.Time
	}{
		{"started >= ?", f.StartedFrom},
		{"started < ?", f.StartedTo},
		{"entered < ?", f.EnteredTo},
		{"updated < ?", f.UpdatedTo},
	} {
		if !limit.time.IsZero() {
			where(limit.condition, micros(limit.time))
		}
	}
	return query, args
}
