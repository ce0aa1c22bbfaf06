package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// review is a child: it works on a file, or waits for someone to say something.
func review(t testing.TB) *machine.Machine {
	return Build(t, Named("Review"), WithParams("file string"), WithFields("n int = 0"),
		WithEvent("Found", "n int"), WithEvent("Say", "n int"), WithEvent("Break", ""), WithActivity("work", "file string", "Found", "flaky"),
		WithState("Working", Doing("work", []string{"file"}), On("Found", GoTo("Asked", Set("n", "event.n"))), On("failed", GoTo("Failed"))),
		WithState("Asked", On("done", GoTo("Completed", When("n > 0")), GoTo("Waiting"))),
		WithState("Waiting", On("Say", GoTo("Completed", Set("n", "event.n"))), On("Break", GoTo("Broken", Set("n", "n - 9223372036854775807"))),
			On("cancel", GoTo("Stopping"))),
		WithState("Broken", On("Break", GoTo("Failed", Set("n", "n - 9223372036854775807")))),
		WithState("Stopping", On("Say", GoTo("Failed"))),
		WithTerminal("Completed", machine.Success), Returning("Completed", "n", "file"),
		WithTerminal("Failed", machine.Failed))
}

// parent calls a child, and then one for each of some files.
func parent(t testing.TB, child *machine.Machine, options ...string) *machine.Machine {
	return Build(t, WithParams("parts [0..1000]string"), WithFields("total int = 0, failed int = 0, why string = \"\""),
		Calling(child), WithEvent("Go", ""), WithEvent("Leave", ""), WithEvent("End", ""),
		WithState("Idle", On("Go", GoTo("One")), On("End", GoTo("Done"))),
		WithState("One", Doing(child.Definition().Name, []string{`"first"`}, append([]string{"as one"}, options...)...),
			On("one.Completed", GoTo("All", Set("total", "event.n"))),
			On("one.Failed", Retry(1), GoTo("Idle")),
			On("one.failed", GoTo("Idle", Set("failed", "failed + 1"), Set("why", "event.category + `: ` + event.message"))),
			On("Leave", GoTo("Idle")), On("End", GoTo("Done"))),
		WithState("All", Doing(child.Definition().Name, []string{"each.item"}, "for parts", "limit 4", "as r"),
			On("r.Completed", Stay(Set("total", "total + event.n"))), On("r.Failed, r.failed", Stay(Set("failed", "failed + 1"))),
			On("done", GoTo("Done")), On("End", GoTo("Done"))),
		WithTerminal("Done", machine.Success), Returning("Done", "total"))
}

// registerBoth registers a parent and its child, whose work f does, or no one if f is nil.
func registerBoth(t testing.TB, e *Engine, child, parent *machine.Machine, f ActivityFunc) {
	t.Helper()
	of := Handlers{}
	if f != nil {
		of.Activities = map[string]ActivityFunc{"work": f}
	}
	register(t, e, child, of)
	register(t, e, parent, Handlers{})
}

// tree is an engine that works on parents and children.
func tree(t testing.TB, db store.Store, m, child *machine.Machine, f ActivityFunc, opts ...Option) *working {
	t.Helper()
	e := NewEngine(db, opts...)
	registerBoth(t, e, child, m, f)
	return run(t, e)
}

// callChild starts the run r of a parent with so many parts, which then calls its child.
func callChild(t testing.TB, e *Engine, parts int) {
	t.Helper()
	start(t, e, "r", listOf(parts))
	send(t, e, "r", "Go", "")
}

// calling is an engine that works on a parent and its child, in which callChild has been called.
func calling(t testing.TB, f ActivityFunc, parts int, options ...string) (*working, store.Store) {
	t.Helper()
	db, child := memstore.New(), review(t)
	w := tree(t, db, parent(t, child, options...), child, f)
	callChild(t, w.Engine, parts)
	return w, db
}

// findsN is how an attempt ends that has found so many.
func findsN(n int) ActivityFunc {
	return func(context.Context, *Attempt) (Result, error) {
		return Result{Event: "Found", Data: map[string]int{"n": n}}, nil
	}
}

