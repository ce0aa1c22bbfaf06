//go:build unix && cgo

package reliability

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// damaged is a store that gives something other than what is in it.
type damaged struct {
	runtime.Store
	load     func(*runtime.RunRow)
	runs     func([]runtime.RunRow) []runtime.RunRow
	history  func([]store.HistoryRow) []store.HistoryRow
	tasks    func([]store.TaskRow) []store.TaskRow
	timers   func([]store.TimerRow) []store.TimerRow
	outbox   func([]store.MessageRow) []store.MessageRow
	accepted func(known bool) bool
}

func (d *damaged) Runs(ctx context.Context, f runtime.RunFilter) ([]runtime.RunRow, error) {
	rows, err := d.Store.Runs(ctx, f)
	for i := range rows {
		if d.load != nil {
			d.load(&rows[i])
		}
	}
	return changed(d.runs)(rows, err)
}

func (d *damaged) History(ctx context.Context, run string, after int64, limit int) ([]store.HistoryRow, error) {
	return changed(d.history)(d.Store.History(ctx, run, after, limit))
}

func (d *damaged) Tasks(ctx context.Context, run string) ([]store.TaskRow, error) {
	return changed(d.tasks)(d.Store.Tasks(ctx, run))
}

func (d *damaged) Due(ctx context.Context, now time.Time, limit int) ([]store.TimerRow, error) {
	return changed(d.timers)(d.Store.Due(ctx, now, limit))
}

func (d *damaged) Outbox(ctx context.Context, run string, limit int) ([]store.MessageRow, error) {
	return changed(d.outbox)(d.Store.Outbox(ctx, run, limit))
}

func (d *damaged) Accepted(ctx context.Context, run, id string) (json.RawMessage, bool, error) {
	answer, known, err := d.Store.Accepted(ctx, run, id)
	if d.accepted != nil {
		known = d.accepted(known)
	}
	return answer, known, err
}

func changed[T any](change func([]T) []T) func([]T, error) ([]T, error) {
	return func(rows []T, err error) ([]T, error) {
		if change != nil {
			rows = change(rows)
		}
		return rows, err
	}
}

// TestInvariantsBite is the test of the tests here: whatever of a sound database
// or of what was seen outside is changed, the inspection says so.
func TestInvariantsBite(t *testing.T) {
	dir := t.TempDir()
	s, err := openStation(dir, "first", 0)
	must(t, err)
	defer s.close()
	ctx := t.Context()
	for _, run := range []string{"done", "open"} {
		must(t, errOf(s.Start(ctx, "Order", run, []byte(`{"size": 2}`))))
		s.world.ledger.note(started, run)
		must(t, errOf(s.RunUntilIdle(ctx, run)))
		must(t, s.send(ctx, run, "Note", "n-"+run, []byte(`{"text": "x"}`)))
	}
	must(t, s.send(ctx, "done", "Accept", "a-done", nil))
	if v, err := s.RunUntilDone(ctx, "done"); err != nil || v.State != "Delivered" {
		t.Fatalf("the run ends in %q: %v", v.State, err)
	}
	must(t, errOf(s.Start(ctx, "Order", "new", []byte(`{"size": 1}`))))
	read := func() *evidence {
		e, err := readLedger(ledgerIn(dir))
		must(t, err)
		return e
	}
	if err := inspect(ctx, s.store, order(), read(), false); err != nil {
		t.Fatalf("what is sound is found damaged: %v", err)
	}
	for _, c := range []struct {
		want string
		in   damaged
		seen func(*evidence)
	}{
		{want: "lines of history", in: damaged{history: func(h []store.HistoryRow) []store.HistoryRow { return h[:max(0, len(h)-1)] }}},
		{want: "has the sequence number", in: damaged{history: func(h []store.HistoryRow) []store.HistoryRow {
			return slices.Delete(h, min(2, len(h)), min(3, len(h)))
		}}},
		{want: "does not replay", in: damaged{load: func(r *runtime.RunRow) {
			r.Snapshot = []byte(strings.Replace(string(r.Snapshot), `"size":2`, `"size":3`, 1))
		}}},
		{want: "has no task", in: damaged{tasks: func([]store.TaskRow) []store.TaskRow { return nil }}},
		{want: "which its snapshot has not", in: damaged{tasks: func(rows []store.TaskRow) []store.TaskRow {
			return append(rows, store.TaskRow{Do: "Quoting.quote", Key: "k", Attempt: 1})
		}}},
		{want: "the store has the timers", in: damaged{timers: func(rows []store.TimerRow) []store.TimerRow { return rows[1:] }}},
		{want: "are marked", in: damaged{outbox: func([]store.MessageRow) []store.MessageRow { return nil }},
			seen: func(e *evidence) { e.delivered["done"] = e.delivered["done"][1:] }},
		{want: "and remembered: false", in: damaged{accepted: func(bool) bool { return false }}},
		{want: "in history 0 times", in: damaged{accepted: func(bool) bool { return true }},
			seen: func(e *evidence) { e.sent[eventID{"done", "other"}] = true }},
		{want: "acknowledged and is not in history", seen: func(e *evidence) {
			e.sent[eventID{"done", "x"}], e.accepted[eventID{"done", "x"}] = true, true
		}},
		{want: "acknowledged and its run is not there", seen: func(e *evidence) { e.accepted[eventID{"none", "x"}] = true }},
		{want: "acknowledged and is not there", seen: func(e *evidence) { e.started["none"] = true }},
		{want: "no history has started it", seen: func(e *evidence) { e.calls = append(e.calls, call{key: "k", attempt: 1}) }},
		{want: "was handed checkpoint", seen: func(e *evidence) {
			e.calls[0].past, e.calls[0].right = 3, true
		}},
		{want: "says that it has used 1/2 ink, and it has used 0", seen: func(e *evidence) { clear(e.calls[0].used) }},
		{want: "has said that it has used 3/5 ink, and history has 1/2", seen: func(e *evidence) { e.calls[0].used.add("ink", "0.1") }},
		{want: "has said that it has used 3/4 ink, and history has 1/2", seen: func(e *evidence) {
			i := slices.IndexFunc(e.calls, func(c call) bool { return c.activity == "pack" })
			e.calls[i].acked.add("ink", "0.25")
			e.calls[i].worker = "killed"
		}},
		{want: "counts 9 ink of its own, and its attempts have said", in: damaged{load: func(r *runtime.RunRow) {
			r.Snapshot = regexp.MustCompile(`"name":"ink","amount":"[0-9.]*"`).ReplaceAll(r.Snapshot, []byte(`"name":"ink","amount":"9"`))
		}}},
		{want: "ink of its own, and its activities have used no less than", seen: func(e *evidence) {
			killed := e.calls[0]
			killed.worker, killed.used = "killed", account{"ink": big.NewRat(9, 1)}
			e.calls = append(e.calls, killed)
		}},
		{want: "was given twice", seen: func(e *evidence) { e.claims = append(e.claims, e.claims[0]) }},
		{want: "ended twice", seen: func(e *evidence) { e.ended = append(e.ended, e.ended[0]) }},
		{want: "had been given", seen: func(e *evidence) {
			e.claims = append(e.claims, claim{task: e.ended[0].task, epoch: 1 << 40})
		}},
	} {
		t.Run(c.want, func(t *testing.T) {
			e := read()
			if c.seen != nil {
				c.seen(e)
			}
			c.in.Store = s.store
			err := inspect(ctx, &c.in, order(), e, false)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the inspection finds: %v", err)
			}
		})
	}
	if err := inspect(ctx, s.store, order(), read(), true); err == nil || !strings.Contains(err.Error(), "runs are running") {
		t.Errorf("what is not done is found done: %v", err)
	}
}

