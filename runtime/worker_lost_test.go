package runtime_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
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

func retrying() []Part {
	return []Part{
		On("Found", GoTo("Done")),
		On("failed", Retry(1, WithBackoff("1s", "1s", 1, 0)),
			GoTo("Broken", Set("why", "event.message"), Set("category", "event.category"))),
	}
}

func reason(t testing.TB, v machine.View) (data struct{ Why, Category string }) {
	t.Helper()
	must(t, json.Unmarshal(v.Data, &data))
	return data
}

// TestTimeLimits holds activities to timeout, heartbeat and progress: with one
// retry each limit passes twice.
func TestTimeLimits(t *testing.T) {
	beat := func(ctx context.Context, a *Attempt) {
		for ctx.Err() == nil {
			a.Heartbeat()
			time.Sleep(time.Second)
		}
	}
	progress := func(ctx context.Context, a *Attempt) {
		for ctx.Err() == nil {
			if err := a.Progress(1); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}
	sleep := func(ctx context.Context, _ *Attempt) { <-ctx.Done() }
	for name, c := range map[string]struct {
		options        []string
		do             func(context.Context, *Attempt)
		category, want string
		took           time.Duration
	}{
		"timeout":                 {[]string{"timeout 30s"}, sleep, "timeout", "no result within 30s", 61 * time.Second},
		"timeout, though alive":   {[]string{"timeout 30s", "heartbeat 5s"}, beat, "timeout", "no result within 30s", 61 * time.Second},
		"silent":                  {[]string{"timeout 10m", "heartbeat 20s"}, sleep, "silent", "no heartbeat for 20s", 41 * time.Second},
		"stalled":                 {[]string{"timeout 10m", "progress 40s"}, sleep, "stalled", "no checkpoint for 40s", 81 * time.Second},
		"alive is not progress":   {[]string{"heartbeat 5s", "progress 40s"}, beat, "stalled", "no checkpoint for 40s", 81 * time.Second},
		"progress is a heartbeat": {[]string{"timeout 1m", "heartbeat 5s", "progress 5s"}, progress, "timeout", "no result within 1m", 121 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := work(t, memstore.New(), job(t, c.options, retrying()...), func(ctx context.Context, a *Attempt) (Result, error) {
					c.do(ctx, a)
					if !errors.Is(context.Cause(ctx), ErrOverdue) {
						t.Errorf("cancelled because %v", context.Cause(ctx))
					}
					return found, nil // too late
				}, WithPoll(time.Second))
				defer w.stop()
				began := time.Now()
				begin(t, w.Engine, "r")
				v := await(t, w.Engine, "r")
				if got := reason(t, v); got.Category != c.category || got.Why != c.want {
					t.Errorf("%+v", got)
				}
				if took := time.Since(began); took < c.took || took > c.took+2*time.Second {
					t.Errorf("it took %s, want %s", took, c.took)
				}
			})
		})
	}
}

func TestActivityThatDoesNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		w := work(t, memstore.New(), job(t, []string{"timeout 10s"}, retrying()...), func(context.Context, *Attempt) (Result, error) {
			<-hang
			return found, nil
		}, WithStopping(5*time.Second))
		began := time.Now()
		begin(t, w.Engine, "r")
		if v := await(t, w.Engine, "r"); v.State != "Broken" || time.Since(began) != 31*time.Second {
			t.Errorf("after %s: %+v", time.Since(began), v)
		}
		close(hang)
		w.stop()
	})
}

func TestCheckpointIsPassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		w := work(t, memstore.New(), job(t, []string{"progress 1m"}, retrying()...), func(_ context.Context, a *Attempt) (Result, error) {
			got = append(got, string(a.Checkpoint))
			if a.Number == 2 {
				return found, nil
			}
			if err := a.Progress(map[string]int{"row": 4500}); err != nil {
				return Result{}, err
			}
			return Result{}, errors.New("the line is down")
		})
		defer w.stop()
		begin(t, w.Engine, "r")
		inState(t, await(t, w.Engine, "r"), "Done")
		if strings.Join(got, "|") != `|{"row":4500}` {
			t.Error(got)
		}
	})
}