// whole checks that a tree has ended, replays, and has left nothing in the store.
func whole(t testing.TB, e *Engine, db store.Store, root string) map[string]RunRow {
	t.Helper()
	rows, err := db.Runs(t.Context(), RunFilter{Root: root})
	must(t, err)
	runs := map[string]RunRow{}
	for _, row := range rows {
		runs[row.Run] = row
		if row.Status != machine.Finished {
			t.Errorf("%s is %s in %s", row.Run, row.Status, row.State)
		}
		lines(t, e, row.Run)
		tasks, err := db.Tasks(t.Context(), row.Run)
		if err != nil || len(tasks) > 0 {
			t.Errorf("%s has %+v, %v", row.Run, tasks, err)
		}
	}
	if work, err := db.Look(t.Context(), store.LookQuery{Children: true}); err != nil || len(work.Leftovers) > 0 {
		t.Errorf("left behind: %+v, %v", work.Leftovers, err)
	}
	return runs
}

func bubble(t *testing.T, test func(t *testing.T)) { synctest.Test(t, test) }

func TestChildren(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, db := calling(t, findsN(2), 10)
		defer w.stop()
		began := time.Now()
		if v := await(t, w.Engine, "r"); v.State != "Done" || string(v.Data) != `{"total":22,"failed":0,"why":""}` || string(v.Returns) != `{"total":22}` {
			t.Fatalf("%+v", v)
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("it took %s: someone waited to be told", took)
		}
		if got := lines(t, w.Engine, "r"); !strings.HasPrefix(got, "start>Idle Go>One one.Completed>All r[") || strings.Count(got, "].Completed>All") != 10 {
			t.Error(got)
		}
		runs := whole(t, w.Engine, db, "r")
		ids := slices.Sorted(maps.Keys(runs))
		if len(ids) != 12 || ids[0] != "r" || ids[1] != "r/All.r.3.1[0]" || ids[11] != "r/One.one.2.1" {
			t.Error(ids)
		}
		if c := runs["r/One.one.2.1"]; c.Parent != "r" || c.Root != "r" || c.Machine != "Review" {
			t.Errorf("%+v", c)
		}
		steps, err := w.History(t.Context(), "r/One.one.2.1", 0, 1)
		if err != nil || steps[0].Actor != "r" || string(steps[0].Data) != `{"file":"first"}` {
			t.Errorf("%+v, %v", steps, err)
		}
	})
}

// TestChildWithinItsStart: a child may have ended in the write that starts it.
func TestChildWithinItsStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		child := Build(t, Named("Review"), WithParams("file string"), WithFields("n int = 7"),
			WithState("Once", On("done", GoTo("Completed"))), WithTerminal("Completed", machine.Success), Returning("Completed", "n"), WithTerminal("Failed", machine.Failed))
		db := memstore.New()
		e := NewEngine(db)
		registerBoth(t, e, child, parent(t, child), nil)
		w := run(t, e)
		defer w.stop()
		callChild(t, e, 3)
		if v := await(t, e, "r"); v.State != "Done" || string(v.Data) != `{"total":28,"failed":0,"why":""}` {
			t.Fatalf("%+v", v)
		}
		whole(t, e, db, "r")
	})
}

// TestChildFails: a retry is another child; what the parent is told when a child was cancelled by itself.
func TestChildFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, db := calling(t, func(context.Context, *Attempt) (Result, error) { return Result{}, errors.New("no") }, 0)
		defer w.stop()
		inState(t, await(t, w.Engine, "r"), "Idle")
		wantLines(t, w.Engine, "r", "start>Idle Go>One one.Failed>One one.Failed>Idle")
		if _, err := w.Retry(t.Context(), "r/One.one.2.1", Operator{}); !errors.Is(err, ErrFinished) || !strings.Contains(err.Error(), `the run "r", which it is a child of`) {
			t.Error(err)
		}
		rows, err := db.Runs(t.Context(), RunFilter{Parent: "r"})
		if err != nil || len(rows) != 2 || rows[0].Run != "r/One.one.2.2" && rows[1].Run != "r/One.one.2.2" {
			t.Errorf("%+v, %v", rows, err)
		}
	})
	bubble(t, func(t *testing.T) {
		w, _ := calling(t, findsN(0), 0)
		defer w.stop()
		inState(t, await(t, w.Engine, "r"), "One")
		must(t, errOf(w.Cancel(t.Context(), "r/One.one.2.1", CancelOptions{Force: true})))
		if v := await(t, w.Engine, "r"); v.State != "Idle" || !strings.Contains(string(v.Data), `"why":"cancelled: the run \"r/One.one.2.1\" was cancelled"`) {
			t.Fatalf("%+v", v)
		}
	})
}

