package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestIDUsedAgain: the id of a run that was pruned is given to another. Its keys and
// the ids of its messages are others, and what an attempt of the first returns, and
// has used, is none of the second.
func TestIDUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		e := NewEngine(memstore.New(), WithConcurrency(1), WithStopping(time.Second), WithOutbox(func(_ context.Context, m *Message) error {
			told = append(told, m.ID)
			return nil
		}))
		var keys []string
		hang := make(chan struct{})
		m := Build(t, WithEvent("Found", "n int"), WithEvent("Told", ""), WithActivity("work", "", "Found", ""),
			WithState("Working", Entering(Publishing("Told")), Doing("work", nil), On("Found", GoTo("Done")), On("failed", GoTo("Broken"))),
			WithTerminal("Done", machine.Success), WithTerminal("Broken", machine.Failed))
		register(t, e, m, Handlers{Activities: map[string]ActivityFunc{"work": func(_ context.Context, a *Attempt) (Result, error) {
			keys = append(keys, a.Key)
			r := Result{Event: "Found", Data: json.RawMessage(`{"n":1}`)}
			if len(keys) == 1 {
				<-hang // whatever its context says
				r.Cost = map[string]json.Number{"usd": "501"}
			}
			return r, nil
		}}})
		defer run(t, e).stop()
		start(t, e, "r", "")
		synctest.Wait() // it works
		must(t, errOf(e.Cancel(t.Context(), "r", CancelOptions{Force: true})))
		time.Sleep(time.Hour)
		if done, err := e.Prune(t.Context(), store.PruneQuery{Before: time.Now()}); err != nil || done.Runs != 1 {
			t.Fatalf("%+v, %v", done, err)
		}
		start(t, e, "r", "")
		close(hang) // only when that is dealt with has the worker room for the second
		synctest.Wait()
		v := get(t, e, "r")
		if v.State != "Done" || len(v.Costs) != 0 {
			t.Errorf("%+v", v)
		}
		wantLines(t, e, "r", "start>Working Found>Done")
		if len(keys) != 2 || keys[0] == keys[1] || len(told) != 2 || told[0] == told[1] {
			t.Errorf("keys %q, messages %q", keys, told)
		}
	})
}

// TestLateOfAnother: a run takes no note of an attempt that is none of its own.
func TestLateOfAnother(t *testing.T) {
	m := job(t, nil)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s, _, _, err := m.Step(m.NewSnapshot("r", 1), machine.Input{Kind: machine.StartInput, Token: "abc1"}, now, nil)
	must(t, err)
	for key, own := range map[string]bool{
		"r@abc1/Working/work/1": true, "r/Working/work/1": false, "r@abc/Working/work/1": false, "q/Working/work/1": false,
	} {
		_, _, _, err := m.Step(s, machine.Input{Kind: machine.LateInput, Key: key, Attempt: 1, Message: "Found"}, now, nil)
		if own != (err == nil) || !own && !errors.Is(err, machine.ErrFenced) {
			t.Errorf("%s: %v", key, err)
		}
	}
	for _, token := range []string{"A", "a/b", "é", strings.Repeat("a", 33)} {
		if _, _, _, err := m.Step(m.NewSnapshot("r", 1), machine.Input{Kind: machine.StartInput, Token: token}, now, nil); err == nil {
			t.Errorf("%q is taken for a token", token)
		}
	}
}
