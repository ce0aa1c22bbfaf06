//go:build cgo

package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// database is a new one, which ends with the test.
func database(t *testing.T) *sqlite.Store {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "runs.db"))
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// reviewing is a database with an engine that has a parent and its child; f does the child's work, nil for no one.
func reviewing(t *testing.T, f ActivityFunc, o ...Option) (db *sqlite.Store, e *Engine, child, m *machine.Machine) {
	t.Helper()
	db, child = database(t), review(t)
	m = parent(t, child)
	e = NewEngine(db, o...)
	registerBoth(t, e, child, m, f)
	return db, e, child, m
}

// lose claims a task of a run for a minute in the name of a worker that is never heard of again.
func lose(t *testing.T, db store.Store, m *machine.Machine, activity, run string) store.Claim {
	t.Helper()
	rows, err := db.Claim(t.Context(), store.ClaimQuery{
		Worker: "lost", Now: time.Now(), Until: time.Now().Add(time.Minute), Limit: 1, Run: run,
		Activities: []store.Claimable{{Definition: m.Hash(), Activity: activity}},
	})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%+v, %v", rows, err)
	}
	return rows[0].Claim()
}

// TestLostKeeper: a run does not wait for a worker that was lost while it was about to start a
// child, after the lease has run out: neither to finish nor to be idle. No one need claim anything.
func TestLostKeeper(t *testing.T) {
	for event, want := range map[string]machine.Status{"End": machine.Finished, "Leave": machine.Running} {
		bubble(t, func(t *testing.T) {
			db, e, _, m := reviewing(t, findsN(0))
			callChild(t, e, 0)
			lose(t, db, m, "Review", "r")
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

// TestKeepersLostOften: however many workers are lost while they are about to start a child, or
// to tell how it has ended, its parent is told that and nothing else.
func TestKeepersLostOften(t *testing.T) {
	bubble(t, func(t *testing.T) {
		db, e, _, m := reviewing(t, findsN(0), WithLostLimit(1))
		callChild(t, e, 0)
		often := func() {
			t.Helper()
			for i := range 3 {
				claim := lose(t, db, m, "Review", "r")
				if time.Sleep(time.Minute); i == 2 {
					break
				}
				must(t, db.Reclaim(t.Context(), claim, time.Now()))
			}
		}
		often()
		w := run(t, e)
		inState(t, await(t, e, "r"), "One")
		w.stop()
		send(t, e, "r/One.one.2.1", "Say", `{"n":6}`)
		often()
		w = run(t, e)
		defer w.stop()
		returns(t, await(t, e, "r"), "Done", `{"total":6}`)
		whole(t, e, db, "r")
	})
}

// TestMigrateAfterLostKeeper: a run that a worker was about to start a child of is migrated when
// that has been lost, though no one else works on it. Until then it stays, and others are migrated.
func TestMigrateAfterLostKeeper(t *testing.T) {
	bubble(t, func(t *testing.T) {
		db, e, child, m := reviewing(t, nil)
		start(t, e, "older", listOf(0))
		time.Sleep(time.Second)
		callChild(t, e, 0)
		lost := lose(t, db, m, "Review", "r")
		next := parent(t, child, "timeout 2h")
		e = NewEngine(db)
		registerBoth(t, e, child, next, findsN(2))
		migrate := func(apply bool) (got []MigratedRun) {
			t.Helper()
			must(t, e.Migrate(t.Context(), "M", MigrateOptions{Apply: apply, Operator: ada}, func(r MigratedRun) error {
				got = append(got, r)
				return nil
			}))
			return got
		}
		if got := migrate(true); len(got) != 2 || !strings.Contains(got[0].Why, "about to start") || got[0].To != "" || got[1].To != "Idle" {
			t.Fatalf("%+v", got)
		}
		time.Sleep(time.Minute)
		for _, apply := range []bool{false, true} {
			if got := migrate(apply); len(got) != 1 || got[0].To != "One" {
				t.Fatalf("%+v", got)
			}
		}
		if err := db.Release(t.Context(), lost, time.Now(), time.Now()); err == nil {
			t.Error("who was lost still has the task")
		}
		w := run(t, e)
		defer w.stop()
		returns(t, await(t, e, "r"), "Done", `{"total":2}`)
		whole(t, e, db, "r")
	})
}

// TestCancelAfterLostKeeper: who cancels a run finishes those below it himself, also one whose
// worker was lost while it was about to start a child.
func TestCancelAfterLostKeeper(t *testing.T) {
	bubble(t, func(t *testing.T) {
		db, e, _, m := reviewing(t, nil)
		register(t, e, deep(t, m), Handlers{})
		must(t, errOf(e.Start(t.Context(), "Top", "r", nil)))
		w := run(t, e)
		await(t, e, "r")
		w.stop()
		send(t, e, "r/Calling.m.1.1", "Go", "")
		lose(t, db, m, "Review", "r/Calling.m.1.1")
		began := time.Now()
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		v, err := e.Cancel(ctx, "r", CancelOptions{Force: true})
		if err != nil || v.Status != machine.Finished || v.Outcome != machine.Cancelled {
			t.Fatalf("%v, %v", v.Status, err)
		}
		if took := time.Since(began); took < time.Minute || took > 2*time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}

// TestCancelSideBySide: one that has yet to end keeps no other from that.
func TestCancelSideBySide(t *testing.T) {
	bubble(t, func(t *testing.T) {
		db, e, child, m := reviewing(t, findsN(0))
		register(t, e, Build(t, Named("Top"), WithFields("files [0..1000]string = []"), Calling(m), Calling(child),
			WithState("Calling", Doing("Review", []string{`"x"`}, "as a"), Doing("M", []string{"files"}, "as b"),
				On("a.Completed, a.Failed", Stay()), On("b.Done", Stay()), On("a.failed, b.failed", Stay()), On("done", GoTo("Done"))),
			WithTerminal("Done", machine.Success)), Handlers{})
		must(t, errOf(e.Start(t.Context(), "Top", "r", nil)))
		w := run(t, e)
		await(t, e, "r")
		w.stop()
		send(t, e, "r/Calling.b.1.1", "Go", "")
		lose(t, db, m, "Review", "r/Calling.b.1.1")
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		if _, err := e.Cancel(ctx, "r", CancelOptions{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		if a, b := get(t, e, "r/Calling.a.1.1"), get(t, e, "r/Calling.b.1.1"); a.State != "Stopping" || b.Status != machine.Finished {
			t.Errorf("%s and %s", a.Status, b.Status)
		}
	})
}

// TestLimitAfterLostWorker: an attempt of a run that has halted keeps no place under a limit when
// its worker has been lost.
func TestLimitAfterLostWorker(t *testing.T) {
	bubble(t, func(t *testing.T) {
		db := database(t)
		m := Build(t, WithFields("n int = 0"), WithEvent("Found", "n int"), WithActivity("work", "", "Found", ""), WithLimit("work", machine.Limit{AtOnce: 1}),
			WithState("Working", Doing("work", nil), On("Found", GoTo("Done")), On("failed", GoTo("Done")),
				After("30s", GoTo("Done", Set("n", "9223372036854775807 + n + 1")))),
			WithTerminal("Done", machine.Success))
		e := NewEngine(db)
		register(t, e, m, Handlers{Activities: map[string]ActivityFunc{"work": findsN(0)}})
		start(t, e, "r", "{}")
		lose(t, db, m, "work", "r")
		time.Sleep(40 * time.Second)
		w := run(t, e)
		defer w.stop()
		if v := await(t, e, "r"); v.Status != machine.Halted {
			t.Fatalf("%+v", v)
		}
		start(t, e, "s", "{}")
		time.Sleep(time.Hour)
		if v := get(t, e, "s"); v.State != "Done" || v.Status != machine.Finished {
			t.Errorf("%+v", v)
		}
	})
}

// TestWaitAfterLostWorker: an attempt whose worker was lost is not waited for where no one can
// take it over for want of a guard.
func TestWaitAfterLostWorker(t *testing.T) {
	bubble(t, func(t *testing.T) {
		db := database(t)
		m := Build(t, WithFields("n int = 7"), WithEvent("Found", "n int"), WithGuard("ready", "n int"), WithActivity("work", "", "Found", ""),
			WithState("Working", Doing("work", nil, "heartbeat 1m"), On("Found", GoTo("Done")), On("failed", GoTo("Done", When("ready(n)")), GoTo("Broken"))),
			WithTerminal("Done", machine.Success), WithTerminal("Broken", machine.Failed))
		elsewhere := NewEngine(db)
		register(t, elsewhere, m, Handlers{Activities: map[string]ActivityFunc{"work": findsN(1)}, Guards: map[string]GuardFunc{"ready": func(context.Context, json.RawMessage) (bool, error) { return true, nil }}})
		start(t, elsewhere, "r", "{}")
		lose(t, db, m, "work", "r")
		e := NewEngine(db, WithLogger(quiet), WithHandlers(func(*machine.Machine) Handlers { return Handlers{} }))
		w := run(t, e)
		defer w.stop()
		began := time.Now()
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		if v, err := e.Wait(ctx, "r"); err != nil || v.State != "Working" {
			t.Errorf("%s, %v", v.State, err)
		}
		if took := time.Since(began); took < time.Minute || took > 2*time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}

// justBefore is a store in which something happens just before a step of a run is written that
// cancels tasks.
type justBefore struct {
	store.Store
	happens func()
}

func (s *justBefore) Commit(ctx context.Context, c *store.Commit) error {
	if f := s.happens; f != nil && c.Run.Run == "r" && len(c.Cancel) > 0 {
		s.happens = nil
		f()
	}
	return s.Store.Commit(ctx, c)
}

// TestNoChildStartsWhileMigrating: a worker that would start a child just before its parent is
// migrated does so after it.
func TestNoChildStartsWhileMigrating(t *testing.T) {
	bubble(t, func(t *testing.T) {
		db, other, child, m := reviewing(t, findsN(0))
		callChild(t, other, 0)
		between := &justBefore{Store: db, happens: func() {
			ctx, stop := context.WithTimeout(t.Context(), time.Second)
			defer stop()
			if v, err := other.RunUntilIdle(ctx, "r"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%+v, %v", v, err)
			}
		}}
		e := NewEngine(between)
		registerBoth(t, e, child, parent(t, child, "timeout 2h"), findsN(0))
		if err := e.Migrate(t.Context(), "M", MigrateOptions{Apply: true, Operator: ada}, func(r MigratedRun) error {
			if r.To != "One" {
				t.Errorf("%+v", r)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		w := run(t, e)
		defer func() { w.stop() }()
		within(t, e, "r", time.Second)
		w.stop()
		send(t, e, "r/One.one.2.1", "Say", `{"n":6}`) // and an older version takes what has ended
		register(t, e, m, Handlers{})
		must(t, e.Migrate(t.Context(), "M", MigrateOptions{Apply: true, Operator: ada}, func(MigratedRun) error { return nil }))
		w = run(t, e)
		returns(t, within(t, e, "r", time.Hour), "Done", `{"total":6}`)
		whole(t, e, db, "r")
	})
}