// TestChildTimeout: its time is counted from its start, the child is cancelled, and
// the next one starts when it has stopped.
func TestChildTimeout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, db := calling(t, findsN(0), 0, "timeout 1h")
		defer w.stop()
		began := time.Now()
		for get(t, w.Engine, "r").State == "One" {
			time.Sleep(time.Second)
		}
		if took := time.Since(began); took < time.Hour || took > time.Hour+2*time.Second {
			t.Errorf("the time was over after %s", took)
		}
		v := get(t, w.Engine, "r")
		if !strings.Contains(string(v.Data), `"why":"timeout: the run \"r/One.one.2.1\" has not ended within 1h"`) {
			t.Errorf("%s", v.Data)
		}
		send(t, w.Engine, "r", "Go", "")
		time.Sleep(time.Hour / 2)
		if c := get(t, w.Engine, "r/One.one.2.1"); c.State != "Stopping" || !c.Cancelled {
			t.Errorf("%+v", c)
		}
		if _, err := w.Get(t.Context(), "r/One.one.4.1"); !errors.Is(err, ErrNotFound) {
			t.Error("another child has started beside it:", err)
		}
		send(t, w.Engine, "r/One.one.2.1", "Say", `{"n":1}`)
		time.Sleep(time.Second)
		send(t, w.Engine, "r/One.one.4.1", "Say", `{"n":1}`)
		inState(t, await(t, w.Engine, "r"), "Done")
		whole(t, w.Engine, db, "r")
	})
}

// TestTimeoutHalts: a child whose time is over is cancelled at once, also where its run is halted by that.
func TestTimeoutHalts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		child := review(t)
		m := Build(t, Calling(child), WithState("One", Doing("Review", []string{`"first"`}, "timeout 1h"),
			On("Review.Completed", GoTo("Done"))), WithTerminal("Done", machine.Success))
		w := tree(t, memstore.New(), m, child, findsN(0), WithPoll(24*time.Hour))
		defer w.stop()
		start(t, w.Engine, "r", "")
		time.Sleep(time.Hour + time.Second)
		if v := get(t, w.Engine, "r"); v.Status != Halted {
			t.Fatalf("%+v", v)
		}
		if c := get(t, w.Engine, "r/One.Review.1.1"); c.State != "Stopping" {
			t.Errorf("it was not told: %+v", c)
		}
	})
}

// TestEndingRun: a run that leaves a child behind is finished when that has ended.
func TestEndingRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, db := calling(t, findsN(0), 0)
		defer w.stop()
		await(t, w.Engine, "r")
		if v := send(t, w.Engine, "r", "End", ""); v.Status != machine.Ending || v.State != "Done" {
			t.Fatalf("%+v", v)
		}
		if v := await(t, w.Engine, "r"); v.Status != machine.Ending || get(t, w.Engine, "r/One.one.2.1").State != "Stopping" {
			t.Fatalf("%+v", v)
		}
		send(t, w.Engine, "r/One.one.2.1", "Say", `{"n":1}`)
		if v := await(t, w.Engine, "r"); v.Status != machine.Finished || v.Outcome != machine.Success {
			t.Fatalf("%+v", v)
		}
		whole(t, w.Engine, db, "r")
		steps, err := w.History(t.Context(), "r/One.one.2.1", 0, 0)
		if last := steps[len(steps)-2]; err != nil || last.Input != "cancel" || last.Actor != "r" || last.Reason != "its parent does not wait for One/Review/one any more" {
			t.Errorf("%+v", last)
		}
	})
}