// TestLeaseIsRenewed runs an activity for far longer than its lease, with a
// second worker waiting for it to be lost.
func TestLeaseIsRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, m := memstore.New(), job(t, nil, retrying()...)
		var calls atomic.Int64
		f := func(context.Context, *Attempt) (Result, error) {
			calls.Add(1)
			time.Sleep(time.Hour)
			return found, nil
		}
		w, other := work(t, store, m, f), work(t, store, m, f)
		defer other.stop()
		defer w.stop()
		begin(t, w.Engine, "r")
		if v := await(t, w.Engine, "r"); v.State != "Done" || calls.Load() != 1 {
			t.Errorf("%d calls: %+v", calls.Load(), v)
		}
	})
}

func TestCancelWaitsForActivities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		m := job(t, nil, retrying()...)
		cleaned := false
		w := work(t, store, m, func(ctx context.Context, _ *Attempt) (Result, error) {
			<-ctx.Done()
			if !errors.Is(context.Cause(ctx), ErrMoved) {
				t.Errorf("cancelled because %v", context.Cause(ctx))
			}
			time.Sleep(3 * time.Second)
			cleaned = true
			return found, nil
		})
		defer w.stop()
		for i, e := range []*Engine{w.Engine, NewEngine(store)} { // from the same process, and from another
			run := []string{"near", "far"}[i]
			cleaned = false
			begin(t, w.Engine, run)
			synctest.Wait()
			began := time.Now()
			v, err := e.Cancel(t.Context(), run, CancelOptions{Actor: "me", Reason: "enough"})
			if err != nil || v.Status != machine.Finished || v.Outcome != machine.Cancelled || v.State != "Working" {
				t.Errorf("%s: %+v, %v", run, v, err)
			}
			if took := time.Since(began); !cleaned || took < 3*time.Second || took > 5*time.Second {
				t.Errorf("%s: confirmed after %s, cleaned up: %v", run, took, cleaned)
			}
			if _, err := e.Cancel(t.Context(), run, CancelOptions{}); err != nil {
				t.Errorf("%s: cancelled twice: %v", run, err)
			}
			wantLines(t, e, run, "start>Idle Go>Working cancel>Working late Found>Working")
		}
		if got := w.seen.String(); got != "work#1 cancelled, work#1 cancelled" {
			t.Error(got)
		}
	})
}

func TestCancelGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		w := work(t, memstore.New(), job(t, nil, retrying()...), func(context.Context, *Attempt) (Result, error) {
			<-release
			return found, nil
		})
		begin(t, w.Engine, "r")
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		v, err := w.Cancel(ctx, "r", CancelOptions{})
		if !errors.Is(err, context.DeadlineExceeded) || v.Outcome != machine.Cancelled {
			t.Errorf("%+v, %v", v, err)
		}
		// It does not stop; its lease is not renewed for ever.
		if _, err := w.Cancel(t.Context(), "r", CancelOptions{}); err != nil {
			t.Error(err)
		}
		close(release)
		w.stop()
	})
}

// TestLeavingOrder holds back the activities of a new state until those of the
// old one have stopped.
func TestLeavingOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Build(t, WithEvent("Found", "n int"), WithEvent("Next", ""), WithActivity("work", "n int", "Found", ""),
			WithState("A", Doing("work", []string{"1"}), On("Found, failed", GoTo("B")), On("Next", GoTo("B"))),
			WithState("B", Doing("work", []string{"2"}), On("Found, failed", GoTo("Done"))),
			WithTerminal("Done", machine.Success))
		var mu sync.Mutex
		var order []string
		say := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, what)
		}
		w := work(t, memstore.New(), m, func(ctx context.Context, a *Attempt) (Result, error) {
			say("start " + string(a.Args))
			if string(a.Args) == `{"n":1}` {
				<-ctx.Done()
				time.Sleep(time.Second)
			}
			say("end " + string(a.Args))
			return found, nil
		})
		defer w.stop()
		start(t, w.Engine, "r", "")
		synctest.Wait()
		send(t, w.Engine, "r", "Next", "")
		await(t, w.Engine, "r")
		if got := strings.Join(order, ", "); got != `start {"n":1}, end {"n":1}, start {"n":2}, end {"n":2}` {
			t.Error(got)
		}
	})
}

