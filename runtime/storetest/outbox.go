package storetest

import (
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// outboxIDs are the messages that are the next of their run.
func outboxIDs(f *fixture) []string {
	return textsOf(sure(f.s.Outbox(f.ctx, "", 0)), func(m store.MessageRow) string { return m.ID })
}

// publish commits a step of a run that publishes messages with the numbers ns.
func publish(f *fixture, run string, ns ...int) {
	f.Helper()
	f.change(run, func(c *store.Commit) {
		for _, n := range ns {
			c.Publish = append(c.Publish, store.MessageRow{
				ID: fmt.Sprintf("%s.%d.%d", run, c.Run.Seq, n), Run: run, Seq: c.Run.Seq, N: n,
				Machine: "Order", Event: "Shipped", Data: []byte(`{"n":1}`), At: f.now,
			})
		}
	})
	f.pass(time.Second)
}

// take takes n messages at most of a run, or of any, and gives their ids.
func take(f *fixture, run string, n int) []string {
	rows := sure(f.s.TakeMessages(f.ctx, store.MessageQuery{Worker: "w", Now: f.now, Until: f.now.Add(ttl), Limit: n, Run: run}))
	return textsOf(rows, func(m store.MessageRow) string { return fmt.Sprintf("%s#%d", m.ID, m.Attempt) })
}

func testOutbox(f *fixture) {
	f.commit(f.create("r1"))
	f.commit(f.create("r2"))
	f.commit(f.create("r3"))
	equal(f, outboxIDs(f), []string{})
	equal(f, take(f, "", 9), []string{})
	at := f.now
	publish(f, "r2", 1)
	publish(f, "r1", 1, 2, 10)
	publish(f, "r2", 1)
	publish(f, "r3", 1)
	equal(f, outboxIDs(f), []string{"r2.2.1", "r1.2.1", "r3.2.1"})
	want := store.MessageRow{
		ID: "r2.2.1", Run: "r2", Seq: 2, N: 1, Machine: "Order", Event: "Shipped", Data: []byte(`{"n":1}`), At: at, Ready: at,
	}
	for _, run := range []string{"", "r2"} {
		equal(f, sure(f.s.Outbox(f.ctx, run, 1)), []store.MessageRow{want})
	}
	equal(f, take(f, "", 0), []string{})
	equal(f, take(f, "", 2), []string{"r2.2.1#1", "r1.2.1#1"})
	for _, step := range []struct {
		delivered string
		next      []string
	}{
		{"r2.2.1", []string{"r2.3.1#1", "r3.2.1#1"}},
		{"r1.2.1", []string{"r1.2.2#1"}}, // the others are held
		{"r1.2.2", []string{"r1.2.10#1"}},
		{"r3.2.1", []string{}},
		{"r1.2.10", []string{}},
		{"r2.3.1", []string{}},
	} {
		f.must(f.s.Delivered(f.ctx, step.delivered, 1, f.now))
		f.refused(f.s.Delivered(f.ctx, step.delivered, 1, f.now), machine.ErrFenced)
		equal(f, take(f, "", 9), step.next)
	}
	equal(f, outboxIDs(f), []string{})
	f.refused(f.s.Delivered(f.ctx, "no such", 1, f.now), store.ErrNotFound)
	f.refused(f.s.Undelivered(f.ctx, "no such", 1, f.now, ""), store.ErrNotFound)
	publish(f, "r1", 1)
	equal(f, outboxIDs(f), []string{"r1.3.1"})
}

// testOutboxLease lets who took a message be lost, and come back.
func testOutboxLease(f *fixture) {
	f.commit(f.create("r1"))
	f.commit(f.create("r2"))
	publish(f, "r1", 1, 2)
	publish(f, "r2", 1)
	equal(f, take(f, "r2", 9), []string{"r2.2.1#1"})
	equal(f, take(f, "r1", 9), []string{"r1.2.1#1"}) // one of a run
	equal(f, take(f, "r1", 9), []string{})
	equal(f, f.wake(), f.now.Add(ttl))
	f.pass(ttl)
	equal(f, take(f, "r1", 9), []string{"r1.2.1#2"})
	f.refused(f.s.Delivered(f.ctx, "r1.2.1", 1, f.now), machine.ErrFenced)
	f.refused(f.s.Undelivered(f.ctx, "r1.2.1", 1, f.now, "lost"), machine.ErrFenced)

	later := f.now.Add(time.Second)
	f.must(f.s.Undelivered(f.ctx, "r1.2.1", 2, later, "the receiver is down"))
	rows := sure(f.s.Outbox(f.ctx, "r1", 0))
	equal(f, len(rows), 1)
	equal(f, rows[0].Reason, "the receiver is down")
	equal(f, rows[0].Ready, later)
	equal(f, take(f, "r1", 9), []string{})
	equal(f, f.wake(), later)
	f.pass(time.Second)
	equal(f, take(f, "r1", 9), []string{"r1.2.1#3"})
	f.must(f.s.Delivered(f.ctx, "r1.2.1", 3, f.now))
	equal(f, take(f, "r1", 9), []string{"r1.2.2#1"})

	for _, run := range []string{"r", "r/2", "r/1", "r-"} { // a run, and those below it
		f.commit(f.create(run))
		publish(f, run, 1)
	}
	equal(f, take(f, "r", 2), []string{"r.2.1#1", "r/2.2.1#1"})
	equal(f, take(f, "r", 2), []string{"r/1.2.1#1"})
	equal(f, take(f, "r", 2), []string{})
}
