package postgres_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
)

// TestArchiveBytes: the size of a month is that of its own tables, with their indexes: not that of other months, of an index
// that has the name of one, or of a table that is not the archive's.
func TestArchiveBytes(t *testing.T) {
	url := pgtest.URL(t, "synchronous_commit=off")
	s := archiving(t, url, postgres.Relaxed())
	for n, month := range []int{0, 0, 0, 1} {
		run := fmt.Sprint("r", n)
		begin(t, s, run)
		endAt(t, s, run, noon.AddDate(0, month, 0), machine.Success)
	}
	archive(t, s)
	st, err := postgres.Inspect(t.Context(), url)
	must(t, err)
	if len(st.Months) != 2 {
		t.Fatalf("%+v", st.Months)
	}
	first := st.Months[0].Month.Format("2006_01")
	must(t, inSchema(t, url, fmt.Sprintf(`
		CREATE TABLE @own_%[1]s AS SELECT n FROM generate_series(1, 1000) AS n;
		CREATE INDEX archived_own_%[1]s ON @own_%[1]s (n)`, first)))
	st, err = postgres.Inspect(t.Context(), url)
	must(t, err)
	for _, month := range st.Months {
		want := int64(0)
		for _, table := range []string{"runs", "tags", "history", "checkpoints", "outbox", "inbox"} {
			rows, err := query(t, url, fmt.Sprintf("SELECT pg_total_relation_size('%s.archived_%s_%s')::text, ''",
				pgtest.SchemaOf(t, url), table, month.Month.Format("2006_01")))
			must(t, err)
			n, err := strconv.ParseInt(rows[0][0], 10, 64)
			must(t, err)
			want += n
		}
		if month.Bytes != want {
			t.Errorf("%s has %d bytes, and its tables %d", month.Month, month.Bytes, want)
		}
	}
}
