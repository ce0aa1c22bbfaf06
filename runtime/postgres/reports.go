package postgres

import (
	"context"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

const selectReports = `
	SELECT run, parent, total, told FROM @runs WHERE parent IS NOT NULL AND total IS DISTINCT FROM told`

// Reports implements store.Store.
func (s *Store) Reports(ctx context.Context, q store.ReportQuery) ([]store.Report, error) {
	switch {
	case q.Child != "":
		return readAll(ctx, s, scanReport, selectReports+` AND run = $1`, q.Child)
	case q.Parent != "":
		return readAll(ctx, s, scanReport, selectReports+` AND parent = $1`, q.Parent)
	}
	return readAll(ctx, s, scanReport, selectReports)
}

func scanReport(found row, r *store.Report) error {
	return found.Scan(&r.Child, &r.Parent, (*[]byte)(&r.Total), (*[]byte)(&r.Told))
}
