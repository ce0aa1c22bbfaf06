package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

func (f *fixture) feed(after int64, limit int) []store.FeedRow {
	return sure(f.s.Feed(f.ctx, after, limit))
}

func (f *fixture) feedEnd() int64 {
	return sure(f.s.FeedEnd(f.ctx))
}

func (f *fixture) changed() int64 {
	return sure(f.s.Changed(f.ctx))
}

// fedSteps are the runs and numbers of records.
func fedSteps(rows []store.FeedRow) []string {
	return textsOf(rows, func(r store.FeedRow) string { return fmt.Sprintf("%s %d", r.Run, r.Seq) })
}

func testFeed(f *fixture) {
	equal(f, len(f.feed(0, 0)), 0)
	begin, before := f.feedEnd(), f.changed()
	f.commit(f.create("r1"))
	if after := f.changed(); after == before {
		f.Error("the number is the same after a commit")
	}
	f.commit(f.create("r2"))
	f.pass(time.Second)
	c := f.next("r1") // of several records
	more := c.History[0]
	more.Seq, more.From, more.Input = more.Seq+1, c.History[0].To, "done"
	c.History, c.Run.Seq = append(c.History, more), more.Seq
	f.commit(c)
	f.move("r2", "Done", machine.Moved, machine.Finished, machine.Success)

	rows := f.feed(begin, 0)
	equal(f, fedSteps(rows), []string{"r1 1", "r2 1", "r1 2", "r1 3", "r2 2"})
	equal(f, fedSteps(f.feed(rows[1].ID, 2)), []string{"r1 2", "r1 3"})
	equal(f, len(f.feed(rows[4].ID, 0)), 0)
	equal(f, f.feedEnd() >= rows[4].ID, true)
	equal(f, len(f.feed(f.feedEnd(), 0)), 0)
	equal(f, f.feed(rows[2].ID, 1)[0], store.FeedRow{ID: rows[3].ID, Machine: "Order", HistoryRow: f.history("r1")[2]})
	for i, row := range rows {
		if row.ID <= begin || i > 0 && row.ID <= rows[i-1].ID {
			f.Errorf("the positions do not rise: %d at %d", row.ID, i)
		}
	}
	rows[0].Record[0] = 'x' // is the caller's
	equal(f, string(f.feed(begin, 1)[0].Record), `{"seq":1}`)

	bad := f.next("r1")
	bad.Expect--
	bad.Run.Seq--
	bad.History[0].Seq--
	f.refused(f.s.Commit(f.ctx, bad), store.ErrConflict)
	equal(f, len(f.feed(rows[4].ID, 0)), 0)
}

// testFeedPruned: what is pruned leaves the feed, and who has read up to it misses nothing of
// what comes then.
func testFeedPruned(f *fixture) {
	f.commit(f.create("old"))
	f.commit(f.create("r"))
	f.move("old", "Done", machine.Moved, machine.Finished, machine.Success)
	seen := f.feed(0, 0)
	last := seen[len(seen)-1].ID
	equal(f, fedSteps(seen), []string{"old 1", "r 1", "old 2"})
	prune := func(want int64) {
		f.Helper()
		equal(f, sure(f.s.Prune(f.ctx, store.PruneQuery{Before: f.now.Add(time.Hour), Limit: 10, Now: f.now.Add(time.Hour)})).Runs, want)
	}
	prune(1)
	equal(f, fedSteps(f.feed(0, 0)), []string{"r 1"})
	if end := f.feedEnd(); end < last {
		f.Errorf("the end has fallen from %d to %d", last, end)
	}
	f.commit(f.create("new"))
	f.commit(f.next("r"))
	equal(f, fedSteps(f.feed(last, 0)), []string{"new 1", "r 2"})
	f.move("r", "Done", machine.Moved, machine.Finished, machine.Failed)
	f.move("new", "Done", machine.Moved, machine.Finished, machine.Failed)
	last = f.feedEnd()
	prune(2) // all that there is
	equal(f, len(f.feed(0, 0)), 0)
	f.commit(f.create("old")) // an id that was there before
	f.commit(f.next("old"))
	equal(f, fedSteps(f.feed(last, 0)), []string{"old 1", "old 2"})
	equal(f, len(f.history("old")), 2)
	runs, steps, _ := countsOf(f, "", time.Time{})
	equal(f, runs, map[string]int64{"Order Idle running": 1})
	all := 0
	for _, n := range steps {
		all += int(n)
	}
	equal(f, all, 9) // those of pruned runs among them
}

// testFeedConcurrent: who reads while others write is given each record once, in the order of
// its run, and misses none.
func testFeedConcurrent(f *fixture) {
	const runs, steps = 8, 25
	Follow(f.T, f.s, runs, steps, func() {
		var wait sync.WaitGroup
		for i := range runs {
			wait.Go(func() {
				c := f.create(fmt.Sprintf("r%d", i))
				for range steps {
					if err := f.s.Commit(f.ctx, c); err != nil {
						f.Error(err)
						return
					}
					c = f.step(c.Run, machine.EventInput)
				}
			})
		}
		wait.Wait()
	})
}
