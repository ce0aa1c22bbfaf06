package postgres

import (
	"bytes"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// TestArrays: columns are written as pgx itself writes them.
func TestArrays(t *testing.T) {
	word, number, at := "ä", int64(-1), time.Date(1969, 7, 20, 20, 17, 40, 123456000, time.UTC)
	types := pgtype.NewMap()
	for _, c := range []struct {
		oid   uint32
		value any
	}{
		{pgtype.TextArrayOID, []string{"", "a", word}},
		{pgtype.TextArrayOID, []string{}},
		{pgtype.TextArrayOID, []string(nil)},
		{pgtype.TextArrayOID, []*string{nil, &word}},
		{pgtype.Int8ArrayOID, []int64{number, 0, 1 << 62}},
		{pgtype.Int8ArrayOID, []*int64{&number, nil}},
		{pgtype.BoolArrayOID, []bool{true, false}},
		{pgtype.TimestamptzArrayOID, []time.Time{at, at.AddDate(100, 0, 0)}},
		{pgtype.TimestamptzArrayOID, []*time.Time{nil, &at}},
	} {
		written, err := planOf(c.value).Encode(c.value, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := types.Encode(c.oid, pgtype.BinaryFormatCode, c.value, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want != nil {
			want[7] = 1 // pgx says whether there is a NULL
		}
		if !bytes.Equal(written, want) || (written == nil) != (want == nil) {
			t.Errorf("%T: %x, and pgx writes %x", c.value, written, want)
		}
	}
	if planOf([]int{1}) != nil {
		t.Error("there is a plan for what is no column")
	}
}
