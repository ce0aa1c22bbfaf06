package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// lookFor is what a worker is given.
func (f *fixture) lookFor(q store.LookQuery) store.Work {
	q.Now = f.now
	if q.Limit == 0 {
		q.Limit = 10
	}
	return sure(f.s.Look(f.ctx, q))
}

// glimpse is a look that is handed out nothing.
func (f *fixture) glimpse(q store.LookQuery) store.Work {
	q.Limit = -1
	return f.lookFor(q)
}

// wake is when the next thing that waits comes.
func (f *fixture) wake() time.Time { return f.glimpse(store.LookQuery{}).Wake }

// handed expects which timers and which expired claims a worker is given, by their runs.
func (f *fixture) handed(q store.LookQuery, due, expired []string) {
	f.Helper()
	work := f.lookFor(q)
	equal(f, [2][]string{dueIn(&work), runsOf(work.Expired)}, [2][]string{due, expired})
}

// dueIn are the runs of the timers that are due.
func dueIn(work *store.Work) []string {
	return textsOf(work.Due, func(t store.TimerRow) string { return t.Run })
}

// waiting begins runs with a claim, and a timer that falls due when that runs out, each a
// second after the one before, and lets all of them run out.
func (f *fixture) waiting(runs ...string) {
	for _, run := range runs {
		f.begin(run)
		f.claimOne()
		f.set(run, "t", f.now.Add(ttl))
		f.pass(time.Second)
	}
	f.pass(ttl)
}

// testLook hands out to one worker for a while what then is no other's.
func testLook(f *fixture) {
	f.waiting("a", "b", "c")
	all, none := []string{"a", "b", "c"}, []string{}
	f.handed(store.LookQuery{Worker: "w1", Limit: 2}, all[:2], all[:2])
	f.handed(store.LookQuery{Worker: "w2"}, all[2:], all[2:])
	f.handed(store.LookQuery{Worker: "w3"}, none, none)
	f.handed(store.LookQuery{Worker: "w1"}, all[:2], all[:2]) // the same again
	f.pass(store.HandedFor - time.Millisecond)
	f.handed(store.LookQuery{Worker: "w3"}, none, none)
	f.pass(time.Millisecond)
	f.handed(store.LookQuery{Worker: "w3"}, all, all) // and not for longer, although w1 has looked since
	f.handed(store.LookQuery{Worker: "w1"}, none, none)
	f.pass(-time.Hour) // a clock that is set back holds nothing for an hour
	f.pass(time.Hour - time.Second)
	f.handed(store.LookQuery{Worker: "w1", Limit: -1}, none, none) // and who asks for nothing is given nothing

	due, err := f.s.Due(f.ctx, f.now, 0) // those who look after runs see all
	f.must(err)
	equal(f, []int{len(due), len(sure(f.s.Expired(f.ctx, f.now, 0)))}, []int{3, 3})
}

// testLookLeaves: what a worker leaves to others they are given at once.
func testLookLeaves(f *fixture) {
	f.waiting("a", "b")
	all, none := []string{"a", "b"}, []string{}
	f.handed(store.LookQuery{Worker: "w1"}, all, all)
	f.handed(store.LookQuery{Worker: "w1", NoTimers: all[:1], NoClaims: all[1:]}, all[1:], all[:1])
	f.handed(store.LookQuery{Worker: "w2"}, all[:1], all[1:])
	f.handed(store.LookQuery{Worker: "w1"}, all[1:], all[:1])
	f.handed(store.LookQuery{Worker: "w3", NoTimers: all, NoClaims: all}, none, none)
}

