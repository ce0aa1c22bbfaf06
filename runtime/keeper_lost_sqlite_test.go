//go:build cgo

package runtime_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestLostKeeper: a run does not wait for a worker that was lost while it was about to start a
// child, after the lease has run out: neither to finish nor to be idle. No one need claim anything.
func TestLostKeeper(t *testing.T) {
	for event, want := range map[string]machine.Status{"End": machine.Finished, "Leave": machine.Running} {
		bubble(t, func(t *testing.T) {
			child := review(t)
			db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "runs.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			m := parent(t, child)
			e := NewEngine(db)
			register(t, e, child, Handlers{Activities: map[string]ActivityFunc{"work": findsN(0)}})
			register(t, e, m, Handlers{})
			start(t, e, "r", listOf(0))
			send(t, e, "r", "Go", "")
			rows, err := db.Claim(t.Context(), store.ClaimQuery{
				Worker: "lost", Now: time.Now(), Until: time.Now().Add(time.Minute), Limit: 1,
				Activities: []store.Claimable{{Definition: m.Hash(), Activity: "Review"}},
			})
			if err != nil || len(rows) != 1 {
				t.Fatalf("%+v, %v", rows, err)
			}
			if v := send(t, e, "r", event, ""); v.Status.Over() && v.Status != machine.Ending {
				t.Fatalf("%+v", v)
			}
			w := run(t, e)
			defer w.stop()
			began := time.Now()
			ctx, stop := context.WithTimeout(t.Context(), time.Hour)
			defer stop()
			v, err := w.Wait(ctx, "r")
			if err != nil || v.Status != want {
				t.Errorf("after %s: %v, %v", event, v.Status, err)
			}
			if took := time.Since(began); took < time.Minute || took > 2*time.Minute {
				t.Errorf("after %s: it took %s", event, took)
			}
		})
	}
}
