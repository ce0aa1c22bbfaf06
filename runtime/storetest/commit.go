package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

func testDefinitions(f *fixture) {
	want := store.DefinitionRow{Hash: "h2", Machine: "M", Source: "s", Definition: json.RawMessage(`{"a":1}`)}
	f.must(f.s.PutDefinition(f.ctx, want))
	again := want
	again.Source = "another text that compiles to the same"
	f.must(f.s.PutDefinition(f.ctx, again))
	equal(f, sure(f.s.Definition(f.ctx, "h2")), want)
	_, err := f.s.Definition(f.ctx, "h3")
	f.refused(err, store.ErrNotFound)
}

func equal(f *fixture, got, want any) {
	f.Helper()
	if !reflect.DeepEqual(got, want) {
		f.Fatalf("\ngot  %+v\nwant %+v", got, want)
	}
}

// textsOf are the texts of rows; not nil where there are none.
func textsOf[T any](rows []T, text func(T) string) []string {
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = text(row)
	}
	return texts
}

// testOtherBytes: nothing is found by a text that no database may be able to keep.
func testOtherBytes(f *fixture) {
	f.commit(f.create("r"))
	for _, text := range []string{"r\xff", "r\x00"} {
		f.missing(text)
		_, err := f.s.Definition(f.ctx, text)
		f.refused(err, store.ErrNotFound)
		equal(f, len(sure(f.s.History(f.ctx, text, 0, 0))), 0)
		equal(f, len(sure(f.s.Tasks(f.ctx, text))), 0)
		equal(f, len(sure(f.s.Runs(f.ctx, store.RunFilter{Run: text}))), 0)
		equal(f, len(sure(f.s.Runs(f.ctx, store.RunFilter{RunPrefix: text}))), 0)
		f.accepted("r", text, "", false)
	}
}

func testLoad(f *fixture) {
	f.missing("r")
	c := f.create("r")
	c.Run.Started = f.now.Add(789 * time.Nanosecond).In(time.FixedZone("here", 3600))
	f.commit(c)
	want := c.Run
	want.Started = f.now // UTC, to the microsecond
	equal(f, f.load("r"), want)

	f.pass(time.Hour)
	c = f.next("r")
	c.Run.State, c.Run.Status, c.Run.Outcome = "Done", machine.Finished, machine.Success
	c.Run.Entered, c.Run.Paused = f.now, true
	f.commit(c)
	equal(f, f.load("r"), c.Run)
}

func testCommitRefused(f *fixture) {
	f.commit(f.create("r"))
	before := f.load("r")
	f.refused(f.s.Commit(f.ctx, f.create("r")), machine.ErrExists)
	stale := f.next("r")
	f.commit(f.next("r"))
	refusal := f.s.Commit(f.ctx, stale)
	f.refused(refusal, store.ErrConflict)
	var moved *store.Conflict
	if errors.As(refusal, &moved) { // the row is at hand
		equal(f, moved.Run, f.load("r"))
	}
	early := f.step(store.RunRow{
		Run: "r", Machine: "Order", Definition: definition, State: "Idle", Status: machine.Running, Seq: 7,
	}, machine.EventInput)
	f.refused(f.s.Commit(f.ctx, early), store.ErrConflict)
	another := f.next("r") // as someone knows it who has not seen that it was pruned and begun again
	another.Run.Started = another.Run.Started.Add(-time.Second)
	f.refused(f.s.Commit(f.ctx, another), store.ErrConflict)
	none := f.step(before, machine.EventInput)
	none.Run.Run, none.History[0].Run = "no such", "no such"
	f.refused(f.s.Commit(f.ctx, none), store.ErrNotFound)
	unknown := f.create("r2")
	unknown.Run.Definition = "never put"
	f.refused(f.s.Commit(f.ctx, unknown), store.ErrNotFound)
	if n := len(f.history("r")); n != 2 {
		f.Fatalf("%d records after two commits that succeeded", n)
	}
}

