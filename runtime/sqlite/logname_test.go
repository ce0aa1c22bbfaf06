//go:build cgo

package sqlite

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// killed gives the path of what a process would leave that is killed now: the files of
// an open database, copied.
func killed(t *testing.T, path string) string {
	t.Helper()
	left := filepath.Join(t.TempDir(), "left.db")
	for _, end := range []string{"", "-wal"} {
		must(t, os.WriteFile(left+end, read(t, path+end), 0o600))
	}
	return left
}

// TestLogOfAnotherState: a file that is put in the place of a database, beside the log
// that a killed process has left, is not opened with it.
func TestLogOfAnotherState(t *testing.T) {
	path := made(t)
	older := read(t, path)
	backup := filepath.Join(t.TempDir(), "backup.db")
	s := openAt(t, path)
	commit(t, s, nextStep(load(t, s, "r")))
	must(t, errOf(s.Backup(t.Context(), backup, nil)))
	for _, test := range []struct {
		name    string
		file    []byte
		seq     int64 // of the run in the file
		steps   int   // taken before the process is killed
		restart bool  // the log has restarted meanwhile
		refused bool
	}{
		{"the file itself", nil, 3, 1, false, false},
		{"the file itself, later", nil, 102, 100, true, false},
		{"a backup of the state that the log brings", read(t, backup), 2, 0, false, true},
		{"a backup", read(t, backup), 2, 200, false, true},
		{"a backup, and the log has restarted", read(t, backup), 2, 200, true, true},
		{"an older copy, and the log has restarted", older, 1, 200, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "runs.db")
			must(t, os.WriteFile(path, older, 0o600))
			s := openAt(t, path)
			if test.restart {
				shortLog(s)
			}
			row := load(t, s, "r")
			for range test.steps + 1 {
				next := nextStep(row)
				commit(t, s, next)
				row = next.Run
			}
			if test.restart {
				untilMoved(t, path, 0, func() { stepRuns(t, s, 2, 20) })
			}
			s.writer.turn <- struct{}{} // nothing is written while the files are copied
			select {
			case <-s.writer.wal.wake:
			default:
			}
			if _, _, err := s.writer.wal.run("PASSIVE"); err != nil { // after one that is under way
				t.Fatal(err)
			}
			left := killed(t, path)
			<-s.writer.turn
			if test.file != nil {
				must(t, os.WriteFile(left, test.file, 0o600))
			}
			before := contentsOfDir(t, filepath.Dir(left))
			if test.refused {
				for _, opts := range [][]Option{nil, {ReadOnly()}} {
					if _, err := Open(t.Context(), left, opts...); !errors.Is(err, ErrLog) {
						t.Errorf("with its log it opens: %v", err)
					}
				}
				if contentsOfDir(t, filepath.Dir(left)) != before {
					t.Error("the files have changed")
				}
				must(t, os.Remove(left+"-wal"))
			}
			opened := openAt(t, left)
			if row := load(t, opened, "r"); row.Seq != test.seq {
				t.Errorf("the run is at %d, not %d", row.Seq, test.seq)
			}
			if found := query[string](t, opened, "PRAGMA integrity_check"); found != "ok" {
				t.Error(found)
			}
		})
	}
}

// TestLogAlone: a log whose database was moved away, deleted or emptied is not taken for that of
// a new one, which would delete it.
func TestLogAlone(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"deleted": os.Remove,
		"emptied": func(path string) error { return os.Truncate(path, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			path := made(t)
			s := openAt(t, path)
			commit(t, s, nextStep(load(t, s, "r")))
			left, backup := killed(t, path), filepath.Join(t.TempDir(), "backup.db")
			must(t, errOf(s.Backup(t.Context(), backup, nil)))
			file, log := read(t, left), read(t, left+"-wal")
			must(t, lose(left))
			before := contentsOfDir(t, filepath.Dir(left))
			for _, opts := range [][]Option{nil, {Existing()}, {ReadOnly()}} {
				if _, err := Open(t.Context(), left, opts...); !errors.Is(err, ErrLogAlone) && (len(opts) == 0 || !errors.Is(err, os.ErrNotExist)) {
					t.Errorf("it opens: %v", err)
				}
			}
			if contentsOfDir(t, filepath.Dir(left)) != before {
				t.Error("the files have changed")
			}
			kept, err := Restore(t.Context(), backup, left, nil)
			must(t, err)
			at := strings.TrimSuffix(kept.Before, "-wal")
			if !bytes.Equal(read(t, at+"-wal"), log) {
				t.Error("the log is not kept")
			}
			must(t, os.WriteFile(at, file, 0o600))
			for _, path := range []string{left, at} {
				if row := load(t, openAt(t, path), "r"); row.Seq != 2 {
					t.Errorf("the run is at %d", row.Seq)
				}
			}
		})
	}
}