// TestEndingAtOnce: what is left behind before its child has started holds nothing up.
func TestEndingAtOnce(t *testing.T) {
	child := review(t)
	e := NewEngine(memstore.New())
	registerBoth(t, e, child, parent(t, child), nil)
	callChild(t, e, 0)
	if v := send(t, e, "r", "End", ""); v.Status != machine.Finished || v.Outcome != machine.Success {
		t.Errorf("%+v", v)
	}
	wantLines(t, e, "r", "start>Idle Go>One End>Done stopped>Done")
	start(t, e, "q", listOf(0)) // an event with an id is answered the same, however often it is sent
	send(t, e, "q", "Go", "")
	for range 2 {
		v, err := e.Send(t.Context(), "q", machine.ExternalEvent{Name: "End", ID: "once"})
		if err != nil || v.Status != machine.Ending || v.Seq != 3 {
			t.Errorf("%+v, %v", v, err)
		}
	}
	if v := get(t, e, "q"); v.Status != machine.Finished {
		t.Errorf("%+v", v)
	}
}

func TestCancelTree(t *testing.T) {
	for _, force := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			w, db := calling(t, findsN(0), 0)
			defer w.stop()
			await(t, w.Engine, "r")
			if !force {
				go func() {
					time.Sleep(time.Minute)
					send(t, w.Engine, "r/One.one.2.1", "Say", `{"n":1}`)
				}()
			}
			began := time.Now()
			v, err := w.Cancel(t.Context(), "r", CancelOptions{Force: force})
			if err != nil || v.Status != machine.Finished || v.Outcome != machine.Cancelled {
				t.Fatalf("%+v, %v", v, err)
			}
			if took := time.Since(began); force != (took == 0) {
				t.Errorf("with force %v: it took %s", force, took)
			}
			want := map[bool]string{true: "Waiting", false: "Failed"}[force]
			if c := whole(t, w.Engine, db, "r")["r/One.one.2.1"]; c.State != want {
				t.Errorf("%+v", c)
			}
		})
	}
}

// TestCancelWithoutWorkers: an operator who cancels a run needs no worker for its children.
func TestCancelWithoutWorkers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		db, child := memstore.New(), review(t)
		w := tree(t, db, parent(t, child), child, findsN(0))
		register(t, w.Engine, deep(t, parent(t, child)), Handlers{})
		must(t, errOf(w.Start(t.Context(), "Top", "r", nil)))
		await(t, w.Engine, "r")
		send(t, w.Engine, "r/Calling.m.1.1", "Go", "")
		await(t, w.Engine, "r")
		w.stop()
		v, err := w.Cancel(t.Context(), "r", CancelOptions{Force: true, Actor: "ada"})
		if err != nil || v.Status != machine.Finished || v.Outcome != machine.Cancelled {
			t.Fatalf("%+v, %v", v, err)
		}
		if runs := whole(t, w.Engine, db, "r"); len(runs) != 3 {
			t.Error(runs)
		}
	})
}

// deep calls what calls.
func deep(t testing.TB, m *machine.Machine) *machine.Machine {
	return Build(t, Named("Top"), WithFields("total int = 0, files [0..1000]string = []"), Calling(m),
		WithState("Calling", Doing(m.Definition().Name, []string{"files"}, "as m"), On("m.Done", GoTo("Done", Set("total", "event.total"))), On("m.failed", GoTo("Lost"))),
		WithTerminal("Done", machine.Success), WithTerminal("Lost", machine.Failed))
}

// meanwhile is a store in which something happens just before a child is written.
type meanwhile struct {
	store.Store
	happens func()
}

func (s *meanwhile) Commit(ctx context.Context, c *store.Commit) error {
	if f := s.happens; c.Parent != nil && f != nil {
		s.happens = nil
		f()
	}
	return s.Store.Commit(ctx, c)
}

