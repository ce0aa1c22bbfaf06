package runtime_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// orders is a store with steps of a machine Order that are written by hand.
type orders struct {
	t *testing.T
	*memstore.Store
	seq     map[string]int64
	started map[string]time.Time
}

func newOrders(t *testing.T) *orders {
	t.Helper()
	o := &orders{t, memstore.New(), map[string]int64{}, map[string]time.Time{}}
	definition := `{"format":1,"name":"Order","states":[{"path":"","kind":"composite","parent":-1},
		{"path":"Idle","kind":"leaf"},{"path":"Busy","kind":"leaf"},{"path":"Done","kind":"terminal","outcome":"success"}]}`
	must(t, o.PutDefinition(t.Context(), store.DefinitionRow{Hash: "h", Machine: "Order", Definition: []byte(definition)}))
	return o
}

// step writes one.
func (o *orders) step(run string, at time.Time, kind machine.InputKind, from, to string) {
	o.t.Helper()
	if o.seq[run]++; o.seq[run] == 1 {
		o.started[run] = at
	}
	status, outcome := machine.Running, machine.Outcome("")
	if to == "Done" {
		status, outcome = machine.Finished, machine.Success
	}
	row := store.RunRow{Run: run, Machine: "Order", Definition: "h", State: to, Status: status, Outcome: outcome, Seq: o.seq[run], Started: o.started[run], Entered: at, Updated: at}
	if err := o.Commit(o.t.Context(), &store.Commit{Run: row, Expect: o.seq[run] - 1, History: []store.HistoryRow{
		{Run: run, Seq: o.seq[run], At: at, Kind: kind, Input: "Go", From: from, To: to, Effect: machine.Moved, Record: []byte("{}")}}}); err != nil {
		o.t.Fatal(err)
	}
}

// TestThroughput: each step of the last hour counts once, in its minute, whoever asks and how often.
func TestThroughput(t *testing.T) {
	o := newOrders(t)
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := runtime.NewManualClock(noon.Add(30 * time.Second))
	e := runtime.NewEngine(o, runtime.WithClock(clock))
	said := func() (text string) {
		t.Helper()
		got, err := e.Throughput(t.Context())
		must(t, err)
		minutes := got.Of("Order")
		if len(minutes) != store.MinutesShown || len(got.Of("Nothing")) != store.MinutesShown {
			t.Errorf("%d minutes", len(minutes))
		}
		for _, m := range minutes {
			if m.Steps > 0 {
				text += fmt.Sprintf("%s %d/%d/%d ", m.Minute.Format("15:04"), m.Started, m.Ended, m.Steps)
			}
		}
		if got.Behind {
			text += "behind"
		}
		return text
	}
	if got := said(); got != "" {
		t.Errorf("of no steps: %q", got)
	}
	o.step("old", noon.Add(-time.Hour), machine.StartInput, "", "Idle")
	o.step("a", noon.Add(-59*time.Minute), machine.StartInput, "", "Idle")
	o.step("b", noon.Add(-time.Minute), machine.StartInput, "", "Idle")
	o.step("b", noon.Add(-time.Minute), machine.EventInput, "Idle", "Done")
	o.step("a", noon, machine.EventInput, "Idle", "Busy")
	want := "11:01 1/0/1 11:59 1/1/2 12:00 0/0/1 "
	for range 2 {
		if got := said(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	o.step("a", noon, machine.EventInput, "Busy", "Done")
	clock.Advance(time.Minute)
	if got, want := said(), "11:59 1/1/2 12:00 0/1/2 "; got != want {
		t.Errorf("a minute later: got %q, want %q", got, want)
	}
	if again, err := runtime.NewEngine(o, runtime.WithClock(clock)).Throughput(t.Context()); err != nil || again.Of("Order")[58].Steps != 2 {
		t.Errorf("another engine: %v %v", again.Of("Order"), err)
	}
	clock.Advance(3 * time.Hour)
	o.step("c", noon.Add(3*time.Hour), machine.StartInput, "", "Idle")
	if got, want := said(), "15:00 1/0/1 "; got != want {
		t.Errorf("hours later: got %q, want %q", got, want)
	}
}

// TestThroughputBehind: an hour of many steps is counted by several calls.
func TestThroughputBehind(t *testing.T) {
	o := newOrders(t)
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	const runs = 10_500
	for i := range runs {
		o.step(fmt.Sprint("r", i), noon, machine.StartInput, "", "Idle")
	}
	e := runtime.NewEngine(o, runtime.WithClock(runtime.NewManualClock(noon)))
	for _, want := range []struct {
		steps  int64
		behind bool
	}{{10_000, true}, {runs, false}, {runs, false}} {
		got, err := e.Throughput(t.Context())
		if steps := got.Of("Order")[59].Steps; err != nil || steps != want.steps || got.Behind != want.behind {
			t.Fatalf("%d steps, behind: %t; want %+v: %v", steps, got.Behind, want, err)
		}
	}
}

// TestLongest: who has been longest in its state comes first, whoever started first.
func TestLongest(t *testing.T) {
	o := newOrders(t)
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	e := runtime.NewEngine(o, runtime.WithClock(runtime.NewManualClock(noon)))
	o.step("first", noon.Add(-50*time.Hour), machine.StartInput, "", "Idle")
	o.step("done", noon.Add(-40*time.Hour), machine.StartInput, "", "Idle")
	o.step("second", noon.Add(-3*time.Hour), machine.StartInput, "", "Busy")
	o.step("first", noon.Add(-2*time.Hour), machine.EventInput, "Idle", "Busy")
	o.step("done", noon.Add(-time.Hour), machine.EventInput, "Idle", "Done")
	said := func() (names []string) {
		t.Helper()
		rows, err := e.Longest(t.Context())
		must(t, err)
		for _, r := range rows {
			names = append(names, r.Run)
		}
		return names
	}
	if got := fmt.Sprint(said()); got != "[second first]" {
		t.Errorf("got %s", got)
	}
	for i := range 600 { // too many to be looked at, and younger
		o.step(fmt.Sprint("r", i), noon.Add(-time.Second), machine.StartInput, "", "Idle")
	}
	if got := fmt.Sprint(said()); got != "[second first]" {
		t.Errorf("among many: got %s", got)
	}
}
