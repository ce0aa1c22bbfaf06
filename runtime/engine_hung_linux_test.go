//go:build cgo

package runtime_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
	"github.com/fsmc-dev/fsmc/runtime/sqlite/faultfs"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// onHungDisk gives an engine on SQLite whose disk hangs when it is told to.
func onHungDisk(t *testing.T, limit time.Duration) (*sqlite.Store, *Engine) {
	t.Helper()
	must(t, faultfs.Register())
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "runs.db"), sqlite.FileLayer(faultfs.Name))
	must(t, err)
	t.Cleanup(func() {
		faultfs.Hold(0)
		for faultfs.Waiting() > 0 {
			time.Sleep(time.Millisecond)
		}
		_ = store.Close()
	})
	e := knowing(t, store, job(t, nil, On1("Found", "Done"), On1("failed", "Broken")), WithStoreLimit(limit))
	return store, e
}

// TestSendOnAHungDisk: whoever waits for a disk that does not answer is told so in time:
// that nothing was written, or that it is not known, and an event with an id is taken once
// all the same.
func TestSendOnAHungDisk(t *testing.T) {
	_, e := onHungDisk(t, 100*time.Millisecond)
	start(t, e, "r", "")
	start(t, e, "other", "")
	event := machine.ExternalEvent{Name: "Go", ID: "once"}
	faultfs.Hold(faultfs.Sync | faultfs.Write)
	background := context.Background()
	if _, err := e.Send(t.Context(), "r", event); !errors.Is(err, store.ErrUnknown) || !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("the first: %v", err)
	}
	for what, call := range map[string]func(context.Context) error{
		"send":   func(ctx context.Context) error { _, err := e.Send(ctx, "other", event); return err },
		"start":  func(ctx context.Context) error { _, err := e.Start(ctx, "M", "third", nil); return err },
		"cancel": func(ctx context.Context) error { _, err := e.Cancel(ctx, "other", CancelOptions{}); return err },
		"pause":  func(ctx context.Context) error { _, err := e.Pause(ctx, "other", machine.Operator{}); return err },
		"prune": func(ctx context.Context) error {
			_, err := e.Prune(ctx, store.PruneQuery{Before: time.Now()})
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(background, 50*time.Millisecond)
		if err := call(ctx); err == nil || errors.Is(err, store.ErrUnknown) || ctx.Err() == nil {
			t.Errorf("%s, behind one that hangs: %v", what, err)
		}
		cancel()
		if what == "prune" {
			continue // it has the limit of its caller alone
		}
		if err := call(background); !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrUnknown) {
			t.Errorf("%s, without a limit of its own: %v", what, err)
		}
	}
	faultfs.Hold(0)
	if v, err := e.Send(t.Context(), "r", event); err != nil || v.State != "Working" {
		t.Errorf("%s, %v", v.State, err)
	}
	wantLines(t, e, "r", "start>Idle Go>Working")
	wantLines(t, e, "other", "start>Idle")
}

// TestReadOnAHungDisk: so it is with what only looks.
func TestReadOnAHungDisk(t *testing.T) {
	db, e := onHungDisk(t, time.Hour)
	start(t, e, "r", "")
	faultfs.Hold(faultfs.Read)
	for what, call := range map[string]func(context.Context) error{
		"get":    func(ctx context.Context) error { _, err := e.Get(ctx, "r"); return err },
		"list":   func(ctx context.Context) error { _, err := e.List(ctx, store.RunFilter{}); return err },
		"stats":  func(ctx context.Context) error { _, err := db.Counts(ctx, "", time.Time{}); return err },
		"health": func(ctx context.Context) error { _, err := e.Health(ctx, HealthQuery{}); return err },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err := call(ctx); err == nil {
			t.Errorf("%s: read without the disk", what)
		}
		cancel()
	}
	faultfs.Hold(0)
	inState(t, get(t, e, "r"), "Idle")
}

// TestReadBehindHungReads: where all connections that read hang, also a caller without a
// limit of its own is told so in time, and nobody waits for a connection for ever.
func TestReadBehindHungReads(t *testing.T) {
	_, e := onHungDisk(t, 100*time.Millisecond)
	start(t, e, "r", "")
	faultfs.Hold(faultfs.Read)
	get := func(ctx context.Context) error { _, err := e.Get(ctx, "r"); return err }
	var wait sync.WaitGroup
	for range 4 + 2*goruntime.GOMAXPROCS(0) { // more than there are connections
		wait.Go(func() {
			if err := get(t.Context()); !errors.Is(err, ErrUnavailable) {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	background := context.Background()
	if err := get(background); !errors.Is(err, ErrUnavailable) {
		t.Errorf("without a limit of its own: %v", err)
	}
	faultfs.Hold(0)
	if err := get(background); err != nil {
		t.Error(err)
	}
}

// TestCloseOnAHungDisk: a program that has given up can end.
func TestCloseOnAHungDisk(t *testing.T) {
	db, e := onHungDisk(t, 50*time.Millisecond)
	start(t, e, "r", "")
	faultfs.Hold(faultfs.Sync | faultfs.Write)
	if _, err := e.Send(t.Context(), "r", machine.ExternalEvent{Name: "Go"}); !errors.Is(err, store.ErrUnknown) {
		t.Error(err)
	}
	if err := db.Close(); err == nil {
		t.Error("closed")
	}
}

// TestCloseBehindHungReads: a read whose caller has left is waited for: nothing of this
// process has a file of the database open once it is closed.
func TestCloseBehindHungReads(t *testing.T) {
	db, e := onHungDisk(t, 100*time.Millisecond)
	start(t, e, "r", "")
	faultfs.Hold(faultfs.Read)
	if _, err := e.Get(t.Context(), "r"); !errors.Is(err, ErrUnavailable) {
		t.Error(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- db.Close() }()
	select {
	case err := <-closed:
		t.Errorf("closed with %d reads under way: %v", faultfs.Waiting(), err)
		closed <- err
	case <-time.After(200 * time.Millisecond):
	}
	faultfs.Hold(0)
	must(t, <-closed)
	open, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	for _, fd := range open {
		if name, _ := os.Readlink("/proc/self/fd/" + fd.Name()); strings.Contains(name, "/"+t.Name()) {
			t.Errorf("%s is open", name)
		}
	}
}