// testLookAtRun is about one run and those below it.
func testLookAtRun(f *fixture) {
	f.waiting("a", "a/x", "a0", "ab")
	f.handed(store.LookQuery{Worker: "w1", Run: "a"}, []string{"a", "a/x"}, []string{"a", "a/x"})
	f.handed(store.LookQuery{Worker: "w2"}, []string{"a0", "ab"}, []string{"a0", "ab"})
	for run, in := range map[string]time.Duration{"a": time.Hour, "a/x": 2 * time.Hour, "a0": time.Minute} {
		f.set(run, "t", f.now.Add(in))
	}
	equal(f, f.lookFor(store.LookQuery{Worker: "w1"}).Wake, f.now.Add(time.Minute))
	equal(f, f.lookFor(store.LookQuery{Worker: "w1", Run: "a"}).Wake, f.now.Add(time.Hour))
	equal(f, f.lookFor(store.LookQuery{Worker: "w1", Run: "a/x"}).Wake, f.now.Add(2*time.Hour))
	equal(f, f.lookFor(store.LookQuery{Worker: "w1", Run: "ab"}).Wake, time.Time{})
}

// testLookAgain: what falls due again is given to whoever asks.
func testLookAgain(f *fixture) {
	f.waiting("a")
	one, none := []string{"a"}, []string{}
	f.handed(store.LookQuery{Worker: "w1"}, one, one)
	f.set("a", "t", f.now.Add(time.Second))
	task := f.tasks("a")[0]
	sure(f.s.Renew(f.ctx, task.Claim(), f.now, f.now.Add(time.Second), nil))
	f.handed(store.LookQuery{Worker: "w2"}, none, none)
	f.pass(time.Second)
	work := f.lookFor(store.LookQuery{Worker: "w2"})
	equal(f, dueIn(&work), one)

	f.pass(store.HandedFor)
	f.standing("a", machine.Halted, false)
	f.handed(store.LookQuery{Worker: "w3"}, none, none) // a halted run is left alone
}

// testLookLists: what is asked for besides, and nothing else.
func testLookLists(f *fixture) {
	f.begin("p")
	parent := f.claimOne()
	f.commit(f.child("p/c", &parent))
	c := f.next("p")
	c.Cancel, c.Run.Status = []string{"a"}, machine.Ending
	f.commit(c)
	f.begin("r")
	work := f.lookFor(store.LookQuery{Worker: "w"})
	equal(f, []int{len(work.Wanted), len(work.Leftovers), len(work.Reports), len(work.Ending)}, []int{0, 0, 0, 0})
	work = f.lookFor(store.LookQuery{Worker: "w", Versions: true})
	equal(f, work.Wanted, []string{definition})
	equal(f, []int{len(work.Leftovers), len(work.Ending)}, []int{1, 0})
	f.change("p/c", func(c *store.Commit) { c.Total = []byte(`{"usd":"1"}`) })
	work = f.lookFor(store.LookQuery{Worker: "w", Children: true})
	equal(f, []any{len(work.Wanted), work.Leftovers[0].Child, work.Ending}, []any{0, "p/c", []string{"p"}})
	reports := sure(f.s.Reports(f.ctx, store.ReportQuery{}))
	equal(f, work.Reports, reports)
	equal(f, len(reports), 1)
}

// testLookTogether: of several workers that look at one time none is given what another has.
func testLookTogether(f *fixture) {
	runs := []string{}
	for i := range 30 {
		runs = append(runs, fmt.Sprintf("r%02d", i))
	}
	f.waiting(runs...)
	const workers = 4
	given := make(chan []string, workers)
	for i := range workers {
		go func() {
			var mine []string
			for range 4 {
				work, err := f.s.Look(f.ctx, store.LookQuery{Worker: fmt.Sprint("w", i), Now: f.now, Limit: 2 + i})
				if err != nil {
					f.Error(err)
				}
				mine = append(mine, dueIn(&work)...)
			}
			slices.Sort(mine)
			given <- slices.Compact(mine)
		}()
	}
	seen := map[string]bool{}
	for range workers {
		for _, run := range <-given {
			if seen[run] {
				f.Errorf("%s is handed out twice", run)
			}
			seen[run] = true
		}
	}
}
