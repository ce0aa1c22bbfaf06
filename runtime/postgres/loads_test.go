package postgres

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

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
	atWork(s, time.Now().Add(time.Hour))
	if _, err := s.Load(t.Context(), "r\xff"); !errors.Is(err, store.ErrNotFound) { // which would spoil the statement of all
		t.Errorf("a run that cannot be there: %v", err)
	}
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
	waiting := func() int {
		s.loads.mu.Lock()
		defer s.loads.mu.Unlock()
		return len(s.loads.queue)
	}
	for waiting() < len(rows) {
		runtime.Gosched()
	}
	leave()
	for waiting() == len(rows) {
		runtime.Gosched()
	}
	s.reads(s.loads.readers[0])
	wait.Wait()
	for i := range runs {
		if errs[i] != nil || rows[i].Run != names[i] || rows[i].Seq != 1 {
			t.Errorf("%s: %+v, %v", names[i], rows[i], errs[i])
		}
	}
	if !errors.Is(errs[runs], store.ErrNotFound) {
		t.Errorf("a run that is not there: %v", errs[runs])
	}
	if err := errs[runs+1]; !errors.Is(err, context.Canceled) {
		t.Errorf("who has left: %v", err)
	}
	if len(s.loads.readers) != readerCount-1 || len(s.loads.queue) > 0 {
		t.Errorf("%d readers, %d wait", len(s.loads.readers), len(s.loads.queue))
	}
	closed := s.Close()
	atWork(s, time.Now().Add(time.Hour))
	_, waits := s.loads.enter("r0")
	s.reads(s.loads.readers[0])
	if got := <-waits.reply; closed != nil || !errors.Is(got.err, store.ErrClosed) {
		t.Errorf("%v: a store that is closed: %+v", closed, got)
	}
}

// atWork sets as many readers of a store to work as there are, since then.
func atWork(s *Store, begun time.Time) {
	s.loads.readers = nil
	for range readerCount {
		s.loads.readers = append(s.loads.readers, &reader{begun})
	}
}

// TestLoadsOfOne: of two callers who read one run together, each has what it may change.
func TestLoadsOfOne(t *testing.T) {
	s := made(t, pgtest.URL(t, "synchronous_commit=off"), "r")
	if _, err := s.pool.Exec(t.Context(), s.sql(`UPDATE @runs SET tags = '{"k":"v"}'`)); err != nil {
		t.Fatal(err)
	}
	atWork(s, time.Now().Add(time.Hour))
	_, first := s.loads.enter("r")
	_, second := s.loads.enter("r")
	s.reads(s.loads.readers[0])
	a, b := (<-first.reply).rows[0], (<-second.reply).rows[0]
	if !reflect.DeepEqual(a, b) || b.Tags["k"] != "v" || len(b.Snapshot) == 0 {
		t.Fatalf("%+v and %+v", a, b)
	}
	a.Tags["k"], a.Snapshot[0] = "other", 'x'
	if b.Tags["k"] != "v" || b.Snapshot[0] == 'x' {
		t.Errorf("what one has changed, the other sees: %+v", b)
	}
}

// TestLoadsBesideSlow: readers whose connections hang hold no one else up: neither who comes then, nor who waits already.
func TestLoadsBesideSlow(t *testing.T) {
	s := made(t, pgtest.URL(t, "synchronous_commit=off"), "r")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	atWork(s, time.Now().Add(-slowAfter))
	if row, err := s.Load(ctx, "r"); err != nil || row.Run != "r" {
		t.Errorf("who comes: %+v, %v", row, err)
	}
	was := slowAfter
	slowAfter = 100 * time.Millisecond
	defer func() { slowAfter = was }()
	atWork(s, time.Now())
	if row, err := s.Load(ctx, "r"); err != nil || row.Run != "r" {
		t.Errorf("who waits: %+v, %v", row, err)
	}
	if len(s.loads.readers) != readerCount || len(s.loads.queue) > 0 {
		t.Errorf("%d readers, %d wait", len(s.loads.readers), len(s.loads.queue))
	}
}

// TestLoadsUnanswered: who reads together with others, and is not answered, is told that it is the server.
func TestLoadsUnanswered(t *testing.T) {
	s := made(t, pgtest.URL(t, "synchronous_commit=off"), "r")
	was := readLimit
	readLimit = time.Second
	defer func() { readLimit = was }()
	locked, err := s.pool.Begin(t.Context())
	if err == nil {
		_, err = locked.Exec(t.Context(), s.sql(`LOCK TABLE @runs IN ACCESS EXCLUSIVE MODE`))
	}
	if err != nil {
		t.Fatal(err)
	}
	atWork(s, time.Now().Add(time.Hour))
	_, waits := s.loads.enter("r")
	s.reads(s.loads.readers[0])
	if got := <-waits.reply; !errors.Is(got.err, ErrServer) || !strings.Contains(got.err.Error(), "see whether it can be reached") {
		t.Errorf("%+v", got)
	}
	if err := locked.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
}