func testOrderOfRefusals(f *fixture) {
	c := f.create("r")
	c.EventID = "e1"
	f.start(c, "a")
	f.commit(c)
	f.refused(f.s.Commit(f.ctx, c), machine.ErrDuplicate) // before ErrExists
	wrong := f.next("r")
	wrong.Claim = &store.Claim{Run: "r", Do: "a", Seq: 1, Epoch: 99}
	f.refused(f.s.Commit(f.ctx, wrong), machine.ErrFenced)
	f.commit(f.next("r"))
	f.refused(f.s.Commit(f.ctx, wrong), store.ErrConflict) // before ErrFenced
	wrong.EventID = "e1"
	f.refused(f.s.Commit(f.ctx, wrong), machine.ErrDuplicate) // before both
}

// full is a commit with something of everything.
func (f *fixture) full(c *store.Commit) *store.Commit {
	f.start(c, "b")
	c.Set = []store.TimerRow{{Run: c.Run.Run, Name: "after 1h", Due: f.now.Add(time.Hour)}}
	c.Publish = []store.MessageRow{{
		ID: "m1", Run: c.Run.Run, Seq: c.Run.Seq, N: 1, Machine: "Order", Event: "Shipped",
		Data: json.RawMessage(`{"n":1}`), At: f.now,
	}}
	c.EventID, c.Answer = "e1", json.RawMessage(`{"state":"Idle"}`)
	return c
}

// testAtomic refuses a full commit for each reason there is, the last ones
// late in the write, and looks that nothing of it is there.
func testAtomic(f *fixture) {
	f.begin("r")
	other := f.create("other")
	other.Publish = []store.MessageRow{{ID: "taken", Run: "other", Seq: 1, N: 1, Event: "E", At: f.now}}
	f.commit(other)
	before := f.load("r")
	for name, spoil := range map[string]func(c *store.Commit){
		"conflict":        func(c *store.Commit) { c.Expect++; c.Run.Seq++; c.History[0].Seq++ },
		"fenced":          func(c *store.Commit) { c.Claim = &store.Claim{Run: "r", Do: "a", Seq: 1, Epoch: 1} },
		"open task":       func(c *store.Commit) { f.start(c, "a") },
		"two of one do":   func(c *store.Commit) { f.start(c, "b") },
		"message id":      func(c *store.Commit) { c.Publish[0].ID = "taken" },
		"no definition":   func(c *store.Commit) { c.Run.Definition = "never put" },
		"two of one name": func(c *store.Commit) { c.Publish = append(c.Publish, c.Publish[0]) },
	} {
		f.Run(name, func(t *testing.T) {
			c := f.full(f.next("r"))
			spoil(c)
			if err := f.s.Commit(f.ctx, c); err == nil {
				t.Fatal("it was written")
			}
			equal(f, f.load("r"), before)
			equal(f, len(f.history("r")), 1)
			equal(f, len(f.tasks("r")), 1)
			equal(f, len(sure(f.s.Due(f.ctx, f.now.Add(24*time.Hour), 0))), 0)
			f.accepted("r", "e1", "", false)
			equal(f, outboxIDs(f), []string{"taken"})
		})
	}
	f.commit(f.full(f.next("r")))
	equal(f, sure(f.s.Timers(f.ctx, "r")), []store.TimerRow{{Run: "r", Name: "after 1h", Due: f.now.Add(time.Hour)}})
	equal(f, len(sure(f.s.Timers(f.ctx, "other"))), 0)
	equal(f, len(f.history("r")), 2)
	equal(f, len(f.tasks("r")), 2)
}

