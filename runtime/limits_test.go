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

func limitedJob(t testing.TB, l machine.Limit) *machine.Machine {
	return job(t, nil, On1("Found", "Done"), On1("failed", "Broken"), WithLimit("work", l))
}

// TestLimitOpens: workers begin attempts when a rate lets them, and do not look for that
// in between.
func TestLimitOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := memstore.New()
		m := limitedJob(t, machine.Limit{Rate: 3, Window: int64(time.Minute)})
		began := time.Now()
		var mu sync.Mutex
		var at []time.Duration
		w := work(t, db, m, func(context.Context, *Attempt) (Result, error) {
			mu.Lock()
			defer mu.Unlock()
			at = append(at, time.Since(began))
			return found, nil
		}, WithPoll(24*time.Hour))
		defer w.stop()
		for i := range 7 {
			begin(t, w.Engine, fmt.Sprint("r", i))
		}
		synctest.Wait()
		if got := problems(t, w.Engine, HealthQuery{Late: time.Millisecond}); got != "" {
			t.Error(got)
		}
		v := get(t, w.Engine, "r5")
		if l := v.Activities[0].Limit; l == nil || l.Text != "3 per 1m" || !l.Opens.Equal(began.Add(time.Minute)) {
			t.Errorf("the limit is %+v", l)
		}
		for i := range 7 {
			await(t, w.Engine, fmt.Sprint("r", i))
		}
		w.stop()
		want := fmt.Sprint([]time.Duration{0, 0, 0, time.Minute, time.Minute, time.Minute, 2 * time.Minute})
		if got := fmt.Sprint(at); got != want {
			t.Errorf("attempts began after %s, want %s", got, want)
		}

		// A worker of one run wakes by itself, too.
		late := NewEngine(db, WithPoll(24*time.Hour))
		register(t, late, m, Handlers{Activities: map[string]ActivityFunc{"work": finds}})
		for i := range 3 {
			begin(t, late, fmt.Sprint("s", i))
			if v, err := late.RunUntilIdle(t.Context(), fmt.Sprint("s", i)); err != nil || v.State != "Done" {
				t.Error(v, err)
			}
		}
		if got := time.Since(began); got != 3*time.Minute {
			t.Errorf("the last one is done after %s", got)
		}
	})
}

// TestHealthOfLimited: what a limit holds back is no problem while it does; where no one
// takes what it lets through, that is one.
func TestHealthOfLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := memstore.New()
		m := limitedJob(t, machine.Limit{AtOnce: 1, Rate: 2, Window: int64(time.Hour)})
		e := knowing(t, db, m)
		for i := range 4 {
			begin(t, e, fmt.Sprint("r", i))
		}
		query := func() store.ClaimQuery {
			return store.ClaimQuery{
				Worker: "w", Now: time.Now(), Until: time.Now().Add(2 * time.Hour), Limit: 9,
				Activities: []store.Claimable{{Definition: m.Hash(), Activity: "work"}},
			}
		}
		expect := func(what string, unclaimed int) {
			t.Helper()
			if n := strings.Count(problems(t, e, HealthQuery{}), "unclaimed "); n != unclaimed {
				t.Errorf("%s: %d attempts are unclaimed, want %d", what, n, unclaimed)
			}
		}
		time.Sleep(2 * time.Minute)
		expect("nobody works", 4)
		for range 2 {
			rows, err := db.Claim(t.Context(), query())
			if err != nil || len(rows) != 1 {
				t.Fatal(rows, err)
			}
			time.Sleep(2 * time.Minute)
			expect("one is held", 0)
			if v := get(t, e, "r3"); v.Activities[0].Limit == nil || v.Activities[0].Limit.Text != "1 at once" {
				t.Errorf("%+v", v.Activities[0])
			}
			must(t, db.Release(t.Context(), rows[0].Claim(), time.Now(), time.Time{}))
		}
		time.Sleep(30 * time.Minute)
		expect("the rate is used up", 0)
		time.Sleep(time.Hour)
		expect("nobody works since it is not", 4)
	})
}
