package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// told is a machine that publishes with each step: two messages at the start,
// one with Go, one at its end.
func told(t testing.TB) *machine.Machine {
	t.Helper()
	return Build(t, WithFields("n int = 0"), WithEvent("Go", ""), WithEvent("End", ""), WithEvent("Said", "what int"),
		WithState("Idle", Entering(Publishing("Said", "1"), Publishing("Said", "2")),
			On("Go", Stay(Publishing("Said", "3"))), On("End", GoTo("Done", Publishing("Said", "4")))),
		WithTerminal("Done", machine.Success))
}

// post is an outbox function that remembers what it was given.
type post struct {
	mu   sync.Mutex
	seen []string
	fail func(m *Message) error
}

func (p *post) deliver(_ context.Context, m *Message) error {
	if p.fail != nil {
		if err := p.fail(m); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, fmt.Sprintf("%s#%d%s", untold(m.ID), m.Attempt, m.Data))
	return nil
}

func (p *post) of(run string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.seen), func(s string) bool { return !strings.HasPrefix(s, run+"/") })
}

func TestDeliveredInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &post{}
		e := knowing(t, memstore.New(), told(t), WithOutbox(p.deliver))
		defer run(t, e).stop()
		for _, run := range []string{"a", "b"} {
			start(t, e, run, "")
			send(t, e, run, "Go", "")
			send(t, e, run, "End", "")
		}
		synctest.Wait()
		for _, run := range []string{"a", "b"} {
			want := []string{
				run + `/1/1#1{"what":1}`, run + `/1/2#1{"what":2}`, run + `/2/1#1{"what":3}`, run + `/3/1#1{"what":4}`,
			}
			if got := p.of(run); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
}

// TestDeliveredAgain has a receiver that is down for a while: what waits behind
// the message waits too, and RunUntilIdle waits for all of it.
func TestDeliveredAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failures := 0
		p := &post{fail: func(m *Message) error {
			if untold(m.ID) == "a/1/2" && failures < 3 {
				if failures++; failures == 2 {
					panic("worse")
				}
				return errors.New("the receiver is down")
			}
			return nil
		}}
		e := knowing(t, memstore.New(), told(t), WithOutbox(p.deliver))
		start(t, e, "a", "")
		send(t, e, "a", "End", "")
		began := time.Now()
		must(t, errOf(e.RunUntilIdle(t.Context(), "a")))
		want := []string{`a/1/1#1{"what":1}`, `a/1/2#4{"what":2}`, `a/2/1#1{"what":4}`}
		if got := p.of("a"); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if d := time.Since(began); d < 5*time.Second || d > 8*time.Second { // 1 s, 2 s and 4 s, each less up to a fifth
			t.Errorf("it took %s", d)
		}
	})
}

// TestNobodyDelivers leaves messages alone in an engine that has no outbox.
func TestNobodyDelivers(t *testing.T) {
	store := memstore.New()
	e := knowing(t, store, told(t))
	start(t, e, "a", "")
	must(t, errOf(e.RunUntilIdle(t.Context(), "a")))
	rows, err := store.Outbox(t.Context(), "", 0)
	if err != nil || len(rows) != 1 || rows[0].Attempt != 0 {
		t.Errorf("%+v, %v", rows, err)
	}
}

// TestDeliveryStops ends an engine while a receiver hangs: the message is
// released, and another engine delivers it.
func TestDeliveryStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		hangs := NewEngine(store, WithGrace(time.Second), WithLease(time.Hour), WithOutbox(func(ctx context.Context, _ *Message) error {
			<-ctx.Done()
			return ctx.Err()
		}))
		register(t, hangs, told(t), Handlers{})
		start(t, hangs, "a", "")
		stop := run(t, hangs).stop
		synctest.Wait()
		stop()
		p := &post{}
		e := NewEngine(store, WithOutbox(p.deliver))
		must(t, errOf(e.RunUntilIdle(t.Context(), "a")))
		if got, want := p.of("a"), []string{`a/1/1#2{"what":1}`, `a/1/2#1{"what":2}`}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestDeliveryThatDoesNotStop: an engine stops all the same, and the message is
// delivered again by another.
func TestDeliveryThatDoesNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, hang, p := memstore.New(), make(chan struct{}), &post{}
		e := knowing(t, store, told(t), WithOutbox(func(context.Context, *Message) error { <-hang; return nil }))
		ctx, cancel := context.WithCancel(t.Context())
		stopped := make(chan error, 1)
		go func() { stopped <- e.Run(ctx) }()
		start(t, e, "r", "")
		time.Sleep(time.Second)
		cancel()
		select {
		case err := <-stopped:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Hour):
			t.Error("it does not stop")
		}
		other := knowing(t, store, told(t), WithOutbox(p.deliver))
		if _, err := other.RunUntilIdle(t.Context(), "r"); err != nil {
			t.Error(err)
		}
		if got := p.of("r"); len(got) != 2 || !strings.Contains(got[0], "#2") {
			t.Error(got)
		}
		close(hang)
	})
}
