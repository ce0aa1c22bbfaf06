//go:build cgo && unix

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
	"github.com/mattn/go-sqlite3"
)

// refusesAll looks that nothing is written or handed out any more, for a reason.
func refusesAll(t *testing.T, s *Store, reason error) {
	t.Helper()
	for _, run := range []string{"r", "other"} {
		if err := s.Commit(t.Context(), firstStep(run)); !errors.Is(err, reason) || !errors.Is(err, ErrStopped) {
			t.Errorf("a commit gives %v", err)
		}
	}
	if err := s.PutDefinition(t.Context(), store.DefinitionRow{Hash: "i", Machine: "M", Definition: []byte(`{}`)}); !errors.Is(err, reason) {
		t.Errorf("a definition gives %v", err)
	}
	endsIdle(t, s, reason)
}

// endsIdle looks that a worker that has nothing to do is told, too.
func endsIdle(t *testing.T, s *Store, reason error) {
	t.Helper()
	if _, err := s.Claim(t.Context(), store.ClaimQuery{Worker: "w", Limit: 1}); !errors.Is(err, reason) || !errors.Is(err, ErrStopped) {
		t.Errorf("a claim of an idle worker gives %v", err)
	}
	if _, err := s.Look(t.Context(), store.LookQuery{Versions: true}); !errors.Is(err, reason) || !errors.Is(err, ErrStopped) {
		t.Errorf("a worker without runs is told %v", err)
	}
}

// TestFormatChangesUnderneath: a newer version migrates the database while this one
// has it open: from then on this one writes nothing and hands out no work.
func TestFormatChangesUnderneath(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	task := firstStep("worked")
	task.Set = nil
	task.Start = []store.TaskRow{{Run: "worked", Machine: "Order", Definition: "h", Do: "work", Seq: 1, Activity: "work", Key: "k", Attempt: 1, NotBefore: noon}}
	commit(t, s, task)
	raw(t, path, fmt.Sprintf("PRAGMA user_version = %d", len(migrations())+1), "CREATE TABLE more (x INTEGER) STRICT")
	claim := store.ClaimQuery{
		Worker: "w", Now: noon.Add(time.Hour), Until: noon.Add(2 * time.Hour), Limit: 1,
		Activities: []store.Claimable{{Definition: "h", Activity: "work"}},
	}
	if rows, err := s.Claim(t.Context(), claim); !errors.Is(err, ErrNewer) || len(rows) > 0 {
		t.Errorf("a claim gives %d tasks, %v", len(rows), err)
	}
	refusesAll(t, s, ErrNewer)
	if n := query[int](t, s, "SELECT count(*) FROM runs"); n != 2 {
		t.Errorf("there are %d runs", n)
	}
	if _, err := s.Load(t.Context(), "r"); err != nil {
		t.Errorf("reading: %v", err)
	}
}

// TestFormatChangesUnderIdle: a worker that writes nothing notices with a look, and before it
// reads tables that it may not know.
func TestFormatChangesUnderIdle(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	if _, err := s.Look(t.Context(), store.LookQuery{Versions: true}); err != nil {
		t.Fatal(err)
	}
	raw(t, path, fmt.Sprintf("PRAGMA user_version = %d", len(migrations())+1), "ALTER TABLE timers RENAME TO alarms")
	if _, err := s.Look(t.Context(), store.LookQuery{Versions: true}); !errors.Is(err, ErrNewer) || !errors.Is(err, ErrStopped) {
		t.Errorf("it is told %v", err)
	}
}

// TestMovedUnderneath: the files of a database that is open are moved, deleted or
// replaced. Nothing is acknowledged from then on, and an idle worker notices.
func TestMovedUnderneath(t *testing.T) {
	rename := func(t *testing.T, from, to string) {
		t.Helper()
		must(t, os.Rename(from, to))
	}
	for name, move := range map[string]func(t *testing.T, path string){
		"the database is moved": func(t *testing.T, path string) { rename(t, path, path+".old") },
		"the log is deleted": func(t *testing.T, path string) {
			must(t, os.Remove(path+"-wal"))
		},
		"all is deleted": func(t *testing.T, path string) {
			for _, end := range []string{"", "-wal", "-shm"} {
				must(t, os.Remove(path+end))
			}
		},
		"another is put in its place": func(t *testing.T, path string) { rename(t, made(t), path) },
		"another log is put in its place": func(t *testing.T, path string) {
			write(t, path+".new", "no log")
			rename(t, path+".new", path+"-wal")
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := made(t)
			link := filepath.Join(t.TempDir(), "link.db")
			must(t, os.Symlink(path, link))
			for _, way := range []string{path, link} {
				s := openAt(t, way)
				commit(t, s, nextStep(load(t, s, "r")))
				defer func() { refusesAll(t, s, ErrMoved) }()
				defer endsIdle(t, s, ErrMoved)
			}
			move(t, path)
		})
	}
}

