package storetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// limit puts a new version of the machine, with a limit of the activity, and gives its
// hash. An empty limit is none.
func (f *fixture) limit(hash, limit string) {
	f.Helper()
	if limit != "" {
		limit = `,"limit":` + limit
	}
	text := fmt.Sprintf(`{"format":1,"activities":[{"name":"other"},{"name":%q%s}]}`, activity, limit)
	f.must(f.s.PutDefinition(f.ctx, store.DefinitionRow{Hash: hash, Machine: "Order", Definition: json.RawMessage(text)}))
}

const (
	threePerMinute = `{"rate":3,"window":60000000000}`
	twoAtOnce      = `{"at_once":2}`
)

// beginMany creates runs with a task each, a second after another.
func (f *fixture) beginMany(n int) {
	f.Helper()
	for i := range n {
		f.begin(fmt.Sprintf("r%d", i))
		f.pass(time.Second)
	}
}

func runsOf(rows []store.TaskRow) []string {
	return textsOf(rows, func(r store.TaskRow) string { return r.Run })
}

// testRate: the limit of the newest version holds for runs of all; the oldest come first;
// the window slides.
func testRate(f *fixture) {
	f.beginMany(6)
	f.limit("h2", threePerMinute)
	begun := f.now
	equal(f, runsOf(f.claim(2)), []string{"r0", "r1"})
	f.pass(20 * time.Second)
	equal(f, runsOf(f.claim(10)), []string{"r2"})
	f.idle()
	equal(f, f.wake(), begun.Add(time.Minute))
	f.limits(store.LimitRow{Held: 3, Opens: begun.Add(time.Minute), Last: f.now}, 0, 3)
	f.now = begun.Add(time.Minute - time.Microsecond)
	f.idle()
	f.now = begun.Add(time.Minute)
	equal(f, runsOf(f.claim(10)), []string{"r3", "r4"})
	f.idle()
	f.pass(20 * time.Second)
	equal(f, runsOf(f.claim(10)), []string{"r5"})
}

// testRateOfAnyWindow: whenever workers ask, no window has more claims.
func testRateOfAnyWindow(f *fixture) {
	f.limit("h2", threePerMinute)
	f.beginMany(12)
	var claims []time.Time
	for i := 0; len(claims) < 12; i++ {
		if i > 1000 {
			f.Fatalf("after 1000 looks %d tasks have been claimed", len(claims))
		}
		for range f.claim(1 + i%4) {
			claims = append(claims, f.now)
		}
		f.pass(time.Duration(1+i*7%19) * time.Second)
	}
	for i := 3; i < len(claims); i++ {
		if d := claims[i].Sub(claims[i-3]); d < time.Minute {
			f.Errorf("claims %d to %d are within %s", i-3, i, d)
		}
	}
}

// testRateCountsAll: a claim that is released, lost or cancelled counts.
func testRateCountsAll(f *fixture) {
	f.limit("h2", threePerMinute)
	f.beginMany(4)
	rows := f.claim(3)
	f.must(f.s.Release(f.ctx, rows[0].Claim(), f.now, time.Time{}))
	f.cancel("r1", "a")
	f.must(f.s.Confirm(f.ctx, rows[1].Claim(), f.now))
	f.idle()
	f.pass(time.Minute)
	f.must(f.s.Reclaim(f.ctx, rows[2].Claim(), f.now))
	equal(f, runsOf(f.claim(10)), []string{"r3", "r0", "r2"})
	f.idle()
}

// testRateBackwards: a clock that goes back makes no window shorter, and none longer than
// one window from then.
func testRateBackwards(f *fixture) {
	f.limit("h2", threePerMinute)
	f.beginMany(7)
	equal(f, len(f.claim(10)), 3)
	f.pass(-time.Hour)
	for i := range 4 { // what is younger than now is ready nevertheless
		f.begin(fmt.Sprintf("back%d", i))
	}
	f.idle()
	equal(f, f.wake(), f.now.Add(time.Minute))
	f.pass(time.Minute - time.Microsecond)
	f.idle()
	f.pass(time.Microsecond)
	equal(f, len(f.claim(10)), 3)
	f.idle()
}

