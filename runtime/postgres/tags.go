package postgres

import (
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

// writeTags fills the tags of new runs, and those of runs that are repaired.
func (b *batch) writeTags(made, moved []numbered) {
	var tags, repaired []part
	for _, q := range made {
		for _, name := range machine.TagNames(q.Run.Tags) {
			tags = append(tags, part{n: q.n, run: q.Run.Run, name: name, value: q.Run.Tags[name], at: q.Run.Started})
		}
	}
	for _, q := range moved {
		if q.Repairs != nil {
			repaired = append(repaired, part{n: q.n, run: q.Run.Run, at: q.Run.Started})
		}
	}
	b.writeParts(tags, []form{insertTags}, values, moments)
	if len(repaired) > 0 {
		b.write(moveTags, column(repaired, func(p *part) int64 { return p.n }), column(repaired, func(p *part) string { return p.run }), moments(repaired))
	}
}
