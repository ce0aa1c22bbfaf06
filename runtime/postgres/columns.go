package postgres

import (
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// optional is a time that may be unset, as it stands in a column.
func optional(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// moment is a time that is read from a column; NULL is the zero time.
type moment struct{ into *time.Time }

func (m moment) ScanTimestamptz(v pgtype.Timestamptz) error {
	*m.into = time.Time{}
	if v.Valid {
		*m.into = v.Time.UTC()
	}
	return nil
}

// text is JSON as it stands in a column: nil is NULL.
func text(j json.RawMessage) *string {
	if j == nil {
		return nil
	}
	s := string(j)
	return &s
}

// nullable is a text of which the empty one stands for NULL.
func nullable(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// atMost is a limit as SQL takes it: NULL for none.
func atMost(limit int) *int {
	if limit <= 0 {
		return nil
	}
	return &limit
}
