//go:build cgo

package sqlite

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestRoomAhead: the file of a log grows seldom, by zeros that are written ahead, and what
// a process leaves that is killed then has all steps.
func TestRoomAhead(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	s.writer.wal.every.Store(1 << 40) // no checkpoint
	row := load(t, s, "r")
	const steps = 200
	var grown, size int64
	for range steps {
		c := nextStep(row)
		commit(t, s, c)
		row = c.Run
		if now := sizeOf(t, path+"-wal"); now != size {
			grown, size = grown+1, now
		}
	}
	if most := 2*size/mostRoom + 10; grown > most { // by a step that finds no room, and by the next one
		t.Errorf("%d of %d steps made the file longer, up to %d bytes, and not at most %d", grown, steps, size, most)
	}
	log := read(t, path+"-wal")
	if room := len(log) - len(bytes.TrimRight(log, "\x00")); room == 0 || room > mostRoom {
		t.Errorf("%d bytes of zeros are ahead of the log", room)
	}
	left := openAt(t, killed(t, path))
	if got := load(t, left, "r"); got.Seq != row.Seq {
		t.Errorf("what is left ends with step %d, and not %d", got.Seq, row.Seq)
	}
	commit(t, left, nextStep(row))
	if found := query[string](t, left, "PRAGMA integrity_check(1)"); found != "ok" {
		t.Error(found)
	}
}

// TestEnoughRoom: a log is not made longer than it gets before it restarts.
func TestEnoughRoom(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	must(t, os.Truncate(path+"-wal", enoughRoom))
	stepRuns(t, s, 1, 3)
	if size := sizeOf(t, path+"-wal"); size != enoughRoom {
		t.Errorf("the log has %d bytes", size)
	}
}

// TestOnlyRoom: of a process that was killed before its first step was whole there may be
// zeros alone.
func TestOnlyRoom(t *testing.T) {
	for _, n := range []int{1, 32, 4096, leastRoom} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "left.db")
			for end, content := range map[string][]byte{"": read(t, made(t)), "-wal": zeros[:n]} {
				must(t, os.WriteFile(path+end, content, 0o600))
			}
			s := openAt(t, path)
			commit(t, s, nextStep(load(t, s, "r")))
		})
	}
}
