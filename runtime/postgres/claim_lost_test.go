package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgproxy"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// waiting begins runs "r0", "r1" and so on, with a task each.
func waiting(t *testing.T, s *postgres.Store, runs int) {
	t.Helper()
	for i := range runs {
		withTask(t, s, fmt.Sprint("r", i))
	}
}

func claimSome(ctx context.Context, s store.Store, limit int) ([]store.TaskRow, error) {
	return s.Claim(ctx, store.ClaimQuery{Worker: "w", Now: noon, Until: noon.Add(time.Hour), Limit: limit,
		Activities: []store.Claimable{{Definition: "h", Activity: "work"}}})
}

// TestLostClaims: a claim whose reply is lost gives what it has taken, under the epochs that stand in the database. One that has
// not reached the server takes something yet.
func TestLostClaims(t *testing.T) {
	at := pgtest.URL(t)
	direct := open(t, at)
	waiting(t, direct, 5)
	p := newProxy(t, at, ofCommit)
	s := open(t, p.url)
	for i := range int64(10 * faults(t, 2)) {
		p.before.Store(i % 2)
		p.after.Store(i / 2 % 3)
		rows, err := claimSome(t.Context(), s, 3)
		if err != nil || len(rows) != 3 {
			t.Fatalf("%d: %d tasks, %v", i, len(rows), err)
		}
		if p.before.Load() > 0 || i/2%3 > 0 && p.after.Load() == i/2%3 {
			t.Fatalf("%d: nothing was lost", i)
		}
		p.after.Store(0)
		for _, row := range rows {
			if err := direct.Release(t.Context(), row.Claim(), noon, time.Time{}); err != nil {
				t.Errorf("%d: what it gives is not held: %v", i, err)
			}
		}
		all, err := claimSome(t.Context(), direct, 10)
		if err != nil || len(all) != 5 {
			t.Fatalf("%d: then %d are free, %v: it has taken more than it gives", i, len(all), err)
		}
		for _, row := range all {
			must(t, direct.Release(t.Context(), row.Claim(), noon, time.Time{}))
		}
	}
}

// TestLostClaimsOfOthers: what has been taken from the worker since is not given, nor what has ended.
func TestLostClaimsOfOthers(t *testing.T) {
	at := pgtest.URL(t)
	direct := open(t, at)
	waiting(t, direct, 4)
	p := between(t, at)
	s := open(t, p.URL())
	held := func(run string) store.Claim {
		tasks, err := direct.Tasks(t.Context(), run)
		if err != nil || len(tasks) != 1 {
			t.Fatalf("%s: %v, %v", run, tasks, err)
		}
		return tasks[0].Claim()
	}
	var lost, looked bool
	p.Client(func(m *pgproxy.Message) pgproxy.Verdict {
		switch {
		case !lost && bytes.Contains(m.Bytes, []byte(ofCommit)):
			lost = true
			return pgproxy.Deafen
		case !looked && bytes.Contains(m.Bytes, []byte("epoch, n)")):
			looked = true
			later := store.ClaimQuery{Worker: "w", Now: noon.Add(2 * time.Hour), Until: noon.Add(3 * time.Hour), Limit: 1,
				Activities: []store.Claimable{{Definition: "h", Activity: "work"}}, Run: "r2"}
			must(t, direct.Reclaim(t.Context(), held("r1"), later.Now))
			must(t, direct.Reclaim(t.Context(), held("r2"), later.Now))
			must(t, errOf(direct.Claim(t.Context(), later)))
			c, claim := next(t, direct, "r3"), held("r3")
			c.Claim, c.End = &claim, []string{"a"}
			must(t, direct.Commit(t.Context(), c))
		}
		return pgproxy.Pass
	})
	rows, err := claimSome(t.Context(), s, 4)
	if err != nil || len(rows) != 1 || rows[0].Run != "r0" || !looked {
		t.Errorf("%v, %v", rows, err)
	}
}

// TestCutAnywhereInClaim: a connection that ends before any message while a task is claimed leaves it claimed by whom it is given
// to, or free.
func TestCutAnywhereInClaim(t *testing.T) {
	at := pgtest.URL(t)
	direct := open(t, at)
	waiting(t, direct, 1)
	p := between(t, at)
	s := open(t, p.URL())
	var messages atomic.Int64
	cut := func(*pgproxy.Message) pgproxy.Verdict {
		if messages.Add(-1) == 0 {
			return pgproxy.Cut
		}
		return pgproxy.Pass
	}
	for _, set := range []func(func(*pgproxy.Message) pgproxy.Verdict){p.Client, p.Server} {
		set(cut)
		was := int64(1)
		for ; ; was++ {
			messages.Store(was)
			rows, err := claimSome(t.Context(), s, 1)
			for end := time.Now().Add(time.Minute); err == nil && len(rows) == 0 && time.Now().Before(end); {
				time.Sleep(time.Millisecond) // the server has yet to notice who was cut before a COMMIT, and holds the task locked
				rows, err = claimSome(t.Context(), s, 1)
			}
			if err != nil || len(rows) != 1 {
				t.Fatalf("cut before message %d: %v, %v", was, rows, err)
			}
			done := messages.Load() > 0 // nothing was cut
			messages.Store(-1)
			if err := direct.Release(t.Context(), rows[0].Claim(), noon, time.Time{}); errors.Is(err, machine.ErrFenced) {
				t.Fatalf("cut before message %d: it is not held", was)
			} else if err != nil {
				t.Fatal(err)
			}
			if done {
				break
			}
		}
		if was < 5 {
			t.Errorf("it was cut %d times", was)
		}
		set(nil)
	}
}
