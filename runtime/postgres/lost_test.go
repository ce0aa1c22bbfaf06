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

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// begin creates a run.
func begin(t testing.TB, s store.Store, run string) {
	t.Helper()
	err := s.PutDefinition(t.Context(), store.DefinitionRow{Hash: "h", Machine: "Order", Definition: []byte(`{}`)})
	if err == nil {
		err = s.Commit(t.Context(), step(store.RunRow{
			Run: run, Machine: "Order", Definition: "h", State: "Idle", Status: machine.Running, Started: noon, Entered: noon,
		}))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// next is a commit that takes a run one step on.
func next(t testing.TB, s store.Store, run string) *store.Commit {
	t.Helper()
	row, err := s.Load(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	return step(row)
}

func step(row store.RunRow) *store.Commit {
	c := &store.Commit{Run: row, Expect: row.Seq}
	c.Run.Seq++
	c.Run.Updated = noon.Add(time.Duration(c.Run.Seq) * time.Second)
	c.Run.Snapshot = fmt.Appendf(nil, `{"seq":%d}`, c.Run.Seq)
	c.History = []store.HistoryRow{{Run: row.Run, Seq: c.Run.Seq, At: c.Run.Updated, Kind: machine.EventInput, Input: "Go",
		From: row.State, To: row.State, Effect: machine.Moved, Record: []byte(`{}`)}}
	c.EventID = fmt.Sprint(c.Run.Seq)
	return c
}

// What the client sends when a write is made: the COMMIT of a transaction, or a batch with a step
// in it, whose end is its COMMIT.
const (
	ofCommit = "commit\x00"
	ofBatch  = `{"seq":`
)

// proxy stands between a store and its server, and cuts connections at writes.
type proxy struct {
	url    string
	before atomic.Int64 // how many writes do not reach the server
	after  atomic.Int64 // of how many writes the reply is lost
}

func newProxy(t *testing.T, to, mark string) *proxy {
	t.Helper()
	between := between(t, to)
	p := &proxy{url: between.URL()}
	between.Client(func(m *pgproxy.Message) pgproxy.Verdict {
		switch {
		case !bytes.Contains(m.Bytes, []byte(mark)):
			return pgproxy.Pass
		case p.before.Add(-1) >= 0:
			return pgproxy.Cut
		case p.after.Add(-1) >= 0:
			return pgproxy.Deafen
		}
		return pgproxy.Pass
	})
	return p
}

// between is a proxy in front of a database.
func between(t testing.TB, to string) *pgproxy.Proxy {
	t.Helper()
	p, err := pgproxy.New(to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// TestLostReplies: a commit whose reply is lost is made once, and said to be made; so is one
// that has not reached the server. It is the same in a batch and alone.
func TestLostReplies(t *testing.T) {
	t.Run("batch", func(t *testing.T) {
		loseReplies(t, ofBatch, func(*store.Commit) {})
	})
	t.Run("alone", func(t *testing.T) {
		loseReplies(t, ofCommit, func(c *store.Commit) {
			row := c.Run
			row.Seq--
			c.Repairs = &row
		})
	})
}

// loseReplies takes steps of a kind. The reply to some is lost once, to others twice; some do
// not reach the server first.
func loseReplies(t *testing.T, mark string, kind func(*store.Commit)) {
	at := pgtest.URL(t)
	direct := open(t, at)
	p := newProxy(t, at, mark)
	s := open(t, p.url)
	begin(t, s, "r")
	for i := range int64(10 * faults(t, 2)) {
		c := next(t, direct, "r")
		if kind(c); i%4 == 3 {
			c.EventID = "" // the history alone tells
		}
		p.before.Store(i % 2)
		p.after.Store(i % 3)
		if err := s.Commit(t.Context(), c); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		if row, err := direct.Load(t.Context(), "r"); err != nil || row.Seq != i+2 {
			t.Fatalf("%d: it is at %d, %v", i, row.Seq, err)
		}
		if p.before.Load() > 0 || i%3 > 0 && p.after.Load() == i%3 {
			t.Fatalf("%d: nothing was lost", i)
		}
	}
	again := next(t, direct, "r")
	kind(again)
	p.before.Store(0)
	p.after.Store(1)
	if err := s.Commit(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(t.Context(), again); !errors.Is(err, machine.ErrDuplicate) {
		t.Errorf("a second send: %v", err)
	}
	again.EventID = ""
	if err := s.Commit(t.Context(), again); !errors.Is(err, store.ErrConflict) {
		t.Errorf("another commit at the same number: %v", err)
	}
}

// TestLostReplyOfAnother: the step of another process is no success of ours.
func TestLostReplyOfAnother(t *testing.T) {
	at := pgtest.URL(t)
	direct := open(t, at)
	p := newProxy(t, at, ofBatch)
	s := open(t, p.url)
	begin(t, s, "r")
	ours, theirs := next(t, direct, "r"), next(t, direct, "r")
	ours.EventID, theirs.EventID = "", ""
	if err := direct.Commit(t.Context(), theirs); err != nil {
		t.Fatal(err)
	}
	p.before.Store(1)
	if err := s.Commit(t.Context(), ours); !errors.Is(err, store.ErrConflict) {
		t.Errorf("got %v", err)
	}
}

// TestUnknown: of another write whose reply is lost no one says that it was not made.
func TestUnknown(t *testing.T) {
	at := pgtest.URL(t)
	p := newProxy(t, at, ofCommit)
	s := open(t, p.url)
	p.after.Store(1)
	err := s.PutDefinition(t.Context(), store.DefinitionRow{Hash: "h2", Machine: "M", Definition: []byte("{}")})
	if !errors.Is(err, store.ErrUnknown) || !errors.Is(err, postgres.ErrServer) {
		t.Errorf("got %v", err)
	}
}

// TestCutAnywhere: a connection that ends behind any message of the server, or before any of the
// client, while a step is made leaves it made, once.
func TestCutAnywhere(t *testing.T) {
	at := pgtest.URL(t)
	direct := open(t, at)
	p := between(t, at)
	s := open(t, p.URL())
	begin(t, s, "r")
	var messages atomic.Int64 // until the one before which the connection is cut
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
			c := next(t, direct, "r")
			messages.Store(was)
			if err := s.Commit(t.Context(), c); err != nil {
				t.Fatalf("cut before message %d: %v", was, err)
			}
			if row, err := direct.Load(t.Context(), "r"); err != nil || row.Seq != c.Run.Seq {
				t.Fatalf("cut before message %d: it is at %d, %v; want %d", was, row.Seq, err, c.Run.Seq)
			}
			if messages.Load() > 0 { // nothing was cut
				break
			}
		}
		if was < 5 {
			t.Errorf("it was cut %d times", was)
		}
		set(nil)
	}
}

// TestBlackHole: while nothing gets through, one way or both, no call says that it has done what
// it has not; what was asked before is done once.
func TestBlackHole(t *testing.T) {
	for _, way := range [][2]bool{{true, true}, {true, false}, {false, true}} {
		at := pgtest.URL(t)
		direct := open(t, at)
		p := between(t, at)
		s := open(t, p.URL())
		begin(t, s, "r")
		c := next(t, direct, "r")
		p.Hole(way[0], way[1])
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		if err := s.Commit(ctx, c); err == nil {
			t.Errorf("%v: it says that it is written", way)
		}
		cancel()
		p.Hole(false, false)
		if err := s.Commit(t.Context(), c); err != nil && !errors.Is(err, machine.ErrDuplicate) {
			t.Errorf("%v: sent again: %v", way, err)
		}
		if row, err := direct.Load(t.Context(), "r"); err != nil || row.Seq != c.Run.Seq {
			t.Errorf("%v: it is at %d, %v", way, row.Seq, err)
		}
	}
}

// TestStoppedWithin: a process that stops in the middle of a write has its rows locked for a while only. Its write is
// taken back, and done again when it continues.
func TestStoppedWithin(t *testing.T) {
	t.Cleanup(postgres.IdleLimit("'50ms'"))
	url := pgtest.URL(t)
	stopped, other := open(t, url), open(t, url)
	begin(t, other, "r")
	c := next(t, other, "r")
	times := 0
	err := postgres.Write(t.Context(), stopped, "UPDATE @runs SET told = 'x' WHERE run = 'r'", func() {
		if times++; times == 1 {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if err := other.Commit(ctx, c); err != nil {
				t.Errorf("another process: %v", err)
			}
		}
	})
	if err != nil || times != 2 {
		t.Errorf("done %d times, %v", times, err)
	}
	if row, err := stopped.Load(t.Context(), "r"); err != nil || row.Seq != c.Run.Seq {
		t.Errorf("it is at %d, %v", row.Seq, err)
	}
}
