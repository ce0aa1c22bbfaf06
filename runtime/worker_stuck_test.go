package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// unreadable is a store in which the snapshots of runs called bad are damaged.
type unreadable struct{ store.Store }

func (s unreadable) Load(ctx context.Context, run string) (store.RunRow, error) {
	row, err := s.Store.Load(ctx, run)
	if strings.HasPrefix(run, "bad") {
		row.Snapshot = []byte("{}")
	}
	return row, err
}

// TestLostWorkersOfStuckRuns: more claims that no one can take over than a worker
// looks at in one round keep it from no other.
func TestLostWorkersOfStuckRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := memstore.New()
		m := job(t, []string{"heartbeat 1h"}, retrying()...)
		e := beginElsewhere(t, db, m, "bad0")
		for i := 1; i < 150; i++ {
			begin(t, e, fmt.Sprint("bad", i))
		}
		claim := func(n int) {
			rows, err := db.Claim(t.Context(), store.ClaimQuery{
				Worker: "lost", Now: time.Now(), Until: time.Now().Add(time.Second), Limit: n,
				Activities: []store.Claimable{{Definition: m.Hash(), Activity: "work"}},
			})
			if err != nil || len(rows) != n {
				t.Fatal(len(rows), err)
			}
			time.Sleep(time.Minute)
		}
		claim(150)
		begin(t, e, "sound")
		claim(1)
		w := work(t, unreadable{db}, m, finds, WithLogger(quiet))
		defer w.stop()
		inState(t, within(t, e, "sound", time.Hour), "Done")
	})
}

// TestTimersOfStuckRuns: the same of timers, of which a run may have several.
func TestTimersOfStuckRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		m := Build(t, WithEvent("Go", ""),
			WithState("Idle", After("1m", GoTo("Done")), After("2m", GoTo("Done")), After("3m", GoTo("Done")), On("Go", GoTo("Idle"))),
			WithTerminal("Done", machine.Success))
		e := knowing(t, store, m)
		for i := range 150 {
			start(t, e, fmt.Sprint("bad", i), "")
		}
		time.Sleep(5 * time.Minute)
		start(t, e, "sound", "")
		w := knowing(t, unreadable{store}, m, WithLogger(quiet))
		defer run(t, w).stop()
		time.Sleep(10 * time.Minute)
		inState(t, get(t, e, "sound"), "Done")
	})
}

// overtaken is a store in which something else happens after the first timers that
// are due have been listed.
type overtaken struct {
	store.Store
	once      sync.Once
	meanwhile func()
}

func (s *overtaken) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	work, err := s.Store.Look(ctx, q)
	if len(work.Due) > 0 {
		s.once.Do(s.meanwhile)
	}
	return work, err
}

// TestTimerAfterOneTakenElsewhere: a timer that was fired by an input that came at
// the same time holds up no later one of its run.
func TestTimerAfterOneTakenElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Build(t, WithEvent("Nudge", ""), WithEvent("Found", "n int"), WithActivity("work", "", "Found", ""),
			WithState("A", After("1m", GoTo("B"))), WithState("B", After("1m", GoTo("C"))),
			WithState("C", Doing("work", nil), On("Found, failed", GoTo("D"))),
			WithTerminal("D", machine.Success), On("Nudge", Stay()))
		store := &overtaken{Store: memstore.New()}
		w := work(t, store, m, finds, WithPoll(time.Hour))
		defer w.stop()
		store.meanwhile = func() { send(t, w.Engine, "r", "Nudge", "") }
		began := time.Now()
		start(t, w.Engine, "r", "")
		if v := await(t, w.Engine, "r"); v.State != "D" || time.Since(began) != 2*time.Minute {
			t.Errorf("after %s: %s", time.Since(began), v.State)
		}
		wantLines(t, w.Engine, "r", "start>A after 1m>B Nudge>B after 1m>C Found>D")
	})
}