// crash claims a task in the name of a worker that is never heard of again.
func crash(t testing.TB, db store.Store, m *machine.Machine, run string) store.TaskRow {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Microsecond)
	rows, err := db.Claim(t.Context(), store.ClaimQuery{
		Worker: "gone", Now: now, Until: now.Add(30 * time.Second), Limit: 1, Run: run,
		Activities: []store.Claimable{{Definition: m.Hash(), Activity: "work"}},
	})
	if err != nil || len(rows) != 1 {
		t.Fatalf("claimed %v, %v", rows, err)
	}
	return rows[0]
}

func TestLostWorker(t *testing.T) {
	for name, c := range map[string]struct {
		options  []string
		category string
		took     time.Duration
	}{
		"handed out again": {nil, "", 30 * time.Second},
		"silent":           {[]string{"heartbeat 10s", "progress 10s"}, "silent", 31 * time.Second},
		"stalled":          {[]string{"progress 10s"}, "stalled", 31 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, m := memstore.New(), job(t, c.options, retrying()...)
				began := time.Now()
				sender := knowing(t, store, m)
				begin(t, sender, "r")
				stale := crash(t, store, m, "r")
				must(t, errOf(store.Renew(t.Context(), stale.Claim(), time.Now(), time.Now().Add(30*time.Second), json.RawMessage("1"))))
				number := 0
				w := work(t, store, m, func(_ context.Context, a *Attempt) (Result, error) {
					number = a.Number
					return found, nil
				})
				defer w.stop()
				if v := await(t, w.Engine, "r"); v.State != "Done" || time.Since(began) != c.took {
					t.Errorf("after %s: %+v", time.Since(began), v)
				}
				want := 1
				if c.category != "" {
					want = 2
					if got := lines(t, w.Engine, "r"); !strings.Contains(got, "failed("+c.category+")>Working") {
						t.Error(got)
					}
				}
				if number != want {
					t.Errorf("attempt %d, want %d", number, want)
				}
				stats, err := w.Stats(t.Context(), StatsQuery{})
				if want := []LostStats{{"M", "Working", cmp.Or(c.category, "lost"), 1, 1}}; err != nil || !slices.Equal(stats.Lost, want) {
					t.Errorf("lost are %+v: %v", stats.Lost, err)
				}
				if err := store.Confirm(t.Context(), stale.Claim(), time.Now()); !errors.Is(err, machine.ErrFenced) {
					t.Errorf("the lost worker's claim still counts: %v", err)
				}
			})
		})
	}
}

// TestStalledWithCheckpoint: an attempt that made a checkpoint and then stalled has one, as has the next, which began with it.
func TestStalledWithCheckpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := work(t, memstore.New(), job(t, []string{"progress 10s"}, retrying()...), func(ctx context.Context, a *Attempt) (Result, error) {
			if a.Number == 1 {
				if err := a.Progress(1); err != nil {
					return Result{}, err
				}
			}
			<-ctx.Done()
			return Result{}, ctx.Err()
		})
		defer w.stop()
		begin(t, w.Engine, "r")
		inState(t, await(t, w.Engine, "r"), "Broken")
		stats, err := w.Stats(t.Context(), StatsQuery{})
		if want := []LostStats{{"M", "Working", "stalled", 2, 2}}; err != nil || !slices.Equal(stats.Lost, want) {
			t.Errorf("lost are %+v: %v", stats.Lost, err)
		}
	})
}