// TestParentMovesOnMeanwhile: no child starts of a run that has left, is paused, or was ended while
// a worker was about to start it.
func TestParentMovesOnMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(e *Engine) error
		goesOn  func(e *Engine) error
		want    string
	}{
		"it leaves": {happens: func(e *Engine) error {
			_, err := e.Send(context.Background(), "r", machine.ExternalEvent{Name: "Leave"})
			return err
		}, want: "start>Idle Go>One Leave>Idle"},
		"it is over": {happens: func(e *Engine) error {
			_, err := e.Send(context.Background(), "r", machine.ExternalEvent{Name: "End"})
			return err
		}, want: "start>Idle Go>One End>Done stopped>Done"},
		"it pauses": {happens: func(e *Engine) error {
			_, err := e.Pause(context.Background(), "r", Operator{})
			return err
		}, goesOn: func(e *Engine) error {
			_, err := e.Resume(context.Background(), "r", Operator{})
			return err
		}, want: "start>Idle Go>One pause>One resume>One one.Completed>All done>Done"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				child, db := review(t), memstore.New()
				other := NewEngine(db)
				registerBoth(t, other, child, parent(t, child), nil)
				slow := &meanwhile{Store: db}
				slow.happens = func() {
					if err := c.happens(other); err != nil {
						t.Error(err)
					}
				}
				w := tree(t, slow, parent(t, child), child, findsN(1))
				defer w.stop()
				callChild(t, other, 0)
				time.Sleep(time.Minute)
				if tasks, err := db.Tasks(t.Context(), "r"); err != nil || c.goesOn == nil && len(tasks) > 0 {
					t.Errorf("%+v, %v", tasks, err)
				}
				if _, err := w.Get(t.Context(), "r/One.one.2.1"); !errors.Is(err, ErrNotFound) {
					t.Error("a child has started:", err)
				}
				if c.goesOn != nil {
					must(t, c.goesOn(other))
					time.Sleep(time.Minute)
				}
				wantLines(t, other, "r", c.want)
			})
		})
	}
}

// TestEndsMeanwhile: a run that was ended while a child was about to start is finished as soon as
// the child has not, without a look for it.
func TestEndsMeanwhile(t *testing.T) {
	bubble(t, func(t *testing.T) {
		child, slow := review(t), &meanwhile{Store: memstore.New()}
		w := tree(t, slow, parent(t, child), child, findsN(1))
		defer w.stop()
		start(t, w.Engine, "r", listOf(0))
		slow.happens = func() {
			send(t, w.Engine, "r", "End", "")
			time.Sleep(time.Millisecond) // by then the worker has looked whether it can finish, and rests
		}
		began := time.Now()
		send(t, w.Engine, "r", "Go", "")
		for get(t, w.Engine, "r").Status != machine.Finished {
			time.Sleep(time.Millisecond)
		}
		if took := time.Since(began); took > 2*time.Millisecond {
			t.Errorf("it took %s", took)
		}
	})
}

// justThen is a store in which something happens just after the tasks of a run have been read that
// wait for a child.
type justThen struct {
	store.Store
	happens func() bool // and reports whether it was the time for it
}

func (s *justThen) Tasks(ctx context.Context, run string) ([]store.TaskRow, error) {
	tasks, err := s.Store.Tasks(ctx, run)
	if f := s.happens; f != nil && run == "r" && len(tasks) > 0 && tasks[0].ChildHolds() && f() {
		s.happens = nil
	}
	return tasks, err
}