// testRateRaces: who asked for the time before another worker, and claims behind it, makes no
// window shorter.
func testRateRaces(f *fixture) {
	f.limit("h2", threePerMinute)
	f.beginMany(6)
	begun := f.now
	equal(f, len(f.claim(2)), 2)
	f.pass(2 * time.Microsecond)
	equal(f, len(f.claim(10)), 1)
	f.now = begun.Add(time.Microsecond)
	f.idle()
	f.pass(time.Minute)
	equal(f, len(f.claim(10)), 2)
	f.idle()
	f.pass(time.Microsecond)
	equal(f, len(f.claim(10)), 1)
}

// testAtOnce: what is held counts until it has ended, been released, taken back or
// confirmed.
func testAtOnce(f *fixture) {
	f.limit("h2", twoAtOnce)
	f.beginMany(5)
	rows := f.claim(10)
	equal(f, runsOf(rows), []string{"r0", "r1"})
	f.idle()
	f.limits(store.LimitRow{Held: 2, Last: f.now}, 2, 0)

	f.end(&rows[0])
	rows = append(rows, f.claimOne())
	equal(f, rows[2].Run, "r2")
	f.idle()

	f.must(f.s.Release(f.ctx, rows[2].Claim(), f.now, time.Time{}))
	equal(f, f.claimOne().Run, "r3") // the one that was released is behind the others
	f.idle()

	f.cancel("r1", "a")
	f.idle() // it has not stopped
	f.must(f.s.Confirm(f.ctx, rows[1].Claim(), f.now))
	equal(f, f.claimOne().Run, "r4")
	f.idle()

	f.pass(2 * ttl)
	f.idle() // lost, but perhaps alive
	for _, row := range f.tasks("r3") {
		f.must(f.s.Reclaim(f.ctx, row.Claim(), f.now))
	}
	equal(f, f.claimOne().Run, "r2")
	f.idle()
}

// testAtOnceHaltedAndLost: a task of a halted run whose holder is gone holds no place: no one
// reclaims it.
func testAtOnceHaltedAndLost(f *fixture) {
	f.limit("h2", `{"at_once":1}`)
	f.beginMany(2)
	equal(f, f.claimOne().Run, "r0")
	f.standing("r0", machine.Halted, false)
	f.idle()
	f.now = f.wake()
	equal(f, f.claimOne().Run, "r1")
}

// testAtOnceCancelledAndLost: a cancelled task whose holder is gone holds no place.
func testAtOnceCancelledAndLost(f *fixture) {
	f.limit("h2", `{"at_once":1}`)
	f.beginMany(2)
	equal(f, f.claimOne().Run, "r0")
	f.cancel("r0", "a")
	f.idle()
	f.pass(2 * ttl)
	equal(f, f.claimOne().Run, "r1")
}

// testLimitsOfVersions: the newest version's limit holds, for as long as it is that;
// another machine and another activity have none.
func testLimitsOfVersions(f *fixture) {
	f.limit("h2", `{"at_once":1}`)
	f.limit("h3", twoAtOnce)
	f.limit("h2", "") // it is there already
	for i, hash := range []string{definition, "h2", "h3"} {
		c := f.create(fmt.Sprintf("r%d", i))
		c.Run.Definition = hash
		f.start(c, "a").Definition = hash
		other := f.start(c, "b")
		other.Definition, other.Activity = hash, "other"
		f.commit(c)
		f.pass(time.Second)
	}
	q := f.query("w", 10)
	q.Activities = nil
	for _, hash := range []string{"h3", definition, "h2"} {
		q.Activities = append(q.Activities, store.Claimable{Definition: hash, Activity: activity}, store.Claimable{Definition: hash, Activity: "other"})
	}
	got := textsOf(sure(f.s.Claim(f.ctx, q)), func(r store.TaskRow) string { return r.Run + r.Do })
	slices.Sort(got)
	equal(f, got, []string{"r0a", "r0b", "r1a", "r1b", "r2b"})
	f.limit("h4", "")
	f.limits(store.LimitRow{}, 0, 0)
	equal(f, runsOf(sure(f.s.Claim(f.ctx, q))), []string{"r2"})
}

