//go:build linux && cgo

package sqlite

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/sqlite/faultfs"
)

// TestOneWriteForEachCommit: what a transaction appends to the log comes in one
// call, and then the sync; with synchronous=NORMAL nothing is held back, because
// nothing would let it go.
func TestOneWriteForEachCommit(t *testing.T) {
	if err := faultfs.Register(); err != nil {
		t.Fatal(err)
	}
	const commits = 20
	for name, c := range map[string]struct {
		opts []Option
		most int
	}{
		"full":    {nil, commits + 1}, // and the header of the log
		"relaxed": {[]Option{Relaxed()}, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			s := openAt(t, made(t), append(c.opts, FileLayer(faultfs.Name))...)
			row, err := s.Load(t.Context(), "r")
			if err != nil {
				t.Fatal(err)
			}
			faultfs.Record()
			for range commits {
				next := nextStep(row)
				commit(t, s, next)
				row = next.Run
			}
			writes, syncs := 0, 0
			for _, op := range faultfs.Recorded() {
				if !strings.HasSuffix(op.File, "-wal") {
					continue
				}
				switch op.Kind {
				case faultfs.Write:
					if len(bytes.Trim(op.Data, "\x00")) > 0 { // not laid out ahead
						writes++
					}
				case faultfs.Sync:
					syncs++
				}
			}
			if writes < commits || writes > c.most || c.opts == nil && syncs < commits || c.opts != nil && writes < 2*commits {
				t.Errorf("%d writes and %d syncs of the log for %d commits", writes, syncs, commits)
			}
		})
	}
}

// TestLogLaidOutAhead: most commits find room in the file, which does not grow
// with them.
func TestLogLaidOutAhead(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	row, err := s.Load(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	const commits = 200
	grown, before := 0, int64(0)
	for range commits {
		next := nextStep(row)
		commit(t, s, next)
		row = next.Run
		if size := sizeOf(t, path+"-wal"); size != before {
			grown, before = grown+1, size
		}
	}
	pages, _, err := s.writer.wal.run("PASSIVE")
	if err != nil || pages < commits {
		t.Fatalf("the log has %d pages, %v", pages, err)
	}
	if grown > commits/4 {
		t.Errorf("the log has grown %d times in %d commits", grown, commits)
	}
}