// TestChildEndsMeanwhile: a child that ends while a worker asks whether it has anything left to do
// still has to be told of.
func TestChildEndsMeanwhile(t *testing.T) {
	for name, until := range map[string]func(*Engine, context.Context, string) (View, error){
		"idle": (*Engine).RunUntilIdle,
		"done": (*Engine).RunUntilDone,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				child, db := review(t), memstore.New()
				other := NewEngine(db)
				registerBoth(t, other, child, parent(t, child), nil)
				asked := &justThen{Store: db}
				e := NewEngine(asked)
				register(t, e, child, Handlers{Activities: map[string]ActivityFunc{"work": func(ctx context.Context, _ *Attempt) (Result, error) {
					<-ctx.Done()
					return Result{}, context.Cause(ctx)
				}}})
				register(t, e, parent(t, child), Handlers{})
				callChild(t, other, 0)
				asked.happens = func() bool {
					done := Completion{Activity: "work", Event: "Found", Data: json.RawMessage(`{"n":5}`)}
					v, err := other.Complete(t.Context(), "r/One.one.2.1", done)
					if err != nil || v.Status != Finished {
						t.Errorf("%+v, %v", v, err)
					}
					return true
				}
				if v, err := until(e, t.Context(), "r"); err != nil || v.State != "Done" || string(v.Returns) != `{"total":5}` {
					t.Errorf("%+v, %v", v, err)
				}
				if asked.happens != nil {
					t.Error("nobody asked")
				}
			})
		})
	}
}

// TestChildThatCannotStart: what keeps a child from starting for good is a failure of its do.
func TestChildThatCannotStart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		child := review(t)
		w := tree(t, memstore.New(), parent(t, child), child, findsN(1))
		defer w.stop()
		long := strings.Repeat("x", 200)
		e := w.Engine
		must(t, errOf(e.Start(t.Context(), "M", long, json.RawMessage(listOf(0)))))
		send(t, e, long, "Go", "")
		inState(t, await(t, e, long), "Done")
		// The child of a child of a child … has an id that becomes too long.
		chain := child
		for range 40 {
			m := Build(t, Named("Chain"), WithParams("file string"), WithFields("n int = 0, why string = \"\""), Calling(chain),
				WithState("Calling", Doing(chain.Definition().Name, []string{"file"}, "as a_rather_long_label_for_a_call"),
					On("a_rather_long_label_for_a_call.Completed, a_rather_long_label_for_a_call.Failed", GoTo("Completed")),
					On("a_rather_long_label_for_a_call.failed", GoTo("Failed", Set("why", "event.message")))),
				WithTerminal("Completed", machine.Success), WithTerminal("Failed", machine.Failed), Returning("Failed", "why"))
			register(t, e, m, Handlers{})
			chain = m
		}
		must(t, errOf(e.Start(t.Context(), "Chain", "deep", json.RawMessage(`{"file":"f"}`))))
		inState(t, await(t, e, "deep"), "Completed") // the lowest has failed, and the one above it completes with that
		rows, err := e.Tree(t.Context(), "deep")
		last := rows[len(rows)-1]
		if err != nil || len(rows) < 15 || len(rows) > 40 || len(last.Run) > machine.MaxChildID || last.State != "Failed" {
			t.Errorf("%d runs, the last is %+v, %v", len(rows), last, err)
		}
		if v := get(t, e, last.Run); !strings.Contains(string(v.Returns), "bytes, more than the 1000 that are allowed") {
			t.Errorf("%s", v.Returns)
		}
	})
	bubble(t, func(t *testing.T) { // arguments that are too large
		child, db := review(t), memstore.New()
		other := NewEngine(db)
		registerBoth(t, other, child, parent(t, child), nil)
		callChild(t, other, 0)
		w := tree(t, db, parent(t, child), child, findsN(1), WithMaxPayload(10))
		defer w.stop()
		if v := await(t, w.Engine, "r"); v.State != "Idle" || !strings.Contains(string(v.Data), "unknown: its arguments do not fit: parameters: it has 16 bytes") {
			t.Errorf("%+v", v)
		}
	})
	bubble(t, func(t *testing.T) { // an id that exists
		child, db := review(t), memstore.New()
		w := tree(t, db, parent(t, child), child, findsN(0))
		defer w.stop()
		// A run with a slash in its id, from before those were kept for children.
		row, err := w.Start(t.Context(), "Review", "seed", json.RawMessage(`{"file":"f"}`))
		must(t, err)
		stored, err := db.Load(t.Context(), row.Run)
		must(t, err)
		history, err := db.History(t.Context(), row.Run, 0, 1)
		must(t, err)
		stored.Run, stored.Root, history[0].Run, stored.Seq = "r/One.one.2.1", "r/One.one.2.1", "r/One.one.2.1", 1
		must(t, db.Commit(t.Context(), &store.Commit{Run: stored, History: history[:1]}))
		callChild(t, w.Engine, 0)
		if v := await(t, w.Engine, "r"); v.State != "Idle" || !strings.Contains(string(v.Data), `unknown: there is a run \"r/One.one.2.1\" already`) {
			t.Errorf("%+v", v)
		}
	})
}

