package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// race takes the first of the parts that is found, and counts failures as long as none is.
func race(t testing.TB) *machine.Machine {
	t.Helper()
	return Build(t, WithParams("parts [0..9]string"), WithFields("winner int = -1, bad int 0..9 = 0"),
		WithEvent("Found", "n int"), WithActivity("work", "part string", "Found", "flaky"), WithActivity("tidy", "", "", ""),
		WithState("Working", Doing("work", []string{"each.item"}, "for parts", "as w"),
			On("w.Found", GoTo("Tidying", Set("winner", "event.index"))),
			On("w.failed", Stay(Set("bad", "bad + 1"))), On("done", GoTo("Lost"))),
		WithState("Tidying", Doing("tidy", nil), On("done", GoTo("Won")), On("failed", GoTo("Lost"))),
		WithTerminal("Won", machine.Success), WithTerminal("Lost", machine.Failed))
}

// racing works on the machine with what each part and what comes after the race does.
func racing(t testing.TB, db store.Store, worker string, part func(ctx context.Context, part string) (Result, error), tidy ActivityFunc) *working {
	t.Helper()
	e := NewEngine(db, WithWorker(worker), WithLogger(quiet), WithGrace(0))
	register(t, e, race(t), Handlers{Activities: map[string]ActivityFunc{"tidy": tidy, "work": func(ctx context.Context, a *Attempt) (Result, error) {
		var args struct{ Part string }
		if err := json.Unmarshal(a.Args, &args); err != nil {
			return Result{}, err
		}
		return part(ctx, args.Part)
	}}})
	return run(t, e)
}

func doesNothing(context.Context, *Attempt) (Result, error) { return Result{}, nil }

// raced is what became of the race, whose history replays. A number below 0 is any.
func raced(t testing.TB, e *Engine, winner, bad int) {
	t.Helper()
	v := get(t, e, "r")
	inState(t, v, "Won")
	var data struct{ Winner, Bad int }
	must(t, json.Unmarshal(v.Data, &data))
	if winner >= 0 && data.Winner != winner || data.Winner < 0 || bad >= 0 && data.Bad != bad {
		t.Errorf("%s, not %d and %d", v.Data, winner, bad)
	}
	text := lines(t, e, "r")
	if n := strings.Count(text, "].Found>Tidying") + strings.Count(text, "].Completed>Tidying"); n != 1 {
		t.Errorf("%d times won:\n%s", n, text)
	}
	if err := ReplayRun(e, "r"); err != nil {
		t.Error(err)
	}
}

// TestRaceOfAll: of elements that are found in the same moment one wins.
func TestRaceOfAll(t *testing.T) {
	for range 20 {
		bubble(t, func(t *testing.T) {
			w := racing(t, memstore.New(), "a", func(context.Context, string) (Result, error) {
				time.Sleep(time.Second)
				return found, nil
			}, doesNothing)
			defer w.stop()
			start(t, w.Engine, "r", listOf(9))
			await(t, w.Engine, "r")
			raced(t, w.Engine, -1, 0)
		})
	}
}

// TestRaceWithLateFailure: what a loser says after the winner is not taken, and what comes after the race begins when
// the loser has stopped.
func TestRaceWithLateFailure(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var stopped, tidied time.Time
		w := racing(t, memstore.New(), "a", func(ctx context.Context, part string) (Result, error) {
			switch part {
			case "part-0000": // fails before
				return Result{}, Fail("flaky", "early")
			case "part-0001":
				time.Sleep(time.Second)
				return found, nil
			}
			<-ctx.Done() // and is slow to hear of it
			time.Sleep(7 * time.Second)
			stopped = time.Now()
			return Result{}, Fail("flaky", "late")
		}, func(context.Context, *Attempt) (Result, error) {
			tidied = time.Now()
			return Result{}, nil
		})
		defer w.stop()
		start(t, w.Engine, "r", listOf(3))
		await(t, w.Engine, "r")
		raced(t, w.Engine, 1, 1)
		if stopped.IsZero() || tidied.Before(stopped) {
			t.Errorf("it goes on at %s, and the loser stops at %s", tidied, stopped)
		}
	})
}