// testRateOfVersions: claims under the rate of an older version count under that of the newest, whether it lets more
// through or less; of those that an older one did not need to remember nothing is known.
func testRateOfVersions(f *fixture) {
	f.limit("h2", threePerMinute)
	f.beginMany(12)
	equal(f, len(f.claim(10)), 3)
	f.limit("h3", `{"rate":5,"window":60000000000}`)
	equal(f, len(f.claim(10)), 2)
	f.idle()
	f.limit("h4", `{"rate":1,"window":30000000000}`)
	f.limit("h3", `{"rate":5,"window":60000000000}`) // it is there already
	f.pass(30*time.Second - time.Microsecond)
	f.idle()
	f.pass(time.Microsecond)
	equal(f, len(f.claim(10)), 1)
	f.limit("h5", `{"rate":3,"window":3600000000000}`)
	equal(f, len(f.claim(10)), 2) // beside the one that was remembered
	f.pass(time.Hour - 30*time.Second)
	f.idle()
	f.pass(30 * time.Second)
	equal(f, len(f.claim(10)), 3)
}

// testLimitedBehind: what a limit holds back is not in the way of what has none, or of one
// run that is asked for.
func testLimitedBehind(f *fixture) {
	f.limit("h2", `{"at_once":1,"rate":2,"window":3600000000000}`)
	f.beginMany(5)
	c := f.create("free")
	f.start(c, "a").Activity = "other"
	f.commit(c)
	q := f.query("w", 2)
	q.Activities = append(q.Activities, store.Claimable{Definition: definition, Activity: "other"})
	rows := sure(f.s.Claim(f.ctx, q))
	equal(f, runsOf(rows), []string{"r0", "free"})
	f.must(f.s.Release(f.ctx, rows[0].Claim(), f.now, f.now.Add(time.Minute)))
	q.Run = "r4"
	rows = sure(f.s.Claim(f.ctx, q))
	equal(f, runsOf(rows), []string{"r4"})
	f.must(f.s.Release(f.ctx, rows[0].Claim(), f.now, time.Time{}))
	f.idle() // two within the hour
	equal(f, len(sure(f.s.Claim(f.ctx, q))), 0)
}

// testConcurrentLimits: several workers together do not claim more.
func testConcurrentLimits(f *fixture) {
	f.limit("h2", `{"at_once":5,"rate":7,"window":60000000000}`)
	f.beginMany(20)
	claim := func() (rows []store.TaskRow) {
		var (
			mu   sync.Mutex
			wait sync.WaitGroup
		)
		for w := range 8 {
			wait.Go(func() {
				got, err := f.s.Claim(f.ctx, f.query(fmt.Sprint("w", w), 3))
				if err != nil {
					f.Error(err)
				}
				mu.Lock()
				rows = append(rows, got...)
				mu.Unlock()
			})
		}
		wait.Wait()
		return rows
	}
	rows := claim()
	equal(f, len(rows), 5)
	for i := range rows {
		f.must(f.s.Release(f.ctx, rows[i].Claim(), f.now, f.now.Add(time.Hour)))
	}
	equal(f, len(claim()), 2)
}

// limits expects how the one limit stands; none where it has no numbers.
func (f *fixture) limits(want store.LimitRow, atOnce, rate int) {
	f.Helper()
	rows := sure(f.s.Limits(f.ctx, f.now))
	if atOnce+rate == 0 {
		equal(f, len(rows), 0)
		return
	}
	want.Machine, want.Activity, want.AtOnce, want.Rate = "Order", activity, atOnce, rate
	if rate > 0 {
		want.Window = time.Minute
	}
	equal(f, rows, []store.LimitRow{want})
}
