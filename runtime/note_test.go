package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestSendOptions: what generated code says of an event stands in history, and
// decides what it should.
func TestSendOptions(t *testing.T) {
	e := knowing(t, memstore.New(), door(t))
	start(t, e, "r", `{"owner":"me"}`)
	open := func(options ...SendOption) (machine.View, error) {
		return e.Send(t.Context(), "r", NewEvent("Open", json.RawMessage(`{"by":1}`), options...))
	}
	v, err := open(WithActor("ada"), WithReason("it knocked"), IfSeq(1), WithEventID("x"))
	if err != nil || v.Seq != 2 {
		t.Fatal(v, err)
	}
	steps, err := e.History(t.Context(), "r", 1, 0)
	if err != nil || len(steps) != 1 || steps[0].Actor != "ada" || steps[0].Reason != "it knocked" {
		t.Errorf("history: %+v, %v", steps, err)
	}
	if again, err := open(WithEventID("x")); err != nil || again.Seq != 2 || !again.Repeated || v.Repeated {
		t.Errorf("the same id again: %+v, %v", again, err)
	}
	send(t, e, "r", "Close", "")
	if _, err := open(IfSeq(2)); !errors.Is(err, store.ErrConflict) {
		t.Errorf("an older number: %v", err)
	}
	for _, other := range []machine.ExternalEvent{
		{Name: "Open", ID: "x", Data: json.RawMessage(`{"by":2}`)}, {Name: "Close", ID: "x"}, {Name: "Opne", ID: "x"},
	} {
		if _, err := e.Send(t.Context(), "r", other); !errors.Is(err, machine.ErrDuplicate) || !errors.As(err, new(*machine.Rejected)) {
			t.Errorf("%s: %v", other.Name, err)
		}
	}
	if v := get(t, e, "r"); v.Seq != 3 {
		t.Errorf("what was refused has changed the run: %+v", v)
	}
	if _, err := open(IfSeq(3)); err != nil {
		t.Error(err)
	}
}

// TestOversizedNotes: who and why are kept with each step, and are bounded.
func TestOversizedNotes(t *testing.T) {
	e := knowing(t, memstore.New(), door(t))
	before := start(t, e, "r", `{"owner":"me"}`)
	most, more := strings.Repeat("x", machine.MaxNote), strings.Repeat("x", machine.MaxNote+1)
	for name, try := range map[string]func() error{
		"actor": func() error {
			_, err := e.Send(t.Context(), "r", machine.ExternalEvent{Name: "Open", Data: []byte(`{"by":1}`), Actor: more})
			return err
		},
		"reason": func() error { _, err := e.Pause(t.Context(), "r", machine.Operator{Reason: more}); return err },
		"start": func() error {
			_, err := e.Start(t.Context(), door(t).Definition().Name, "other", []byte(`{"owner":"me"}`), Operator{Reason: more})
			return err
		},
		"cancel": func() error { _, err := e.Cancel(t.Context(), "r", CancelOptions{Reason: more}); return err },
	} {
		if err := try(); !errors.As(err, new(*machine.Rejected)) || !strings.Contains(err.Error(), "has 4097 bytes, more than the 4096 that are allowed") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := e.Prune(t.Context(), store.PruneQuery{Before: time.Now(), Actor: more}); err == nil {
		t.Error("prune takes any actor")
	}
	if got := get(t, e, "r"); got.Seq != before.Seq {
		t.Errorf("a refused input has changed the run: %+v", got)
	}
	if _, err := e.Send(t.Context(), "r", machine.ExternalEvent{Name: "Open", Data: []byte(`{"by":1}`), Actor: most, Reason: most}); err != nil {
		t.Error(err)
	}
}

// TestStartedBy: history says who started a run, and why.
func TestStartedBy(t *testing.T) {
	e := knowing(t, memstore.New(), door(t))
	must(t, errOf(e.Start(t.Context(), door(t).Definition().Name, "r", []byte(`{"owner":"me"}`), Operator{Actor: "ada", Reason: "it is cold"})))
	steps, err := e.History(t.Context(), "r", 0, 10)
	if err != nil || steps[0].Actor != "ada" || steps[0].Reason != "it is cold" {
		t.Errorf("%+v, %v", steps, err)
	}
	if err := e.Replay(t.Context(), "r"); err != nil {
		t.Error(err)
	}
}

// undelivered notes the reason with which a message came back.
type undelivered struct {
	store.Store
	reasons chan string
}

func (s undelivered) Undelivered(ctx context.Context, id string, attempt int, ready time.Time, reason string) error {
	s.reasons <- reason
	return s.Store.Undelivered(ctx, id, attempt, ready, reason)
}

// TestOversizedOutboxError: what a handler says is cut as the message of a
// failure is.
func TestOversizedOutboxError(t *testing.T) {
	store := undelivered{memstore.New(), make(chan string, 100)}
	e := NewEngine(store, WithOutbox(func(context.Context, *Message) error {
		return errors.New(strings.Repeat("x", machine.MaxMessage) + "\xff!")
	}))
	register(t, e, told(t), Handlers{})
	start(t, e, "r", "")
	defer run(t, e).stop()
	if reason := <-store.reasons; len(reason) != machine.MaxMessage {
		t.Errorf("a reason of %d bytes is stored", len(reason))
	}
}
