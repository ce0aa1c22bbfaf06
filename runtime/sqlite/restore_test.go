//go:build cgo && unix

package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestRestore puts a backup in the place of a database that a killed process has left
// with its log.
func TestRestore(t *testing.T) {
	path := made(t)
	backup := filepath.Join(t.TempDir(), "backup.db")
	s := openAt(t, path)
	must(t, errOf(s.Backup(t.Context(), backup, nil)))
	for range 50 {
		commit(t, s, nextStep(load(t, s, "r")))
	}
	left := killed(t, path)
	r, err := Restore(t.Context(), backup, left, nil)
	if err != nil || r.Bytes != sizeOf(t, left) || r.Before == "" {
		t.Fatalf("%+v, %v", r, err)
	}
	for file, seq := range map[string]int64{left: 1, r.Before: 51, backup: 1} {
		if row := load(t, openAt(t, file), "r"); row.Seq != seq {
			t.Errorf("in %s the run is at %d, not %d", file, row.Seq, seq)
		}
	}
	if info, err := os.Stat(left); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	// Where there is nothing.
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	if r, err := Restore(t.Context(), backup, fresh, nil); err != nil || r.Before != "" {
		t.Errorf("%+v, %v", r, err)
	}
	load(t, openAt(t, fresh, ReadOnly()), "r")
}

// TestRestoreIsRefused leaves everything as it is.
func TestRestoreIsRefused(t *testing.T) {
	path, backup := made(t), made(t)
	text := filepath.Join(t.TempDir(), "text")
	write(t, text, "no database")
	s := openAt(t, path)
	stepRuns(t, s, killedRuns, 1)
	must(t, s.Close())
	cmd, out := startChild(t, "commit until killed", path)
	defer func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait() // it was killed
	}()
	if !out.Scan() {
		t.Fatal("the child does not write")
	}
	if r, err := Restore(t.Context(), backup, path, nil); !errors.Is(err, ErrInUse) || r.Before != "" {
		t.Errorf("of a database that is in use: %+v, %v", r, err)
	}
	idle := made(t)
	before := contentsOfDir(t, filepath.Dir(idle))
	if _, err := Restore(t.Context(), text, idle, nil); !errors.Is(err, ErrForeign) {
		t.Errorf("from a text: %v", err)
	}
	if _, err := Restore(t.Context(), filepath.Join(t.TempDir(), "none"), idle, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("from nothing: %v", err)
	}
	bad := errors.New("not good")
	if _, err := Restore(t.Context(), backup, idle, func(context.Context, *Store) error { return bad }); !errors.Is(err, bad) {
		t.Errorf("of one that fails the check: %v", err)
	}
	if contentsOfDir(t, filepath.Dir(idle)) != before {
		t.Error("the folder has changed")
	}
}

// TestRestoreOlderFormat brings the copy up to date, and leaves the backup as it is.
func TestRestoreOlderFormat(t *testing.T) {
	backup := filepath.Join(t.TempDir(), "backup.db")
	fill(t, backup, migrations()[:5])
	before := contentsOfDir(t, filepath.Dir(backup))
	path := made(t)
	must(t, errOf(Restore(t.Context(), backup, path, nil)))
	if row := load(t, openAt(t, path, ReadOnly()), "r"); row.Seq != 2 {
		t.Errorf("the run is at %d", row.Seq)
	}
	if contentsOfDir(t, filepath.Dir(backup)) != before {
		t.Error("the backup has changed")
	}
}

// TestRestoreInHalf: a restore that ends before the old log is gone leaves a database
// that is refused until it is done again.
func TestRestoreInHalf(t *testing.T) {
	path := made(t)
	backup := filepath.Join(t.TempDir(), "backup.db")
	s := openAt(t, path)
	must(t, errOf(s.Backup(t.Context(), backup, nil)))
	commit(t, s, nextStep(load(t, s, "r")))
	left := killed(t, path)
	must(t, os.WriteFile(left, read(t, backup), 0o600))
	if _, err := Open(t.Context(), left); !errors.Is(err, ErrLog) {
		t.Errorf("it opens: %v", err)
	}
	must(t, errOf(Restore(t.Context(), backup, left, nil)))
	if row := load(t, openAt(t, left), "r"); row.Seq != 1 {
		t.Errorf("the run is at %d", row.Seq)
	}
}
