//go:build cgo

package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

func openSQLite(t testing.TB, path string) store.Store {
	t.Helper()
	store, err := sqlite.Open(context.Background(), path)
	must(t, err)
	t.Cleanup(func() { store.Close() })
	return store
}

// TestRecoveryFromFile drops an engine and its store in the middle of an
// attempt, and lets others that open the file go on.
func TestRecoveryFromFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	m := job(t, nil, On1("Found", "Done"), On("failed", Retry(5, WithBackoff("10ms", "10ms", 1, 0)), GoTo("Broken")))

	db := openSQLite(t, path)
	first := knowing(t, db, m)
	begin(t, first, "r")
	rows, err := db.Claim(t.Context(), store.ClaimQuery{
		Worker: "dropped", Now: time.Now(), Until: time.Now().Add(300 * time.Millisecond), Limit: 1,
		Activities: []store.Claimable{{Definition: m.Hash(), Activity: "work"}},
	})
	if err != nil || len(rows) != 1 {
		t.Fatalf("claimed %v, %v", rows, err)
	}
	must(t, db.Close())

	second := NewEngine(openSQLite(t, path), WithPoll(20*time.Millisecond))
	number := 0
	register(t, second, m, Handlers{Activities: map[string]ActivityFunc{"work": func(_ context.Context, a *Attempt) (Result, error) {
		if number = a.Number; number == 1 {
			return Result{}, errors.New("once")
		}
		return found, nil
	}}})
	v, err := second.RunUntilDone(t.Context(), "r")
	if err != nil || v.State != "Done" || number != 2 {
		t.Errorf("attempt %d: %+v, %v", number, v, err)
	}
	wantLines(t, second, "r", "start>Idle Go>Working lost>Working failed(unknown)>Working Found>Done")
}

func TestConcurrentSendsToFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	m := door(t)
	first := knowing(t, openSQLite(t, path), m)
	start(t, first, "r", `{"owner":"me"}`)
	var taken atomic.Int64
	var group sync.WaitGroup
	for range 3 {
		e := NewEngine(openSQLite(t, path))
		for range 3 {
			group.Go(func() {
				for i := range 20 {
					event := machine.ExternalEvent{Name: "Open", Data: json.RawMessage(`{"by":1}`)}
					if i%2 == 1 {
						event = machine.ExternalEvent{Name: "Close"}
					}
					switch _, err := e.Send(t.Context(), "r", event); {
					case err == nil:
						taken.Add(1)
					case !errors.As(err, new(*machine.Rejected)):
						t.Error(err)
					}
				}
			})
		}
	}
	group.Wait()
	if v := get(t, first, "r"); v.Seq != 1+taken.Load() || taken.Load() == 0 {
		t.Errorf("%d steps, %d sends were taken", v.Seq, taken.Load())
	}
	lines(t, first, "r")
}

var stores = map[string]func(testing.TB) store.Store{
	"memory": func(testing.TB) store.Store { return memstore.New() },
	"sqlite": func(t testing.TB) store.Store { return openSQLite(t, filepath.Join(t.TempDir(), "runs.db")) },
}