// TestHardLinks: a file with two names has two logs, of which each takes what the other has kept.
// It can be looked at, and takes writes when it has one name again.
func TestHardLinks(t *testing.T) {
	path := made(t)
	other := filepath.Join(t.TempDir(), "other.db")
	must(t, os.Link(path, other))
	for _, way := range []string{path, other} {
		if _, err := Open(t.Context(), way); !errors.Is(err, ErrLinked) {
			t.Errorf("got %v", err)
		}
		load(t, openAt(t, way, ReadOnly()), "r")
	}
	must(t, os.Remove(other))
	commit(t, openAt(t, path), nextStep(load(t, openAt(t, path), "r")))
}

// TestCloseLeavesOthersLog: a store whose database was moved away does not delete the
// log of the one that now has its name.
func TestCloseLeavesOthersLog(t *testing.T) {
	path := made(t)
	s, err := Open(t.Context(), path)
	must(t, err)
	commit(t, s, nextStep(load(t, s, "r")))
	for _, end := range []string{"", "-wal", "-shm"} {
		must(t, os.Rename(path+end, path+".old"+end))
	}
	fresh := openAt(t, path)
	putDefinition(t, fresh)
	commit(t, fresh, firstStep("fresh"))
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if size := sizeOf(t, path+"-wal"); size == 0 {
		t.Error("the other log is empty")
	}
	commit(t, fresh, nextStep(load(t, fresh, "fresh")))
	if row := load(t, openAt(t, path), "fresh"); row.Seq != 2 {
		t.Errorf("the other run is at %d", row.Seq)
	}
	if row := load(t, openAt(t, path+".old"), "r"); row.Seq != 2 {
		t.Errorf("the run that was moved is at %d", row.Seq)
	}
}

// TestLooksKeepLocks: no look at a database drops the locks that a store of this
// process has on it. POSIX drops all that a process has on a file when it closes any
// descriptor of it; without them another process that is the last to close the
// database deletes its log.
func TestLooksKeepLocks(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	row := load(t, s, "r")
	if needsFolder(path, nil) || !needsFolder(path, sqlite3.Error{Code: sqlite3.ErrCantOpen}) {
		t.Error("needsFolder does not look at the file")
	}
	if needsFolder(path, sqlite3.Error{Code: sqlite3.ErrCantOpen, SystemErrno: syscall.EMFILE}) {
		t.Error("that this process has too many files open is no matter of the folder")
	}
	must(t, errOf(Open(t.Context(), path, ReadOnly())))
	must(t, errOf(inspect(context.Background(), path)))
	cmd, out := startChild(t, "restore over it", path)
	said := ""
	for out.Scan() {
		said += out.Text()
	}
	must(t, cmd.Wait())
	if !strings.Contains(said, ErrInUse.Error()) {
		t.Errorf("another process finds it free: %s", said)
	}
	commit(t, s, nextStep(row))
}

// TestDanglingLink: a database is made where a symbolic link leads, also where it leads to
// another one, and a link that leads round is refused.
func TestDanglingLink(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for link, target := range map[string]string{"link.db": "further.db", "further.db": at("runs.db"), "round.db": "round.db", "nowhere.db": "none/runs.db"} {
		must(t, os.Symlink(target, at(link)))
	}
	s := openAt(t, at("link.db"))
	putDefinition(t, s)
	commit(t, s, firstStep("r"))
	if row := load(t, openAt(t, at("runs.db")), "r"); row.Seq != 1 {
		t.Errorf("the run is at %d", row.Seq)
	}
	if info, err := os.Stat(at("runs.db")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	for _, name := range []string{"round.db", "nowhere.db"} {
		if _, err := Open(t.Context(), at(name)); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
}