// TestRaceByHand: an operator's word and the activity's own are one result, whichever comes first.
func TestRaceByHand(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := racing(t, memstore.New(), "a", func(context.Context, string) (Result, error) {
			time.Sleep(time.Second)
			return found, nil
		}, doesNothing)
		defer w.stop()
		start(t, w.Engine, "r", listOf(3))
		time.Sleep(time.Second)
		refused := 0
		for i := range 3 {
			_, err := w.Complete(t.Context(), "r", Completion{Activity: fmt.Sprintf("w[%d]", i), Event: "Found", Data: json.RawMessage(`{"n":1}`)})
			var why *Rejected
			if errors.As(err, &why) {
				refused++
			} else if err != nil {
				t.Error(err)
			}
		}
		await(t, w.Engine, "r")
		raced(t, w.Engine, -1, 0)
		if refused < 2 {
			t.Errorf("%d were refused", refused)
		}
	})
}

// killed is a store whose process dies with the commit of the winner: before it is written, or after it and before
// the answer.
type killed struct {
	store.Store
	after bool
	dead  chan struct{}
}

func (d *killed) Commit(ctx context.Context, c *store.Commit) error {
	select {
	case <-d.dead:
		return store.Unavailable("it is dead")
	default:
	}
	if c.Claim == nil || !slices.ContainsFunc(c.Start, func(r store.TaskRow) bool { return r.Activity == "tidy" }) {
		return d.Store.Commit(ctx, c)
	}
	if d.after {
		if err := d.Store.Commit(ctx, c); err != nil {
			return err
		}
	}
	close(d.dead)
	return store.Unavailable("it is dead")
}

// TestRaceWithKill: where the worker dies with the winner's result, another one ends the race, once.
func TestRaceWithKill(t *testing.T) {
	for _, after := range []bool{false, true} {
		bubble(t, func(t *testing.T) {
			db := memstore.New()
			d := &killed{Store: db, after: after, dead: make(chan struct{})}
			part := func(context.Context, string) (Result, error) {
				time.Sleep(time.Second)
				return found, nil
			}
			first := racing(t, d, "a", part, doesNothing)
			start(t, first.Engine, "r", listOf(4))
			<-d.dead
			first.stop()
			second := racing(t, db, "b", part, doesNothing)
			defer second.stop()
			synctest.Wait()
			await(t, second.Engine, "r")
			raced(t, second.Engine, -1, 0)
		})
	}
}

// raceOfChildren takes the first child that is completed, and counts the others that end before it.
func raceOfChildren(t testing.TB, child *machine.Machine) *machine.Machine {
	t.Helper()
	return Build(t, WithParams("parts [0..9]string"), WithFields("winner int = -1, bad int 0..9 = 0"),
		Calling(child), WithActivity("tidy", "", "", ""),
		WithState("Working", Doing("Review", []string{"each.item"}, "for parts", "as w"),
			On("w.Completed", GoTo("Tidying", Set("winner", "event.index"))),
			On("w.Failed, w.failed", Stay(Set("bad", "bad + 1"))), On("done", GoTo("Lost"))),
		WithState("Tidying", Doing("tidy", nil), On("done", GoTo("Won")), On("failed", GoTo("Lost"))),
		WithTerminal("Won", machine.Success), WithTerminal("Lost", machine.Failed))
}

// diesAt is a store whose process dies with a commit: before it is written, or after it and before the answer.
type diesAt struct {
	store.Store
	left  atomic.Int64 // commits until then
	after bool
	dead  chan struct{}
}

func (d *diesAt) Commit(ctx context.Context, c *store.Commit) error {
	n := d.left.Add(-1)
	if n > 0 {
		return d.Store.Commit(ctx, c)
	}
	if n == 0 {
		if d.after {
			if err := d.Store.Commit(ctx, c); err != nil {
				return err
			}
		}
		close(d.dead)
	}
	return store.Unavailable("it is dead")
}