// TestBoundsBite holds a run against figures that are too low, and looks that
// those of the order are there.
func TestBoundsBite(t *testing.T) {
	dir := t.TempDir()
	s, err := openStation(dir, "first", 0)
	must(t, err)
	defer s.close()
	must(t, errOf(s.Start(t.Context(), "Order", "r", []byte(`{"size": 2}`))))
	for _, step := range []func() error{
		func() error { _, err := s.RunUntilIdle(t.Context(), "r"); return err },
		func() error { _, err := s.Send(t.Context(), "r", runtime.ExternalEvent{Name: "Accept"}); return err },
		func() error { _, err := s.RunUntilDone(t.Context(), "r"); return err },
	} {
		must(t, step())
	}
	e, err := readLedger(ledgerIn(dir))
	must(t, err)
	proved := order().proved()
	low := *order()
	low.proved = func() proof {
		return proof{clean: true, steps: big.NewRat(1, 1), attempts: map[string]*big.Rat{"pack": new(big.Rat)}}
	}
	err = inspect(t.Context(), s.store, &low, e, true)
	for _, want := range []string{"steps, proved are at most 1", "attempts at pack, proved are at most 0"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the inspection finds %v, and not %q", err, want)
		}
	}
	if !proved.clean || proved.steps == nil || len(proved.attempts) != len(order().Definition().Activities) {
		t.Errorf("the checker proves no more than %+v", proved)
	}
}

// TestTimersBite lets a timer fire that is not running, too early, and twice.
func TestTimersBite(t *testing.T) {
	m := order()
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	hour := slices.IndexFunc(m.Definition().Timers, func(t machine.Timer) bool { return t.Delay == int64(time.Hour) })
	for _, c := range []struct {
		want   string
		alarms []machine.Alarm
		at     []time.Duration
	}{
		{want: "is not running", at: []time.Duration{time.Hour}},
		{want: "and is due at", alarms: []machine.Alarm{{Timer: hour, Due: day.Add(2 * time.Hour)}}, at: []time.Duration{time.Hour}},
		{want: "fires after 59m0s", alarms: []machine.Alarm{{Timer: hour, Due: day}}, at: []time.Duration{59 * time.Minute}},
		{want: "has fired before", alarms: []machine.Alarm{{Timer: hour, Due: day}}, at: []time.Duration{time.Hour, time.Hour}},
		{alarms: []machine.Alarm{{Timer: hour, Due: day.Add(time.Hour)}}, at: []time.Duration{time.Hour}},
	} {
		in := &inspection{}
		w := &walk{in: in, m: m, row: &runtime.RunRow{Run: "r"}, fired: map[string]bool{}}
		before := &machine.Snapshot{Started: day, Entered: day, Alarms: c.alarms}
		for _, at := range c.at {
			w.timer(before, &machine.Record{At: day.Add(at), Input: machine.Input{Kind: machine.TimerInput, Timer: hour}})
		}
		err := errors.Join(in.faults...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("expected %q, the inspection finds: %v", c.want, err)
		}
	}
}
