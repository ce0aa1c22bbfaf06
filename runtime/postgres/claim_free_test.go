package postgres_test

import (
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/postgres/pgproxy"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestClaimTrips: a claim of activities that have no limit takes three round trips while there is something to claim, of which one begins and
// one commits, and one where there was nothing the last time.
func TestClaimTrips(t *testing.T) {
	at := pgtest.URL(t)
	waiting(t, open(t, at), 8)
	p := between(t, at)
	one, err := url.Parse(p.URL())
	must(t, err)
	query := one.Query()
	query.Set("pool_max_conns", "1") // whose statements are all prepared after the first claim
	one.RawQuery = query.Encode()
	s := open(t, one.String())
	var trips atomic.Int64
	p.Server(func(m *pgproxy.Message) pgproxy.Verdict {
		if m.Type == 'Z' {
			trips.Add(1)
		}
		return pgproxy.Pass
	})
	least := func(want int) (n int64) {
		t.Helper()
		for range 3 { // a process says now and then that it is there, too
			trips.Store(0)
			rows, err := claimSome(t.Context(), s, 2)
			if err != nil || len(rows) != want {
				t.Fatalf("%d tasks, %v", len(rows), err)
			}
			if got := trips.Load(); n == 0 || got < n {
				n = got
			}
		}
		return n
	}
	must(t, errOf(claimSome(t.Context(), s, 2)))
	if n := least(2); n != 3 {
		t.Errorf("%d round trips for what there is", n)
	}
	if n := least(0); n != 1 {
		t.Errorf("%d round trips for nothing", n)
	}
}

// TestClaimOldest: one statement for several activities, ready at once and later, gives the oldest of all of them, in their order.
func TestClaimOldest(t *testing.T) {
	s := open(t, pgtest.URL(t))
	waiting(t, s, 5)
	all, err := claimSome(t.Context(), s, 5)
	must(t, err)
	for _, i := range []int{3, 1} { // the others are ready at once
		must(t, s.Release(t.Context(), all[i].Claim(), noon, noon.Add(time.Duration(i)*time.Minute)))
	}
	must(t, s.Release(t.Context(), all[4].Claim(), noon, time.Time{}))
	rows, err := s.Claim(t.Context(), store.ClaimQuery{Worker: "w", Now: noon.Add(time.Hour), Until: noon.Add(2 * time.Hour), Limit: 2,
		Activities: []store.Claimable{{Definition: "h", Activity: "work"}, {Definition: "h", Activity: "other"}}})
	if err != nil || len(rows) != 2 || rows[0].Run != all[4].Run || rows[1].Run != all[1].Run {
		t.Errorf("%+v, %v", rows, err)
	}
}
