//go:build unix && cgo

package reliability

import (
	"database/sql"
	"errors"
	"fmt"
)

// integrity asks SQLite itself, through the driver that runtime/sqlite brings, and
// looks at the links of history.
func integrity(path string) error {
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		return err
	}
	var verdict string
	err = db.QueryRow("PRAGMA integrity_check").Scan(&verdict)
	if err == nil && verdict != "ok" {
		err = fmt.Errorf("integrity_check: %s", verdict)
	}
	var wrong int
	if err == nil {
		err = db.QueryRow(wrongLinks).Scan(&wrong)
	}
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%d links of the chains of history are wrong", wrong)
	}
	return errors.Join(err, db.Close())
}

// wrongLinks counts runs that do not know their last row of history, and rows
// that do not know the one before them.
const wrongLinks = `
	SELECT (SELECT count(*) FROM runs WHERE last <> coalesce((SELECT max(id) FROM history WHERE history.run = runs.run), 0)) +
		(SELECT count(*) FROM (SELECT back <> id - lag(id, 1, id) OVER (PARTITION BY run ORDER BY seq) AS wrong FROM history) WHERE wrong)`
