//go:build unix && cgo

package reliability

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// carriers are the activity of the parcel in a child: it says when it has begun,
// and does not return before it is told to, whatever its context says. What it
// returns is the line that it was told.
func carriers(*world) runtime.Handlers {
	return runtime.Handlers{Activities: map[string]runtime.ActivityFunc{
		"carry": func(context.Context, *runtime.Attempt) (runtime.Result, error) {
			fmt.Println("carries")
			lines := bufio.NewScanner(os.Stdin)
			if !lines.Scan() {
				return runtime.Result{}, runtime.ErrWorkerLost
			}
			return runtime.Result{Event: "Arrived", Data: map[string]any{"carrier": lines.Text()}}, nil
		},
	}}
}

// ends says how the attempts of a child end.
type ends struct{ all chan runtime.AttemptEnd }

func (ends) OnStep(runtime.StepInfo) {}
func (e ends) OnAttempt(a runtime.AttemptInfo) {
	if a.End != runtime.AttemptLost { // which is of another
		e.all <- a.End
	}
}

// hold is a child that carries one parcel, says how that ended, and ends.
func hold(dir, name string) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	worker, _, second := strings.Cut(name, ":")
	lease := 300 * time.Millisecond
	if second { // is not stopped, and keeps what it has however slow the computer is
		lease = time.Minute
	}
	e := ends{make(chan runtime.AttemptEnd, 10)}
	s, err := parcels.open(dir, worker, 0, runtime.WithConcurrency(1), runtime.WithLease(lease), runtime.WithObserver(e))
	if err != nil {
		return err
	}
	defer s.close()
	fmt.Println("begun")
	wait := s.serve(ctx)
	fmt.Println(<-e.all)
	stop()
	return wait()
}

// stop stops c outside of a transaction: within one it would keep all others out for as long as it
// is stopped.
func (c *process) stop(t *testing.T, dir string) {
	t.Helper()
	for {
		c.signal(t, syscall.SIGSTOP)
		// A thread on another processor runs on for a moment, and may begin a transaction there.
		must(t, errOf(syscall.Wait4(c.cmd.Process.Pid, nil, syscall.WUNTRACED, nil)))
		if !within(t, dir) {
			return
		}
		c.signal(t, syscall.SIGCONT)
	}
}

// within reports whether a transaction in the database of a directory waits for who is stopped.
func within(t *testing.T, dir string) bool {
	t.Helper()
	db, name := connectTo(t, dir)
	defer db.Close()
	if name != "" {
		open, waits := 1, 0
		for ; open > 0 && waits == 0; time.Sleep(time.Millisecond) {
			must(t, db.QueryRow("SELECT count(*), count(*) FILTER (WHERE wait_event = 'ClientRead') FROM pg_stat_activity "+
				"WHERE application_name = $1 AND xact_start IS NOT NULL", name).Scan(&open, &waits))
		}
		return waits > 0
	}
	tx, err := db.Begin()
	if err == nil {
		must(t, tx.Rollback())
		return false
	}
	if busy := (sqlite3.Error{}); !errors.As(err, &busy) || busy.Code != sqlite3.ErrBusy {
		t.Fatal(err)
	}
	return true
}

// TestStoppedWorker stops a worker with SIGSTOP until its lease has run out and
// the task is another's, and then lets it go on: what it returns is refused and
// noted, and what the other returns stands. The other may have the same name:
// names are no fence.
func TestStoppedWorker(t *testing.T) {
	times := 0
	for store, on := range places {
		for _, successor := range []string{"other", "first"} {
			for _, watched := range []bool{false, true} {
				for _, late := range []bool{false, true} {
					times++
					t.Run(fmt.Sprintf("%s/successor=%s/watched=%t/late=%t", store, successor, watched, late), func(t *testing.T) {
						t.Parallel()
						stopWorker(t, on, successor, watched, late)
					})
				}
			}
		}
	}
	t.Logf("figure: workers stopped past their lease = %d", times)
}

// stopWorker: the first goes on while the second is at work or, late, when that
// has ended.
func stopWorker(t *testing.T, on place, successor string, watched, late bool) {
	dir := on.dir(t)
	s, err := (&work{model: parcel, handlers: auctions.handlers}).open(dir, "sender", 0)
	must(t, err)
	defer s.close()
	must(t, errOf(s.Start(t.Context(), "Parcel", "p", fmt.Appendf(nil, `{"watched": %t}`, watched))))
	s.world.ledger.note(started, "p")

	first := spawn(t, "hold", dir, "first", "")
	first.says(t, "carries")
	first.stop(t, dir)
	second := spawn(t, "hold", dir, successor+":2", "")
	second.says(t, "carries")
	conclude := func() {
		second.tell(t, "second")
		second.says(t, "result")
		second.ended(t)
	}
	if late {
		conclude()
	}
	first.signal(t, syscall.SIGCONT)
	first.tell(t, "first")
	first.says(t, "fenced")
	first.ended(t)
	if !late {
		conclude()
	}

	history, err := s.History(t.Context(), "p", 0, 0)
	must(t, err)
	var results []string
	lateOnes := 0
	for _, step := range history {
		switch step.Kind {
		case machine.ResultInput:
			results = append(results, string(step.Data))
		case machine.LateInput:
			lateOnes++
		}
	}
	if want := []string{`{"carrier":"second"}`}; !slices.Equal(results, want) || lateOnes != 1 {
		t.Errorf("the run took %q and noted %d late results, expected %q and 1", results, lateOnes, want)
	}
	ctx, stop := context.WithCancel(t.Context())
	wait := s.serve(ctx)
	if err := s.WaitDelivered(ctx); err != nil {
		t.Error(err)
	}
	stop()
	if err := wait(); err != nil {
		t.Error(err)
	}
	e, err := readLedger(ledgerIn(dir))
	must(t, err)
	if err := inspect(t.Context(), s.store, parcel(), e, true); err != nil {
		t.Error(err)
	}
	if len(e.ended) == 0 || e.ended[len(e.ended)-1].epoch < 2 {
		t.Errorf("the claims that ended are %v: the first worker was not replaced", e.ended)
	}
}

// TestStopAtRandom stops one of two processes at any moment, for longer than its
// leases, and lets it go on beside the other.
func TestStopAtRandom(t *testing.T) {
	stops := count(t, "FSMC_STOPS", 2)
	for store, on := range places {
		for role, w := range map[string]*work{"trade on": orders, "haul on": convoys} {
			t.Run(store+"/"+role, func(t *testing.T) { stopAtRandom(t, on, w, role, stops) })
		}
	}
	t.Logf("figure: stops at random moments = %d", 4*stops)
}

func stopAtRandom(t *testing.T, on place, w *work, role string, stops int) {
	dir := on.dir(t)
	one := spawn(t, role, dir, "one", "")
	two := spawn(t, role, dir, "two", "")
	for range stops {
		time.Sleep(rand.N(200 * time.Millisecond))
		one.signal(t, syscall.SIGSTOP)
		time.Sleep(400 * time.Millisecond)
		one.signal(t, syscall.SIGCONT)
		one, two = two, one
	}
	for _, p := range []*process{one, two} {
		p.signal(t, syscall.SIGKILL)
		if !p.ended(t) {
			t.Fatal("a process ended before it was killed")
		}
	}
	inspectDir(t, w, dir, false)
	finishDir(t, w, dir)
}
