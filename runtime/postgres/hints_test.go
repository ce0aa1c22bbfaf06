package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// watch listens with a store until the test ends. What it hears goes into a channel.
func watch(t *testing.T, s interface {
	Watch(context.Context, func(string)) error
}) (heard <-chan string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	hints, over := make(chan string, 1000), make(chan error, 1)
	go func() { over <- s.Watch(ctx, func(run string) { hints <- run }) }()
	t.Cleanup(func() {
		cancel()
		<-over
	})
	select {
	case first := <-hints:
		if first != "" {
			t.Fatalf("it hears of %q first", first)
		}
	case err := <-over:
		over <- err
		t.Fatalf("there are no hints: %v", err)
	}
	return hints
}

// hears waits for what is heard next.
func hears(t *testing.T, heard <-chan string) string {
	t.Helper()
	select {
	case run := <-heard:
		return run
	case <-time.After(time.Minute):
		t.Fatal("nothing was heard")
		return ""
	}
}

// TestWatch: a process hears of a task that another has started, at the latest when that one leaves, and not
// of its own, nor of a step that is of no interest.
func TestWatch(t *testing.T) {
	url := pgtest.URL(t)
	listener, other := open(t, url), open(t, url)
	heard := watch(t, listener)
	begin(t, listener, "own")
	begin(t, other, "r")
	work := func(s store.Store, run string) {
		c := next(t, s, run)
		c.Start = []store.TaskRow{{Run: run, Machine: "Order", Definition: "h", Do: "d", Activity: "a", Key: run, Seq: c.Run.Seq}}
		must(t, s.Commit(t.Context(), c))
	}
	work(listener, "own")
	must(t, other.Commit(t.Context(), next(t, other, "r")))
	work(other, "r")
	begin(t, other, "s")
	work(other, "s")
	must(t, other.Close())
	got := map[string]int{}
	for got["r"] == 0 || got["s"] == 0 {
		got[hears(t, heard)]++
	}
	if len(got) != 2 {
		t.Errorf("it heard %v", got)
	}
}

// TestWatchNothing: where a sender names no run any may be meant, and what is not of ours is passed over.
func TestWatchNothing(t *testing.T) {
	url := pgtest.URL(t)
	s := open(t, url)
	heard := watch(t, s)
	for _, payload := range []string{"nonsense", "[]", `["another process"]`, `["another process","last"]`} {
		must(t, pgtest.Exec(t.Context(), url, fmt.Sprintf("SELECT pg_notify('%s', '%s')", postgres.Channel(s), payload)))
	}
	if first, second := hears(t, heard), hears(t, heard); first != "" || second != "last" {
		t.Errorf("it heard %q and %q", first, second)
	}
}

// TestWatchEnds: with its context, and with the store; and there is none where there is no
// connection to spare.
func TestWatchEnds(t *testing.T) {
	url := pgtest.URL(t)
	s := open(t, url)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Watch(ctx, func(string) {}); err == nil {
		t.Error("it ends with its context, and gives no error")
	}
	over, begun := make(chan error, 1), make(chan bool, 1)
	go func() { over <- s.Watch(context.Background(), func(string) { begun <- true }) }()
	<-begun
	must(t, s.Close())
	if err := <-over; err == nil {
		t.Error("it ends with the store, and gives no error")
	}
	small := open(t, url+"&pool_max_conns=2")
	if err := small.Watch(t.Context(), func(string) { t.Error("a hint") }); err != nil {
		t.Error(err)
	}
}
