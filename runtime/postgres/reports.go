package postgres

import (
	"context"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// A report of one child is given in any case; of several there are none whose child has ended
// and whose task has not.
const (
	selectReport = `
	SELECT r.run, r.parent, r.total, r.told, coalesce(t.do, ''), coalesce(t.key, ''), coalesce(t.attempt, 0)
	FROM @runs AS r LEFT JOIN @tasks AS t ON t.child = r.run AND NOT t.cancelled
	WHERE r.parent IS NOT NULL AND r.total IS DISTINCT FROM r.told`
	selectReports = selectReport + ` AND t.ended IS NOT TRUE`
)

func (s *Store) Reports(ctx context.Context, q store.ReportQuery) ([]store.Report, error) {
	switch {
	case q.Child != "":
		return readAll(ctx, s, sqlrow.Report, selectReport+` AND r.run = $1`, q.Child)
	case q.Parent != "":
		return readAll(ctx, s, sqlrow.Report, selectReports+` AND r.parent = $1`, q.Parent)
	}
	return readAll(ctx, s, sqlrow.Report, selectReports)
}