// order records what an observer is told, in its order.
type order struct {
	mu   sync.Mutex
	told []string
}

func (o *order) OnStep(i StepInfo)       { o.tell(i.Input) }
func (o *order) OnAttempt(i AttemptInfo) { o.tell(string(i.End) + ": " + i.Message) }

func (o *order) tell(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told = append(o.told, what)
}

// TestAttemptIsToldWithItsStep: the observer hears of the end of an attempt right after
// the step that takes it, and before the done that follows in the same write.
func TestAttemptIsToldWithItsStep(t *testing.T) {
	for _, c := range []struct {
		name string
		lost bool
		want string
	}{
		{"failed", false, "failed(unknown), failed: no disk, done"},
		{"lost", true, "failed(silent), lost: its lease ran out, done"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := memstore.New()
				m := job(t, []string{"heartbeat 10s"}, On1("Found", "Done"), On("failed", Stay()), On1("done", "Broken"))
				beginElsewhere(t, store, m, "r")
				if c.lost {
					crash(t, store, m, "r")
				}
				seen := &order{}
				w := work(t, store, m, func(context.Context, *Attempt) (Result, error) { return Result{}, errors.New("no disk") }, WithObserver(seen))
				await(t, w.Engine, "r")
				w.stop()
				if got := strings.Join(seen.told, ", "); got != c.want {
					t.Errorf("told %s, want %s", got, c.want)
				}
			})
		})
	}
}

func TestLostTooOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, m := memstore.New(), job(t, nil, On1("Found", "Done"), On("failed", GoTo("Broken", Set("why", "event.message"), Set("category", "event.category"))))
		sender := knowing(t, store, m)
		begin(t, sender, "r")
		for range 3 { // a limit of 2 hands it out twice more
			crash(t, store, m, "r")
			time.Sleep(30 * time.Second)
			e := NewEngine(store, WithLostLimit(2))
			register(t, e, m, Handlers{}) // takes over, and runs nothing
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if err := e.Run(ctx); err != nil {
				t.Error(err)
			}
			cancel()
		}
		v := get(t, sender, "r")
		if got := reason(t, v); v.State != "Broken" || got.Category != "unknown" || got.Why != `its worker was lost 3 times, the last was "gone"` {
			t.Errorf("%+v %+v", v, got)
		}
	})
}

// TestStaleResult lets a worker sleep past its lease, as SIGSTOP would, with
// its renewals failing. What it then returns is refused.
func TestStaleResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, m := memstore.New(), job(t, nil, retrying()...)
		cut := &cutOff{Store: store}
		slow := work(t, cut, m, func(context.Context, *Attempt) (Result, error) {
			time.Sleep(time.Minute)
			return Result{Event: "Found", Data: json.RawMessage(`{"n":666}`)}, nil
		})
		begin(t, slow.Engine, "r")
		synctest.Wait()
		cut.off.Store(true)
		quick := work(t, store, m, func(context.Context, *Attempt) (Result, error) {
			time.Sleep(time.Hour)
			return found, nil
		})
		time.Sleep(50 * time.Second)
		cut.off.Store(false)
		inState(t, await(t, quick.Engine, "r"), "Done")
		slow.stop()
		quick.stop()
		wantLines(t, quick.Engine, "r", "start>Idle Go>Working lost>Working late Found>Working Found>Done")
		if got := slow.seen.String(); got != "work#1 fenced" {
			t.Errorf("slow: %s", got)
		}
		if got := quick.seen.String(); got != "work#1 lost, work#1 result" {
			t.Errorf("quick: %s", got)
		}
	})
}

// cutOff is a store that a process cannot reach for a while.
type cutOff struct {
	store.Store
	off atomic.Bool
}

var errCutOff = errors.New("the store cannot be reached")

