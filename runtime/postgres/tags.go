package postgres

import (
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

var (
	insertTags = formOf(`
	INSERT INTO @tags (run, name, value, began)
	SELECT run, name, value, began FROM ` + table(`i, n bigint, run text, name text, value text, began timestamptz`) + `
	WHERE` + admitted + ` ORDER BY i`)

	// moveTags is for a repair, which may say of a run that it was started at another time.
	moveTags = formOf(`
	UPDATE @tags AS t SET began = q.began FROM ` + table(`n bigint, run text, began timestamptz`) + `
	WHERE t.run = q.run AND t.began <> q.began AND` + admitted)
)

// tag is one of a new run, with the number of its commit.
type tag struct {
	n           int64
	run         string
	name, value string
	began       time.Time
}

// writeTags fills the tags of new runs, and those of runs that are repaired.
func (b *batch) writeTags(made, moved []numbered) {
	var tags, repaired []tag
	for _, q := range made {
		for _, name := range machine.TagNames(q.Run.Tags) {
			tags = append(tags, tag{q.n, q.Run.Run, name, q.Run.Tags[name], q.Run.Started})
		}
	}
	for _, q := range moved {
		if q.Repairs != nil {
			repaired = append(repaired, tag{n: q.n, run: q.Run.Run, began: q.Run.Started})
		}
	}
	columns := func(rows []tag) (n, run, began any) {
		return column(rows, func(t *tag) int64 { return t.n }), column(rows, func(t *tag) string { return t.run }),
			column(rows, func(t *tag) time.Time { return t.began })
	}
	if len(tags) > 0 {
		n, run, began := columns(tags)
		b.write(insertTags, n, run, column(tags, func(t *tag) string { return t.name }), column(tags, func(t *tag) string { return t.value }), began)
	}
	if len(repaired) > 0 {
		n, run, began := columns(repaired)
		b.write(moveTags, n, run, began)
	}
}
