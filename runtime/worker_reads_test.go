package runtime_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// loads counts how often runs are read.
type loads struct {
	store.Store
	n atomic.Int64
}

func (l *loads) Load(ctx context.Context, run string) (RunRow, error) {
	l.n.Add(1)
	return l.Store.Load(ctx, run)
}

// TestAttemptLoadsOnce: an attempt of a run that another process has started reads it once, for its arguments and for the step at its end.
func TestAttemptLoadsOnce(t *testing.T) { synctest.Test(t, attemptLoadsOnce) }

func attemptLoadsOnce(t *testing.T) {
	db := &loads{Store: memstore.New()}
	m := Build(t, WithEvent("Found", "n int"), WithActivity("work", "", "Found", ""),
		WithState("Working", Doing("work", nil), On("Found", GoTo("Done")), On("failed", GoTo("Done"))), WithTerminal("Done", machine.Success))
	finds := func(context.Context, *Attempt) (Result, error) { return found, nil }
	other := NewEngine(db)
	register(t, other, m, Handlers{Activities: map[string]ActivityFunc{"work": finds}})
	start(t, other, "r", "")
	before := db.n.Load()
	w := work(t, db, m, finds)
	synctest.Wait()
	w.stop()
	if row, err := db.Store.Load(t.Context(), "r"); err != nil || row.State != "Done" {
		t.Fatalf("in %s, %v", row.State, err)
	}
	if n := db.n.Load() - before; n != 1 {
		t.Errorf("read %d times", n)
	}
}
