//go:build cgo

package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mattn/go-sqlite3"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// raw runs statements on a file past the store.
func raw(t *testing.T, path string, statements ...string) {
	t.Helper()
	db := sql.OpenDB(&connector{driver: &sqlite3.SQLiteDriver{}, dsn: uri(path)})
	defer db.Close()
	for _, text := range statements {
		if _, err := db.Exec(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

// patch writes bytes into a file.
func patch(t *testing.T, path string, offset int64, bytes []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	must(t, errOf(f.WriteAt(bytes, offset)))
}

// TestRefused opens files that are not ours, in every way: with an error that
// says so, and not a byte changed, nor a file left beside them.
func TestRefused(t *testing.T) {
	userVersion := func(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
	for _, test := range []struct {
		name  string
		make  func(t *testing.T, path string)
		want  error
		words string
	}{
		{"text", func(t *testing.T, path string) {
			write(t, path, strings.Repeat("machine Order {}\n", 100))
		}, ErrForeign, "no SQLite database"},
		{"short text", func(t *testing.T, path string) { write(t, path, "hello\n") }, ErrForeign, "no SQLite database"},
		{"another program's", func(t *testing.T, path string) {
			raw(t, path, "CREATE TABLE runs (run TEXT)")
		}, ErrForeign, "another program"},
		{"another program's, with a log", func(t *testing.T, path string) {
			raw(t, path, "PRAGMA journal_mode = WAL", "CREATE TABLE runs (run TEXT)")
		}, ErrForeign, "another program"},
		{"another application id", func(t *testing.T, path string) {
			raw(t, path, "PRAGMA application_id = 7")
		}, ErrForeign, "another program"},
		{"newer", func(t *testing.T, path string) {
			ours(t, path)
			patch(t, path, 60, userVersion(999))
		}, ErrNewer, "its format is 999"},
		{"format 0", func(t *testing.T, path string) {
			ours(t, path)
			patch(t, path, 60, userVersion(0))
		}, ErrDamaged, "its format is 0"},
		{"cut short", func(t *testing.T, path string) {
			ours(t, path)
			must(t, os.Truncate(path, 3*4096))
		}, ErrDamaged, "malformed"},
		{"header overwritten", func(t *testing.T, path string) {
			ours(t, path)
			patch(t, path, 0, make([]byte, 32))
		}, ErrForeign, "no SQLite database"},
		{"schema overwritten", func(t *testing.T, path string) {
			ours(t, path)
			patch(t, path, 100, []byte(strings.Repeat("x", 1000)))
		}, ErrDamaged, "malformed"},
		{"a trigger dropped", func(t *testing.T, path string) {
			ours(t, path)
			raw(t, path, "DROP TRIGGER history_no_delete", "PRAGMA journal_mode = DELETE")
		}, ErrDamaged, `trigger "history_no_delete" is missing`},
		{"a trigger added", func(t *testing.T, path string) {
			ours(t, path)
			raw(t, path, "CREATE TRIGGER quiet AFTER INSERT ON outbox BEGIN DELETE FROM outbox; END", "PRAGMA journal_mode = DELETE")
		}, ErrDamaged, `trigger "quiet" has been added`},
		{"an index changed", func(t *testing.T, path string) {
			ours(t, path)
			raw(t, path, "DROP INDEX timers_due", "CREATE INDEX timers_due ON timers (name)", "PRAGMA journal_mode = DELETE")
		}, ErrDamaged, `index "timers_due" has been changed`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Log("figure: files refused = 1")
			path := filepath.Join(t.TempDir(), "odd ?#%41.db")
			test.make(t, path)
			before := contentsOfDir(t, filepath.Dir(path))
			for _, opts := range [][]Option{nil, {ReadOnly()}} {
				s, err := Open(t.Context(), path, opts...)
				if s != nil || !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.words) {
					t.Errorf("got %v", err)
				}
			}
			if after := contentsOfDir(t, filepath.Dir(path)); after != before {
				t.Error("the folder has changed")
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// ours makes a good database at path.
func ours(t *testing.T, path string) {
	t.Helper()
	s := openAt(t, path)
	putDefinition(t, s)
	commit(t, s, firstStep("r"))
	must(t, s.Close())
}

// contentsOfDir is a hash over the names and bytes of all files in dir.
func contentsOfDir(t *testing.T, dir string) [32]byte {
	t.Helper()
	h := sha256.New()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		bytes, err := os.ReadFile(filepath.Join(dir, e.Name()))
		must(t, err)
		h.Write([]byte(e.Name() + "\x00"))
		h.Write(bytes)
	}
	return [32]byte(h.Sum(nil))
}

// TestNewerInLog: what counts may stand in the log alone, after a crash.
func TestNewerInLog(t *testing.T) {
	path := made(t)
	live := openAt(t, path)
	must(t, errOf(live.writer.conn.ExecContext(t.Context(), "PRAGMA user_version = 999")))
	copied := filepath.Join(t.TempDir(), "crashed.db")
	for _, end := range []string{"", "-wal"} {
		bytes, err := os.ReadFile(path + end)
		must(t, err)
		write(t, copied+end, string(bytes))
	}
	_, err := Open(t.Context(), copied)
	if !errors.Is(err, ErrNewer) {
		t.Errorf("got %v", err)
	}
}

func TestNotThere(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "none.db"):          "no such file",
		filepath.Join(dir, "none", "deep.db"):  "no such file",
		dir:                                    "is a directory",
		"":                                     "no such path",
		filepath.Join(made(t), "below a file"): "not a directory",
	} {
		_, err := Open(t.Context(), path, ReadOnly())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", path, err, want)
		}
	}
	_, err := Open(t.Context(), filepath.Join(dir, "none.db"), ReadOnly())
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("looking has made %v", entries)
	}
	write(t, filepath.Join(dir, "empty.db"), "")
	if _, err := Open(t.Context(), filepath.Join(dir, "empty.db"), ReadOnly()); !errors.Is(err, ErrForeign) {
		t.Errorf("an empty file, read-only: %v", err)
	}
	if _, err := Open(t.Context(), filepath.Join(dir, "none.db"), Existing()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file, existing: %v", err)
	}
	before := contentsOfDir(t, dir)
	if _, err := Open(t.Context(), filepath.Join(dir, "empty.db"), Existing()); !errors.Is(err, ErrForeign) {
		t.Errorf("an empty file, existing: %v", err)
	}
	if after := contentsOfDir(t, dir); after != before {
		t.Error("refusing has changed the folder")
	}
	openAt(t, filepath.Join(dir, "empty.db")) // to write, it is a new one
}

func TestReadOnly(t *testing.T) {
	path := made(t)
	before, err := os.ReadFile(path)
	must(t, err)
	s := openAt(t, path, ReadOnly())
	row, err := s.Load(t.Context(), "r")
	if err != nil || row.Seq != 1 {
		t.Fatalf("got %+v, %v", row, err)
	}
	if err := s.Commit(t.Context(), nextStep(row)); !errors.Is(err, ErrReadOnly) {
		t.Errorf("a commit: %v", err)
	}
	if _, err := s.readers.Exec("DELETE FROM timers"); err == nil {
		t.Error("a reader's connection can write")
	}
	must(t, s.Close())
	after, err := os.ReadFile(path)
	must(t, err)
	if string(before) != string(after) {
		t.Error("looking has changed the database")
	}
}

// TestReadOnlyFolder looks at a copy where no file can be made beside it.
func TestReadOnlyFolder(t *testing.T) {
	path := made(t)
	folder := filepath.Dir(path)
	copied := filepath.Join(folder, "backup.db")
	s := openAt(t, path)
	must(t, errOf(s.Backup(t.Context(), copied, func(context.Context, *Store) error { return nil })))
	must(t, s.Close())
	for _, file := range []string{path, copied} {
		must(t, os.Chmod(file, 0o400))
	}
	must(t, os.Chmod(folder, 0o500))
	t.Cleanup(func() { _ = os.Chmod(folder, 0o700) })
	if f, err := os.Create(filepath.Join(folder, "probe")); err == nil {
		t.Skip("this user may write to every folder: ", f.Close())
	}
	if _, err := Open(t.Context(), path, ReadOnly()); !errors.Is(err, ErrFolder) {
		t.Errorf("got %v", err)
	}
	load(t, openAt(t, copied, ReadOnly()), "r")
	must(t, os.Chmod(path, 0o600))
	for _, file := range []string{path, copied} {
		if _, err := Open(t.Context(), file); !errors.Is(err, ErrReadOnlyFile) {
			t.Errorf("got %v", err)
		}
	}
}

// TestReadOnlyBesideWriter sees what a writer commits while it looks.
func TestReadOnlyBesideWriter(t *testing.T) {
	path := made(t)
	w, r := openAt(t, path), openAt(t, path, ReadOnly())
	row := load(t, w, "r")
	commit(t, w, nextStep(row))
	if row = load(t, r, "r"); row.Seq != 2 {
		t.Fatalf("got %+v", row)
	}
}

func TestSettings(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	for pragma, want := range map[string]string{
		"synchronous": "2", "journal_mode": "wal", "foreign_keys": "1", "trusted_schema": "0",
		"cell_size_check": "1", "mmap_size": "0", "busy_timeout": "30", "user_version": "10",
		"application_id": "1718840675",
	} {
		var got string
		if err := s.writer.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, want %q (%v)", pragma, got, want, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	for _, end := range []string{"-wal", "-shm"} {
		if info, err := os.Stat(path + end); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", end, info, err)
		}
	}
	relaxed := openAt(t, made(t), Relaxed())
	var level int
	if err := relaxed.writer.conn.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&level); err != nil || level != 1 {
		t.Errorf("relaxed: synchronous is %d, %v", level, err)
	}
}

