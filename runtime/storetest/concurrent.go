package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// testConcurrentCommits: of those who saw one run in one place, one wins.
func testConcurrentCommits(f *fixture) {
	f.commit(f.create("r"))
	const rounds, callers = 10, 8
	for round := range rounds {
		var wait sync.WaitGroup
		results := make([]error, callers)
		seen := f.load("r")
		for i := range callers {
			c := f.step(seen, machine.EventInput)
			c.Run.State = fmt.Sprintf("S%d", i)
			wait.Go(func() { results[i] = f.s.Commit(f.ctx, c) })
		}
		wait.Wait()
		winner := -1
		for i, err := range results {
			switch {
			case err == nil && winner >= 0:
				f.Fatalf("round %d: %d and %d both won", round, winner, i)
			case err == nil:
				winner = i
			case !errors.Is(err, store.ErrConflict):
				f.Fatal(err)
			}
		}
		if winner < 0 {
			f.Fatalf("round %d: no one won", round)
		}
		equal(f, f.load("r").State, fmt.Sprintf("S%d", winner))
	}
	equal(f, len(f.history("r")), rounds+1)
}

// testConcurrentRuns: commits to different runs do not disturb each other,
// although some of their neighbours are refused.
func testConcurrentRuns(f *fixture) {
	const runs, steps = 16, 12
	var wait sync.WaitGroup
	for i := range runs {
		wait.Go(func() {
			c := f.create(fmt.Sprintf("r%d", i))
			refusal := machine.ErrExists
			for range steps {
				if err := f.s.Commit(f.ctx, c); err != nil {
					f.Error(err)
				}
				if err := f.s.Commit(f.ctx, c); !errors.Is(err, refusal) {
					f.Errorf("the same commit again: %v", err)
				}
				c, refusal = f.step(c.Run, machine.EventInput), store.ErrConflict
			}
		})
	}
	wait.Wait()
	for i := range runs {
		equal(f, len(f.history(fmt.Sprintf("r%d", i))), steps)
	}
}

// testConcurrentClaims: no task is handed out twice, and all are.
func testConcurrentClaims(f *fixture) {
	const tasks, workers = 40, 8
	for i := range tasks {
		f.begin(fmt.Sprintf("r%d", i))
	}
	var (
		mu    sync.Mutex
		taken = map[string]string{}
		used  = map[int64]bool{}
		wait  sync.WaitGroup
	)
	for w := range workers {
		name := fmt.Sprintf("w%d", w)
		wait.Go(func() {
			for empty := 0; empty < 2; {
				rows, err := f.s.Claim(f.ctx, f.query(name, 3))
				if err != nil {
					f.Error(err)
					return
				}
				if len(rows) == 0 {
					empty++
				}
				mu.Lock()
				for _, row := range rows {
					if by, ok := taken[row.Run]; ok {
						f.Errorf("%s was handed to %s and to %s", row.Run, by, name)
					}
					if used[row.Epoch] {
						f.Errorf("epoch %d was given twice", row.Epoch)
					}
					taken[row.Run], used[row.Epoch] = name, true
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	equal(f, len(taken), tasks)
}

// Durable tests a store that outlives its process: open gives a store on what
// is in dir, which the suite closes and opens again.
func Durable(t *testing.T, open func(t *testing.T, dir string) store.Store) {
	dir := t.TempDir()
	f := newFixture(t, open(t, dir))
	c := f.full(f.create("r"))
	f.commit(c)
	claimed := f.claimOne()
	sure(f.s.Renew(f.ctx, claimed.Claim(), f.now, f.now.Add(ttl), []byte(`{"row":4500}`)))
	claimed = f.tasks("r")[0]
	run, history := f.load("r"), f.history("r")
	f.must(f.s.Close())

	f = newFixture(t, open(t, dir))
	equal(f, f.load("r"), run)
	equal(f, f.history("r"), history)
	equal(f, f.tasks("r"), []store.TaskRow{claimed})
	equal(f, outboxIDs(f), []string{"m1"})
	f.accepted("r", "e1", `{"state":"Idle"}`, true)
	equal(f, sure(f.s.Due(f.ctx, f.now.Add(time.Hour), 0)), []store.TimerRow{{Run: "r", Name: "after 1h", Due: f.now.Add(time.Hour)}})
	equal(f, sure(f.s.Definition(f.ctx, definition)).Machine, "Order")
	f.pass(2 * ttl)
	f.must(f.s.Reclaim(f.ctx, claimed.Claim(), f.now))
	again := f.claimOne()
	equal(f, string(again.Checkpoint), `{"row":4500}`)
	if again.Epoch <= claimed.Epoch {
		f.Fatalf("epoch %d after %d", again.Epoch, claimed.Epoch)
	}
}
