package runtime_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// counted is a store with counts as they are given.
type counted struct {
	runtime.Store
	given store.Counts
}

func (c *counted) Counts(context.Context, string, time.Time) (store.Counts, error) {
	return c.given, nil
}

// statsOf are the figures of some counts of a machine with a terminal of each outcome.
func statsOf(t *testing.T, given store.Counts) runtime.Stats {
	t.Helper()
	s := memstore.New()
	definition := `{"format":1,"name":"Order","states":[{"path":"","kind":"composite","parent":-1},
		{"path":"Idle","kind":"leaf"},{"path":"Done","kind":"terminal","outcome":"success"},
		{"path":"Failed","kind":"terminal","outcome":"failure"},{"path":"Off","kind":"terminal","outcome":"cancelled"}]}`
	for hash, text := range map[string]string{"h": definition, "damaged": "{"} {
		if err := s.PutDefinition(t.Context(), store.DefinitionRow{Hash: hash, Machine: "Order", Definition: []byte(text)}); err != nil && hash == "h" {
			t.Fatal(err)
		}
	}
	stats, err := runtime.NewEngine(&counted{s, given}).Stats(t.Context(), runtime.StatsQuery{})
	must(t, err)
	return stats
}

// TestStatsEnded: each run that is over counts once, on its day and with its outcome.
func TestStatsEnded(t *testing.T) {
	step := func(day int64, kind machine.InputKind, from, to string, effect machine.Effect, n int64) store.StepCount {
		return store.StepCount{Machine: "Order", Day: day, Kind: kind, Input: "Go", From: from, To: to, Effect: effect, Steps: n}
	}
	stats := statsOf(t, store.Counts{Steps: []store.StepCount{
		step(0, machine.StartInput, "", "Idle", machine.Moved, 90),
		step(0, machine.EventInput, "Idle", "Idle", machine.Moved, 80),
		step(0, machine.EventInput, "Idle", "Done", machine.Moved, 3),
		step(0, machine.TimerInput, "Idle", "Done", machine.Moved, 4),
		step(0, machine.LateInput, "Done", "Done", machine.Stayed, 50),
		step(0, machine.MigrateInput, "Old", "Done", machine.Moved, 60),
		step(0, machine.CancelInput, "Idle", "Idle", machine.Stopped, 2),
		step(0, machine.CancelInput, "Idle", "Off", machine.Moved, 5),
		step(1, machine.StartInput, "", "Failed", machine.Moved, 1),
		step(1, machine.StoppedInput, "Done", "Done", machine.Over, 70), // its children have ended, too
	}})
	want := "[{Order 1970-01-01 cancelled 7} {Order 1970-01-01 success 7} {Order 1970-01-02 failure 1}]"
	if got := fmt.Sprint(stats.Ended); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestStatsLost: losses are counted by what was wrong, each once.
func TestStatsLost(t *testing.T) {
	step := func(kind machine.InputKind, input string, effect machine.Effect, n int64) store.StepCount {
		return store.StepCount{Machine: "Order", Kind: kind, Input: input, From: "Idle", To: "Idle", Effect: effect, Steps: n}
	}
	resumed := func(s store.StepCount) store.StepCount {
		s.Checkpoint = true
		return s
	}
	stats := statsOf(t, store.Counts{Steps: []store.StepCount{
		step(machine.LostInput, "work lost", machine.Stayed, 1),
		step(machine.FailureInput, "failed(silent)", machine.Retried, 2),
		step(machine.FailureInput, "failed(silent)", machine.Moved, 3),
		step(machine.FailureInput, "failed(silent)", machine.Queued, 10),
		step(machine.FailureInput, "failed(stalled)", machine.Moved, 4),
		step(machine.FailureInput, "failed(timeout)", machine.Moved, 20),
		step(machine.FailureInput, "fetch[2].failed(stalled)", machine.Retried, 6),
		step(machine.EventInput, "failed(silent)", machine.Moved, 30),
		resumed(step(machine.LostInput, "work lost", machine.Stayed, 7)),
		resumed(step(machine.FailureInput, "failed(silent)", machine.Retried, 8)),
	}})
	want := "[{Order Idle lost 8 7} {Order Idle silent 13 8} {Order Idle stalled 10 0}]"
	if got := fmt.Sprint(stats.Lost); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestStatsHistograms: a visit is in the first column that it does not exceed.
func TestStatsHistograms(t *testing.T) {
	var given store.Counts
	visits := func(n int64, d time.Duration) {
		given.Stays = append(given.Stays, store.StayCount{Machine: "Order", State: "Idle", Bucket: store.BucketOf(d), Visits: n})
	}
	for _, d := range []time.Duration{0, 900 * time.Microsecond, 45 * time.Millisecond, 46 * time.Millisecond, 40 * time.Second, 6 * 24 * time.Hour} {
		visits(1, d)
	}
	visits(7, 30*24*time.Hour)
	stats := statsOf(t, given)
	mean, err := time.ParseDuration(stats.States[0].Mean)
	if exact := (7*30+6)*24*time.Hour/13 + 40*time.Second/13; err != nil || mean < exact-exact/50 || mean > exact+exact/50 {
		t.Errorf("the mean is %s, and not %s, %v", stats.States[0].Mean, exact, err)
	}
	h := stats.Histograms
	if len(h) != 1 || len(h[0].LE) != 24 || len(h[0].Counts) != 25 || h[0].LE[0] != "1ms" || h[0].LE[23] != "168h0m0s" {
		t.Fatalf("%+v", h)
	}
	got := map[string]int64{}
	for i, n := range h[0].Counts {
		if n > 0 {
			got[append(h[0].LE, "longer")[i]] = n
		}
	}
	want := map[string]int64{"1ms": 2, "50ms": 2, "1m0s": 1, "168h0m0s": 1, "longer": 7}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for i := 1; i < 24; i++ {
		before, _ := time.ParseDuration(h[0].LE[i-1])
		this, err := time.ParseDuration(h[0].LE[i])
		if err != nil || this < 2*before || this > 4*before {
			t.Errorf("column %d: %s after %s", i, h[0].LE[i], h[0].LE[i-1])
		}
	}
	if empty := statsOf(t, store.Counts{}); empty.Histograms == nil || empty.Ended == nil || empty.Lost == nil || empty.Spent == nil {
		t.Errorf("%+v", empty)
	}
}

// TestStatsFailures: a failure has its share of all steps that were taken in its state, on all days.
func TestStatsFailures(t *testing.T) {
	step := func(day int64, kind machine.InputKind, input, from, to string, effect machine.Effect, n int64) store.StepCount {
		return store.StepCount{Machine: "Order", Day: day, Kind: kind, Input: input, From: from, To: to, Effect: effect, Steps: n}
	}
	stats := statsOf(t, store.Counts{Steps: []store.StepCount{
		step(0, machine.StartInput, "start", "", "Idle", machine.Moved, 50),
		step(0, machine.FailureInput, "failed(timeout)", "Idle", "Failed", machine.Moved, 1),
		step(1, machine.FailureInput, "failed(timeout)", "Idle", "Failed", machine.Moved, 2),
		step(1, machine.FailureInput, "failed(timeout)", "Idle", "Idle", machine.Retried, 3),
		step(1, machine.EventInput, "Go", "Idle", "Done", machine.Moved, 6),
		step(1, machine.EventInput, "Go", "Other", "Done", machine.Moved, 70),
	}})
	want := "[{Order Idle failed(timeout) Failed moved 3 0.25} {Order Idle failed(timeout) Idle retried 3 0.25}]"
	if got := fmt.Sprint(stats.Failures); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestStatsCosts: costs add up exactly, in all and on each day.
func TestStatsCosts(t *testing.T) {
	stats := statsOf(t, store.Counts{Costs: []store.CostCount{
		{Machine: "Order", Day: 0, Name: "usd", Amount: "0.1"}, {Machine: "Order", Day: 1, Name: "usd", Amount: "0.2"},
		{Machine: "Order", Day: 1, Name: "usd", Amount: "0.1"}, {Machine: "Order", Day: 1, Name: "tokens", Amount: "7"},
	}})
	if got, want := fmt.Sprint(stats.Costs, stats.Spent), "[{Order  tokens 7} {Order  usd 0.4}] [{Order 1970-01-01 usd 0.1} {Order 1970-01-02 tokens 7} {Order 1970-01-02 usd 0.3}]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