// TestSynchronousIsReadBack has a connection that is not as durable as asked.
func TestSynchronousIsReadBack(t *testing.T) {
	db := connect(made(t), "rw", newOptions([]Option{Relaxed()}))
	defer db.Close()
	conn, err := db.Conn(t.Context())
	must(t, err)
	defer conn.Close()
	err = configure(t.Context(), conn, newOptions(nil))
	if err == nil || !strings.Contains(err.Error(), "synchronous is 1 where FULL (2) was asked for") {
		t.Errorf("got %v", err)
	}
}

func TestCloseFoldsLog(t *testing.T) {
	path := made(t)
	for _, end := range []string{"-wal", "-shm"} {
		if _, err := os.Stat(path + end); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left behind: %v", end, err)
		}
	}
}

// TestCrashWhileMade has the file and the journal of a process that died while
// it made the database: some pages are there, and the journal says that there
// were none.
func TestCrashWhileMade(t *testing.T) {
	path := made(t)
	must(t, os.Truncate(path, 3*4096))
	patch(t, path, 18, []byte{1, 1}) // it was no write-ahead log yet
	journal := make([]byte, 512)
	copy(journal, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7") // sqlite.org/fileformat.html, "The Rollback Journal"
	binary.BigEndian.PutUint32(journal[20:], 512)
	binary.BigEndian.PutUint32(journal[24:], 4096)
	write(t, path+"-journal", string(journal))
	if _, err := Open(t.Context(), path, ReadOnly()); err == nil {
		t.Error("it was opened read-only")
	}
	s := openAt(t, path)
	putDefinition(t, s)
	commit(t, s, firstStep("r"))
}

// TestKeptLocked: whatever SQLite calls it that another process keeps a lock, of the file or of the
// index of its log, it is an outage, after which work goes on, and no fault of the file.
func TestKeptLocked(t *testing.T) {
	for _, code := range []sqlite3.ErrNo{sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrProtocol} {
		if err := translate(sqlite3.Error{Code: code}); !errors.Is(err, ErrBusy) || !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%v is no outage", err)
		}
	}
}