func testMalformed(f *fixture) {
	f.begin("r")
	for name, spoil := range map[string]func(c *store.Commit){
		"no run":            func(c *store.Commit) { c.Run.Run = "" },
		"gap":               func(c *store.Commit) { c.History[0].Seq++ },
		"too few records":   func(c *store.Commit) { c.Run.Seq++ },
		"record of another": func(c *store.Commit) { c.History[0].Run = "x" },
		"task of another":   func(c *store.Commit) { f.start(c, "b").Run = "x" },
		"claim of another":  func(c *store.Commit) { c.Claim = &store.Claim{Run: "x"} },
		"timer of another":  func(c *store.Commit) { c.Set = []store.TimerRow{{Run: "x"}} },
		"nothing":           func(c *store.Commit) { c.Run.Seq, c.History = c.Expect, nil },
		"child of a step":   func(c *store.Commit) { c.Run.Parent, c.Run.Root, c.Parent = "r", "r", &store.Claim{Run: "r"} },
	} {
		c := f.next("r")
		spoil(c)
		if err := f.s.Commit(f.ctx, c); err == nil {
			f.Errorf("%s: it was written", name)
		}
	}
	for name, spoil := range map[string]func(c *store.Commit){
		"child without a claim": func(c *store.Commit) { c.Run.Parent, c.Run.Root = "r", "r" },
		"claim of a root":       func(c *store.Commit) { c.Parent = &store.Claim{Run: "r"} },
		"claim of another":      func(c *store.Commit) { c.Run.Parent, c.Run.Root, c.Parent = "r", "r", &store.Claim{Run: "x"} },
		"child without a root":  func(c *store.Commit) { c.Run.Parent, c.Parent = "r", &store.Claim{Run: "r"} },
		"child as the root":     func(c *store.Commit) { c.Run.Parent, c.Run.Root, c.Parent = "r", "new", &store.Claim{Run: "r"} },
		"another root":          func(c *store.Commit) { c.Run.Root = "r" },
	} {
		c := f.create("new")
		spoil(c)
		if err := f.s.Commit(f.ctx, c); err == nil || errors.Is(err, machine.ErrFenced) {
			f.Errorf("%s: %v", name, err)
		}
	}
	equal(f, len(f.history("r")), 1)
}

func testWithoutRecords(f *fixture) {
	f.commit(f.create("r"))
	before := f.load("r")
	c := f.next("r")
	c.Run.Seq, c.History, c.Run.State = c.Expect, nil, "Elsewhere"
	c.EventID, c.Answer = "e1", json.RawMessage(`1`)
	f.commit(c)
	equal(f, f.load("r"), before)
	f.accepted("r", "e1", "1", true)
}

func testEventIDs(f *fixture) {
	f.commit(f.create("r"))
	f.commit(f.create("other"))
	f.accepted("r", "e1", "", false)
	c := f.next("r")
	c.EventID, c.Answer = "e1", json.RawMessage(`{"state":"Paid"}`)
	f.commit(c)
	again := f.next("r")
	again.EventID = "e1"
	refusal := f.s.Commit(f.ctx, again)
	f.refused(refusal, machine.ErrDuplicate)
	var duplicate *store.Duplicate
	if !errors.As(refusal, &duplicate) || string(duplicate.Answer) != `{"state":"Paid"}` {
		f.Fatalf("%v has no answer", refusal)
	}
	f.accepted("r", "e1", `{"state":"Paid"}`, true)
	f.change("other", func(c *store.Commit) { c.EventID = "e1" }) // an id is of one run
	none, ok, err := f.s.Accepted(f.ctx, "other", "e1")
	f.must(err)
	equal(f, ok, true)
	equal(f, none == nil, true)
	for range 2 { // no id is no id twice
		f.commit(f.next("r"))
	}
}

// testCopies looks that callers may use their memory again.
func testCopies(f *fixture) {
	c := f.full(f.create("r"))
	f.commit(c)
	want := f.load("r")
	for _, j := range []json.RawMessage{c.Run.Snapshot, c.History[0].Record, c.Publish[0].Data, c.Answer} {
		clear(j)
	}
	clear(f.load("r").Snapshot)
	equal(f, f.load("r"), want)
	equal(f, string(f.history("r")[0].Record), `{"seq":1}`)
	equal(f, string(sure(f.s.Outbox(f.ctx, "", 0))[0].Data), `{"n":1}`)
}

func testGivenUp(f *fixture) {
	f.commit(f.create("r"))
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	f.refused(f.s.Commit(ctx, f.next("r")), context.Canceled)
	_, err := f.s.Load(ctx, "r")
	f.refused(err, context.Canceled)
	equal(f, f.load("r").Seq, int64(1))
}

func testClosed(f *fixture) {
	f.commit(f.create("r"))
	next := f.next("r")
	f.must(f.s.Close())
	f.must(f.s.Close())
	_, load := f.s.Load(f.ctx, "r")
	_, claim := f.s.Claim(f.ctx, f.query("w1", 1))
	_, due := f.s.Due(f.ctx, f.now, 1)
	for _, err := range []error{f.s.Commit(f.ctx, next), load, claim, due} {
		if !errors.Is(err, store.ErrClosed) {
			f.Errorf("after Close: %v", err)
		}
	}
}
