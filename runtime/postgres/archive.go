package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Where the setting archive is month, trees of runs that have ended are moved, each as a whole, from the live
// tables to those of the archive, which have a partition for each month: then months go at once when
// they are pruned, and the live tables stay small. The functions of the migration move runs there and back.
//
// A read that looks for one run looks into the live tables first, and where they have nothing
// into both, at one moment. A list reads both. A step is of live runs alone: one that does not find its run,
// and a start that meets a run of the archive, is done again in a transaction that moves its tree back first.
const (
	archiveRuns  = `SELECT @archive_runs(clock_timestamp() - $1 * interval '1 second', $2)`
	unarchiveRun = `SELECT @unarchive_run($1)`
	refuseMade   = `CREATE OR REPLACE TRIGGER runs_archived AFTER INSERT ON @runs
		REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION @refuse_archived()`
	upsertSetting = `
	INSERT INTO @settings (name, value) VALUES ('archive', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`

	// inArchive is the SQLSTATE of a start that meets a run of the archive.
	inArchive = "FSM06"
)

const (
	archiveFormat = 6 // the first that has an archive
	archiveAfter  = time.Hour
	archiveTrees  = 100 // of each outcome, in one transaction
	archiveFor    = 10 * time.Second
)

// Units of the setting archive.
const (
	ArchiveOff   = "off"
	ArchiveMonth = "month"
)

// SetArchive sets whether the processes that have the database at a URL open move ended runs to the
// archive: ArchiveMonth or ArchiveOff, which leaves there what is. It is for the owner of the tables. Versions
// that do not know the archive cannot work with the database after the first ArchiveMonth: that is refused
// with ErrOlderHosts while a process of one has the database open.
func SetArchive(ctx context.Context, url, unit string, opts ...Option) error {
	if unit != ArchiveOff && unit != ArchiveMonth {
		return fmt.Errorf("the archive is %q or %q, and not %q", ArchiveMonth, ArchiveOff, unit)
	}
	s, err := Open(ctx, url, append(opts, Existing())...)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.write(ctx, func(ctx context.Context, t *tx) error {
		t.queue(nil, lockSchema, s.schema)
		t.queue(nil, limitLocks)
		if err := t.flush(ctx); err != nil {
			return err
		}
		if unit == ArchiveMonth {
			if err := t.refuseOlder(ctx, archiveFormat); err != nil {
				return err
			}
			t.queue(nil, markContract, archiveFormat)
			t.queue(nil, refuseMade)
		}
		t.queue(nil, upsertSetting, unit)
		return t.flush(ctx)
	})
}

// Archive moves some of the runs that ended so long ago to the archive, where that is
// set: at most so many trees of each outcome. It gives how many runs it has moved. A store that is open does
// it every half a minute by itself, with those that ended an hour ago.
func (s *Store) Archive(ctx context.Context, age time.Duration, trees int) (int64, error) {
	return writing(ctx, s, func(ctx context.Context, t *tx) (int64, error) {
		n, _, err := sqlrow.First(ctx, t, sqlrow.One[int64], archiveRuns, age.Seconds(), trees)
		return n, err
	})
}

// archive moves what is due, for some time at most. What fails is done later.
func (s *Store) archive(ctx context.Context) {
	for begun := time.Now(); time.Since(begun) < archiveFor; {
		if n, err := s.Archive(ctx, archiveAfter, archiveTrees); err != nil || n < archiveTrees {
			return
		}
	}
}

// archived reports whether a commit that was refused with err may be of a run in the archive.
func (w *commit) archived(err error) bool {
	return code(err) == inArchive || w.Expect > 0 && errors.Is(err, store.ErrNotFound)
}

var liveTables = regexp.MustCompile(`@(runs|history|inbox|tags)\b`)

// everywhere is a query of live tables, as one of both.
func everywhere(query string) string { return liveTables.ReplaceAllString(query, "@all_$1") }

// readOne reads what belongs to one run.
func readOne[T any](ctx context.Context, s *Store, scan func(sqlrow.Row, *T) error, live, all string, args ...any) ([]T, error) {
	found, err := readAll(ctx, s, scan, live, args...)
	if err == nil && len(found) == 0 {
		found, err = readAll(ctx, s, scan, all, args...)
	}
	return found, err
}