func (c *cutOff) Renew(ctx context.Context, claim store.Claim, now, until time.Time, checkpoint json.RawMessage) (bool, error) {
	if c.off.Load() {
		return false, errCutOff
	}
	return c.Store.Renew(ctx, claim, now, until, checkpoint)
}

func (c *cutOff) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (store.Renewed, error) {
	if c.off.Load() {
		return store.Renewed{}, errCutOff
	}
	return c.Store.RenewAll(ctx, claims, now, until)
}

func (c *cutOff) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	if c.off.Load() {
		return store.Work{}, errCutOff
	}
	return c.Store.Look(ctx, q)
}

// On1 is a handler with one transition.
func On1(trigger, target string) Part { return On(trigger, GoTo(target)) }

// TestCrashAndRecovery drops engines without a shutdown, in each stage of a
// run, and lets the next one go on from the store alone.
func TestCrashAndRecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, m := memstore.New(), job(t, nil, retrying()...)
		sender := knowing(t, store, m)
		begin(t, sender, "r")
		crash(t, store, m, "r")
		began := time.Now()
		failing := work(t, store, m, func(context.Context, *Attempt) (Result, error) { return Result{}, errors.New("no") })
		time.Sleep(30*time.Second + time.Millisecond)
		failing.stop()
		v := get(t, sender, "r")
		if len(v.Activities) != 1 || v.Activities[0].Attempt != 2 || v.Bounds[0].Used != 1 {
			t.Fatalf("%+v", v)
		}
		time.Sleep(500 * time.Millisecond)
		last := work(t, store, m, func(_ context.Context, a *Attempt) (Result, error) {
			if took := time.Since(began); took != 31*time.Second || a.Number != 2 {
				t.Errorf("attempt %d after %s", a.Number, took)
			}
			return Result{}, errors.New("never")
		})
		defer last.stop()
		inState(t, await(t, last.Engine, "r"), "Broken")
	})
}

func TestGracefulShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, m := memstore.New(), job(t, nil, retrying()...)
		w := work(t, store, m, func(ctx context.Context, a *Attempt) (Result, error) {
			switch a.Run {
			case "quick":
				time.Sleep(5 * time.Second)
				return found, nil
			case "last word":
				<-ctx.Done()
				return found, nil
			}
			<-ctx.Done()
			if !errors.Is(context.Cause(ctx), ErrStopped) {
				t.Errorf("cancelled because %v", context.Cause(ctx))
			}
			return Result{}, ctx.Err()
		}, WithGrace(10*time.Second))
		for _, run := range []string{"quick", "long", "last word"} {
			begin(t, w.Engine, run)
		}
		synctest.Wait()
		began := time.Now()
		w.stop()
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("it stopped after %s", took)
		}
		if AttemptsUnder(w.Engine) != 0 {
			t.Error("attempts are left behind")
		}
		for run, want := range map[string]string{"quick": "Done", "last word": "Done", "long": "Working"} {
			inState(t, get(t, w.Engine, run), want)
		}
		tasks, err := store.Tasks(t.Context(), "long")
		if err != nil || len(tasks) != 1 || tasks[0].Worker != "" || tasks[0].Attempt != 1 || tasks[0].Lost != 0 {
			t.Errorf("the lease was not released: %+v, %v", tasks, err)
		}
		// synctest fails the test where a goroutine is left.
	})
}

// TestOtherVersion runs a stored run of a version that is not registered with
// the functions of the one that is.
func TestOtherVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		old := job(t, []string{"timeout 1h"}, retrying()...)
		sender := knowing(t, store, old)
		begin(t, sender, "r")
		w := work(t, store, job(t, []string{"timeout 2h"}, retrying()...), func(context.Context, *Attempt) (Result, error) { return found, nil })
		defer w.stop()
		if v := await(t, w.Engine, "r"); v.State != "Done" || v.Definition != old.Hash() {
			t.Errorf("%+v", v)
		}
	})
}

func TestHaltedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := job(t, nil, On1("Found", "Done")) // nothing takes a failure
		w := work(t, memstore.New(), m, func(context.Context, *Attempt) (Result, error) { return Result{}, errors.New("no") })
		defer w.stop()
		begin(t, w.Engine, "r")
		v := await(t, w.Engine, "r")
		if v.Status != machine.Halted || v.Halt == nil || v.Halt.Input != "failed(unknown)" {
			t.Errorf("%+v", v)
		}
		if _, err := w.Send(t.Context(), "r", machine.ExternalEvent{Name: "Stop"}); !errors.Is(err, machine.ErrHalted) {
			t.Error(err)
		}
		if _, err := w.Cancel(t.Context(), "r", CancelOptions{}); err != nil {
			t.Error(err)
		}
	})
}

// TestLostWorkerIsNoted: that a worker was lost is a line of the run's history,
// which changes nothing else and replays.
func TestLostWorkerIsNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := memstore.New()
		m := job(t, nil, On1("Found", "Done"), On1("failed", "Broken"))
		e := knowing(t, db, m)
		begin(t, e, "r")
		rows, err := db.Claim(t.Context(), store.ClaimQuery{Worker: "gone", Now: time.Now(), Until: time.Now().Add(time.Minute),
			Limit: 1, Activities: []store.Claimable{{Definition: m.Hash(), Activity: "work"}}})
		if err != nil || len(rows) != 1 {
			t.Fatal(rows, err)
		}
		gone := time.Now().Add(time.Minute)
		time.Sleep(2 * time.Minute)
		if a := get(t, e, "r").Activities; len(a) != 1 || a[0].Worker != "gone" || a[0].Lease == nil || !a[0].Lease.Equal(gone) {
			t.Errorf("%+v", a)
		}
		w := work(t, db, m, func(context.Context, *Attempt) (Result, error) { return found, nil })
		defer w.stop()
		if v, err := w.Wait(t.Context(), "r"); err != nil || v.State != "Done" {
			t.Fatal(v, err)
		}
		if got := lines(t, w.Engine, "r"); !strings.Contains(got, " lost>Working ") {
			t.Error(got)
		}
		steps, err := w.History(t.Context(), "r", 0, 0)
		must(t, err)
		noted := 0
		for _, s := range steps {
			if s.Kind == machine.LostInput {
				noted++
				if s.Worker != "gone" || s.Activity != "work" || s.Effect != machine.Reissued {
					t.Errorf("%+v", s)
				}
			}
		}
		if noted != 1 {
			t.Errorf("%d lines of lost workers", noted)
		}
	})
}

// heldUp is a store in which the first renewal of a lease takes long.
type heldUp struct {
	store.Store
	once  sync.Once
	until <-chan struct{}
}

func (s *heldUp) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (store.Renewed, error) {
	s.once.Do(func() { <-s.until })
	return s.Store.RenewAll(ctx, claims, now, until)
}

// TestReturnedInTime: what an activity returned within its time limit counts, also
// where the store held its watcher up until the limit had passed.
func TestReturnedInTime(t *testing.T) {
	for range 20 { // which of two channels is looked at first is left to chance
		synctest.Test(t, func(t *testing.T) {
			free := make(chan struct{})
			store := &heldUp{Store: memstore.New(), until: free}
			w := work(t, store, job(t, []string{"timeout 15s"}, retrying()...), func(context.Context, *Attempt) (Result, error) {
				time.Sleep(12 * time.Second) // and the lease is renewed after ten
				return found, nil
			})
			begin(t, w.Engine, "r")
			time.Sleep(20 * time.Second)
			close(free)
			v := await(t, w.Engine, "r")
			w.stop() // the observer hears of an end after those who wait for the run
			if v.State != "Done" || w.seen.String() != "work#1 result" {
				t.Errorf("%s: %s", v.State, w.seen)
			}
		})
	}
}

