package postgres

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestLoadsTogether: runs that are read while others are at it are read together, and each caller has its own.
func TestLoadsTogether(t *testing.T) {
	const runs = 5
	var names []string
	for i := range runs {
		names = append(names, fmt.Sprint("r", i))
	}
	s := made(t, pgtest.URL(t, "synchronous_commit=off"), names...)
	s.loads.busy = readerCount
	left, leave := context.WithCancel(t.Context())
	rows, errs := make([]store.RunRow, runs+2), make([]error, runs+2)
	var wait sync.WaitGroup
	for i, run := range append(names, "none", "r0") {
		ctx := t.Context()
		if i == runs+1 {
			ctx = left
		}
		wait.Go(func() { rows[i], errs[i] = s.Load(ctx, run) })
	}
	for waiting := 0; waiting < len(rows); runtime.Gosched() {
		s.loads.mu.Lock()
		waiting = len(s.loads.queue)
		s.loads.mu.Unlock()
	}
	leave()
	s.reader()
	wait.Wait()
	for i := range runs {
		if errs[i] != nil || rows[i].Run != names[i] || rows[i].Seq != 1 {
			t.Errorf("%s: %+v, %v", names[i], rows[i], errs[i])
		}
	}
	if !errors.Is(errs[runs], store.ErrNotFound) {
		t.Errorf("a run that is not there: %v", errs[runs])
	}
	if err := errs[runs+1]; err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("who has left: %v", err)
	}
	if s.loads.busy != readerCount-1 || len(s.loads.queue) > 0 {
		t.Errorf("%d readers, %d wait", s.loads.busy, len(s.loads.queue))
	}
	closed := s.Close()
	s.loads.busy = readerCount
	waits := s.loads.enter("r0")
	s.reader()
	if got := <-waits.reply; closed != nil || !errors.Is(got.err, store.ErrClosed) {
		t.Errorf("%v: a store that is closed: %+v", closed, got)
	}
}
