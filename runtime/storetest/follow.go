package storetest

import (
	"context"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Follow reads the feed of a store while write takes so many steps of each of so many
// new runs, from 1 on, and expects each step once, those of a run in order.
func Follow(t *testing.T, s store.Store, runs, steps int, write func()) {
	t.Helper()
	after, err := s.FeedEnd(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		write()
	}()
	seen, total := map[string]int64{}, 0
	read := func() {
		for limit := 1; ; limit = limit%7 + 1 {
			rows, err := s.Feed(context.Background(), after, limit)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range rows {
				r := &rows[i]
				if r.ID <= after || r.Seq != seen[r.Run]+1 {
					t.Errorf("step %d of %s at %d comes behind step %d, after %d", r.Seq, r.Run, r.ID, seen[r.Run], after)
				}
				after, seen[r.Run] = r.ID, r.Seq
				total++
			}
			if len(rows) < limit {
				return
			}
		}
	}
	for under := true; under && !t.Failed(); {
		select {
		case <-done:
			under = false
		default:
		}
		read()
	}
	<-done
	if len(seen) != runs || total != runs*steps {
		t.Errorf("%d steps of %d runs were given, want %d of %d", total, len(seen), runs*steps, runs)
	}
}