// TestOverdueWhileTheStoreHangs: a store that holds up the renewal of leases holds up no time
// limit.
func TestOverdueWhileTheStoreHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		w := work(t, &heldUp{Store: memstore.New(), until: free}, job(t, []string{"timeout 15s"}, On1("Found", "Done"), On1("failed", "Broken")),
			func(ctx context.Context, _ *Attempt) (Result, error) {
				<-ctx.Done()
				return Result{}, ctx.Err()
			})
		began := time.Now()
		begin(t, w.Engine, "r")
		if v := await(t, w.Engine, "r"); v.State != "Broken" || time.Since(began) != 15*time.Second {
			t.Errorf("after %s: %s", time.Since(began), v.State)
		}
		close(free)
		w.stop()
	})
}

// unread is a store whose leases cannot be read until a time.
type unread struct {
	store.Store
	until time.Time
}

func (s unread) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	if q.Now.Before(s.until) {
		return store.Work{}, errFault
	}
	return s.Store.Look(ctx, q)
}

// TestFailuresUnderLoad: a worker whose store fails for a minute holds out, also
// where much happens meanwhile that would wake it.
func TestFailuresUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := unread{memstore.New(), time.Now().Add(time.Minute)}
		w := work(t, store, job(t, nil, retrying()...), finds, WithLogger(quiet))
		defer w.stop()
		for i := range 40 {
			begin(t, w.Engine, fmt.Sprint("r", i))
			time.Sleep(time.Millisecond)
		}
		inState(t, within(t, w.Engine, "r0", time.Hour), "Done")
	})
}

// TestLateAfterReleased: an attempt that was released, and one after it that took
// as long and returned too late, are two: what the second has used counts too.
func TestLateAfterReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, calls := memstore.New(), 0
		w := work(t, store, job(t, nil, retrying()...), func(ctx context.Context, a *Attempt) (Result, error) {
			time.Sleep(time.Second)
			if err := a.Spend("usd", "1"); err != nil {
				t.Error(err)
			}
			if calls++; calls == 1 {
				return Result{}, Decline("not now")
			}
			by := machine.Completion{Activity: "work", Event: "Found", Data: json.RawMessage(`{"n":2}`)}
			if _, err := NewEngine(store).Complete(ctx, "r", by); err != nil {
				t.Error(err)
			}
			return found, nil
		})
		begin(t, w.Engine, "r")
		await(t, w.Engine, "r")
		w.stop()
		v := get(t, w.Engine, "r")
		if got := lines(t, w.Engine, "r"); got != "start>Idle Go>Working released>Working Found>Done late Found>Done" ||
			len(v.Costs) != 1 || v.Costs[0].Spent != "2" || w.seen.String() != "work#1 returned, work#1 cancelled" {
			t.Errorf("%s\n%+v\n%s", got, v.Costs, w.seen)
		}
	})
}

// forgetful is a store that has written the end of an attempt, and says that it
// failed.
type forgetful struct {
	store.Store
	failed *bool
}

func (s forgetful) Commit(ctx context.Context, c *store.Commit) error {
	err := s.Store.Commit(ctx, c)
	if err == nil && c.Claim != nil && !*s.failed {
		*s.failed = true
		return errFault
	}
	return err
}

// TestEndThatWasWritten is none that came late, whatever the time that the attempt
// took: none, by a clock that stands still.
func TestEndThatWasWritten(t *testing.T) {
	for _, took := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			w := work(t, forgetful{memstore.New(), new(bool)}, job(t, nil, retrying()...), func(context.Context, *Attempt) (Result, error) {
				time.Sleep(took)
				return found, nil
			})
			begin(t, w.Engine, "r")
			await(t, w.Engine, "r")
			w.stop()
			if got := lines(t, w.Engine, "r"); got != "start>Idle Go>Working Found>Done" || w.seen.String() != "work#1 result" {
				t.Errorf("after %s: %s: %s", took, got, w.seen)
			}
		})
	}
}