// missing is a store that has lost a definition.
type missing struct {
	store.Store
	hash string
}

func (s *missing) Definition(ctx context.Context, hash string) (store.DefinitionRow, error) {
	if hash == s.hash {
		return store.DefinitionRow{}, store.NotFound("definition", hash)
	}
	return s.Store.Definition(ctx, hash)
}

// TestMissingCallee: a machine whose callee no one knows is not registered; a child whose
// definition is gone waits, and is listed.
func TestMissingCallee(t *testing.T) {
	child := review(t)
	if err := NewEngine(memstore.New()).Register(parent(t, child), "", Handlers{}); err == nil || !strings.Contains(err.Error(), `machine "M" calls machine "Review" of version`) {
		t.Error(err)
	}
	bubble(t, func(t *testing.T) {
		db := memstore.New()
		e := NewEngine(db)
		registerBoth(t, e, child, parent(t, child), nil)
		callChild(t, e, 0)
		lost := &missing{db, child.Hash()}
		w := run(t, NewEngine(lost)) // which knows what is in the store
		time.Sleep(2 * time.Minute)
		w.stop()
		if v := get(t, e, "r"); v.State != "One" || v.Status != Running {
			t.Errorf("%+v", v)
		}
		w = run(t, e)
		defer w.stop()
		time.Sleep(time.Minute)
		if _, err := e.Get(t.Context(), "r/One.one.2.1"); err != nil {
			t.Error("it has not started when its definition was there again:", err)
		}
	})
}

// TestManyChildren starts no more at once than the limit says.
func TestManyChildren(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand children")
	}
	db, child := memstore.New(), review(t)
	w := tree(t, db, parent(t, child), child, findsN(1))
	defer w.stop()
	start(t, w.Engine, "r", listOf(1000))
	began := time.Now()
	send(t, w.Engine, "r", "Go", "")
	returns(t, await(t, w.Engine, "r"), "Done", `{"total":1001}`)
	t.Log("a thousand children, four at once:", time.Since(began))
	if runs := whole(t, w.Engine, db, "r"); len(runs) != 1002 {
		t.Error(len(runs))
	}
}

// TestCancelManyChildren: with a worker and without one.
func TestCancelManyChildren(t *testing.T) {
	for _, alone := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			db, child := memstore.New(), review(t)
			m := Build(t, WithParams("parts [0..1000]string"), Calling(child), WithEvent("End", ""),
				WithState("All", Doing("Review", []string{"each.item"}, "for parts", "as r"),
					On("r.Completed, r.Failed, r.failed", Stay()), On("done", GoTo("Done")), On("End", GoTo("Done"))),
				WithTerminal("Done", machine.Success))
			w := tree(t, db, m, child, findsN(0), WithConcurrency(64))
			start(t, w.Engine, "r", listOf(200))
			await(t, w.Engine, "r")
			if alone {
				w.stop()
			} else {
				defer w.stop()
			}
			v, err := w.Cancel(t.Context(), "r", CancelOptions{Force: true})
			if err != nil || v.Status != Finished {
				t.Fatalf("%+v, %v", v, err)
			}
			runs := whole(t, w.Engine, db, "r")
			if c := runs["r/All.r.1.1[199]"]; len(runs) != 201 || c.Outcome != Cancelled {
				t.Errorf("%d runs, %+v", len(runs), c)
			}
			if err := w.Refusal(t.Context(), new(runs["r/All.r.1.1[0]"]), machine.RetryInput); !errors.Is(err, ErrFinished) {
				t.Error(err)
			}
		})
	}
}
