//go:build cgo

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestBackupWhileWriting: the copy is the database at one moment, though four
// others write all the time: every run that is in it is whole.
func TestBackupWhileWriting(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "runs.db"))
	putDefinition(t, s)
	commit(t, s, firstStep("first"))
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	wrote := make(chan struct{}, 1024)
	for writer := range 4 {
		group.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				commit(t, s, firstStep(fmt.Sprintf("r%d-%d", writer, n)))
				select {
				case wrote <- struct{}{}:
				default:
				}
			}
		})
	}
	dir := t.TempDir()
	for n := range 5 {
		for range 20 {
			<-wrote
		}
		path := filepath.Join(dir, fmt.Sprintf("copy%d.db", n))
		var runs []store.RunRow
		size, err := s.Backup(t.Context(), path, func(ctx context.Context, copied *Store) (err error) {
			runs, err = copied.Runs(ctx, store.RunFilter{})
			return err
		})
		if err != nil || size == 0 {
			t.Fatal(size, err)
		}
		if len(runs) < n*20 {
			t.Errorf("copy %d has %d runs", n, len(runs))
		}
		copied := openAt(t, path)
		for _, r := range runs {
			if h, err := copied.History(t.Context(), r.Run, 0, 0); err != nil || int64(len(h)) != r.Seq {
				t.Fatalf("run %q at step %d has %d records, %v", r.Run, r.Seq, len(h), err)
			}
		}
		commit(t, copied, firstStep("more"))
	}
	stop()
	group.Wait()
}

// TestBackupKeepsNothingBad: where the copy cannot be made or does not pass,
// there is no file, and what stood there stands.
func TestBackupKeepsNothingBad(t *testing.T) {
	path := made(t)
	s := openAt(t, path, ReadOnly())
	dir := t.TempDir()
	target := filepath.Join(dir, "copy.db")
	empty := func() {
		t.Helper()
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("left behind: %v, %v", files, err)
		}
	}
	bad := errors.New("not good")
	if _, err := s.Backup(t.Context(), target, func(context.Context, *Store) error { return bad }); !errors.Is(err, bad) {
		t.Error(err)
	}
	empty()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Backup(gone, target, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	empty()
	if _, err := s.Backup(t.Context(), path, nil); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	// One that comes while the copy is made is not overwritten either.
	_, err := s.Backup(t.Context(), target, func(context.Context, *Store) error {
		return os.WriteFile(target, []byte("mine"), 0o600)
	})
	if !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestBackupFindsDamage: a database with a page overwritten gives no backup.
func TestBackupFindsDamage(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	for n := range 200 {
		commit(t, s, firstStep(fmt.Sprintf("run-%d", n)))
	}
	must(t, s.Close())
	file, err := os.ReadFile(path)
	must(t, err)
	for i := 20 * 4096; i < 24*4096; i++ {
		file[i] = 0xa5
	}
	must(t, os.WriteFile(path, file, 0o600))
	target := filepath.Join(t.TempDir(), "copy.db")
	_, err = openAt(t, path, ReadOnly()).Backup(t.Context(), target, nil)
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
	if _, err := os.Stat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Error("there is a backup")
	}
}
