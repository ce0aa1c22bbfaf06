//go:build unix && cgo

package reliability

import (
	"database/sql"
	"errors"
	"fmt"
)

// integrity asks SQLite itself, through the driver that runtime/sqlite brings.
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
	return errors.Join(err, db.Close())
}