// TestRaceOfChildren: of children that are completed in the same moment one wins, and the others end before it
// goes on; whichever commit the worker dies with, another one ends the race, once.
func TestRaceOfChildren(t *testing.T) {
	work := func(ctx context.Context, a *Attempt) (Result, error) {
		if strings.Contains(string(a.Args), "part-0000") {
			return Result{}, Fail("flaky", "early")
		}
		time.Sleep(time.Second)
		return found, nil
	}
	for _, after := range []bool{false, true} {
		deaths := int64(0)
		for died := true; died; deaths++ {
			bubble(t, func(t *testing.T) {
				d := &diesAt{Store: memstore.New(), after: after, dead: make(chan struct{})}
				d.left.Store(deaths + 2) // the first starts the run
				child := review(t)
				m := raceOfChildren(t, child)
				racing := func(db store.Store, worker string) *working {
					e := NewEngine(db, WithWorker(worker), WithLogger(quiet), WithGrace(0))
					register(t, e, child, Handlers{Activities: map[string]ActivityFunc{"work": work}})
					register(t, e, m, Handlers{Activities: map[string]ActivityFunc{"tidy": func(ctx context.Context, a *Attempt) (Result, error) {
						ctx = context.WithoutCancel(ctx) // the worker may be stopped meanwhile
						rows, err := d.Store.Runs(ctx, RunFilter{Root: "r"})
						for _, row := range rows {
							left, err := d.Store.Tasks(ctx, row.Run)
							must(t, err)
							if row.Run != "r" && (row.Status != machine.Finished || len(left) > 0) {
								t.Errorf("death %d: it goes on while %s is %s in %s, with %+v", deaths, row.Run, row.Status, row.State, left)
							}
						}
						return Result{}, err
					}}})
					return run(t, e)
				}
				first := racing(d, "a")
				start(t, first.Engine, "r", listOf(4))
				ended := make(chan error, 1)
				go func() {
					_, err := first.Wait(t.Context(), "r")
					ended <- err
				}()
				select {
				case <-d.dead:
				case err := <-ended:
					if died = err != nil; died {
						<-d.dead
					}
				}
				first.stop()
				second := racing(d.Store, "b")
				defer second.stop()
				await(t, second.Engine, "r")
				raced(t, second.Engine, -1, -1)
				if runs := whole(t, second.Engine, d.Store, "r"); len(runs) < 2 || len(runs) > 5 {
					t.Errorf("death %d: %d runs", deaths, len(runs))
				}
			})
		}
		if deaths < 10 {
			t.Errorf("it died %d times", deaths)
		}
	}
}

// TestParentWaitsForWhatChildrenLeft: a run goes on when what its children were doing has stopped, not when they
// have ended: a child that it cancels, and one that ends itself with something under way.
func TestParentWaitsForWhatChildrenLeft(t *testing.T) {
	for _, stopsAfter := range []time.Duration{time.Millisecond, 7 * time.Second, 25 * time.Second} {
		bubble(t, func(t *testing.T) {
			child := Build(t, Named("Review"), WithParams("file string"), WithEvent("Found", ""), WithEvent("Kept", ""),
				WithActivity("first", "", "Found", ""), WithActivity("second", "file string", "Kept", ""),
				WithState("Working", Doing("first", nil), Doing("second", []string{"file"}),
					On("Found", GoTo("Completed")), On("Kept", GoTo("Failed")), On("failed", GoTo("Failed"))),
				WithTerminal("Completed", machine.Success), WithTerminal("Failed", machine.Failed))
			m := raceOfChildren(t, child)
			var stopped, tidied time.Time
			e := NewEngine(memstore.New(), WithLogger(quiet), WithGrace(0))
			register(t, e, child, Handlers{Activities: map[string]ActivityFunc{
				"first": func(ctx context.Context, a *Attempt) (Result, error) {
					if strings.HasPrefix(a.Run, "r/Working.w.1.1[0]") {
						time.Sleep(time.Second)
						return Result{Event: "Found"}, nil
					}
					<-ctx.Done()
					return Result{}, ctx.Err()
				},
				"second": func(ctx context.Context, a *Attempt) (Result, error) {
					<-ctx.Done()
					time.Sleep(stopsAfter)
					stopped = time.Now()
					return Result{}, ctx.Err()
				}}})
			register(t, e, m, Handlers{Activities: map[string]ActivityFunc{"tidy": func(context.Context, *Attempt) (Result, error) {
				tidied = time.Now()
				return Result{}, nil
			}}})
			w := run(t, e)
			defer w.stop()
			begun := time.Now()
			start(t, e, "r", listOf(2))
			await(t, e, "r")
			raced(t, e, 0, 0)
			if tidied.Before(stopped) || tidied.Sub(begun) < 2*stopsAfter || tidied.Sub(begun) > 2*stopsAfter+5*time.Second {
				t.Errorf("what the children left stops at %s, and the run goes on at %s", stopped, tidied)
			}
		})
	}
}
