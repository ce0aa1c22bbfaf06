package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// forging is a store that someone has written to by hand.
type forging struct {
	store.Store
	run     func(*store.RunRow)
	history func([]store.HistoryRow) []store.HistoryRow
}

func (s *forging) forge(r *store.RunRow) {
	if s.run != nil {
		s.run(r)
	}
}

func (s *forging) Load(ctx context.Context, run string) (store.RunRow, error) {
	row, err := s.Store.Load(ctx, run)
	s.forge(&row)
	return row, err
}

func (s *forging) Runs(ctx context.Context, f store.RunFilter) ([]store.RunRow, error) {
	rows, err := s.Store.Runs(ctx, f)
	for i := range rows {
		s.forge(&rows[i])
	}
	return rows, err
}

func (s *forging) History(ctx context.Context, run string, after int64, limit int) ([]store.HistoryRow, error) {
	rows, err := s.Store.History(ctx, run, after, limit)
	if s.history != nil && err == nil {
		rows = s.history(rows)
	}
	return rows, err
}

func replaced(text json.RawMessage, old, now string) json.RawMessage {
	return json.RawMessage(strings.Replace(string(text), old, now, 1))
}

// TestReplayFindsWhatDiffers: whatever is changed in a stored run, replay names
// the first step and the member.
func TestReplayFindsWhatDiffers(t *testing.T) {
	db := &forging{Store: memstore.New()}
	e := knowing(t, db, door(t))
	start(t, e, "r", `{"owner":"me"}`)
	send(t, e, "r", "Open", `{"by":5}`)
	send(t, e, "r", "Close", "")
	must(t, e.Replay(t.Context(), "r"))
	line := func(seq int64, forge func(*store.HistoryRow)) func([]store.HistoryRow) []store.HistoryRow {
		return func(rows []store.HistoryRow) []store.HistoryRow {
			for i := range rows {
				if rows[i].Seq == seq {
					forge(&rows[i])
				}
			}
			return rows
		}
	}
	for _, test := range []struct {
		name             string
		run              func(*store.RunRow)
		history          func([]store.HistoryRow) []store.HistoryRow
		seq              int64
		field            string
		stored, replayed string
		why              string
	}{
		{name: "data", run: func(r *store.RunRow) { r.Snapshot = replaced(r.Snapshot, `"n":5`, `"n":6`) },
			seq: 3, field: "snapshot.data.n", stored: `6`, replayed: `5`},
		{name: "status column", run: func(r *store.RunRow) { r.Status = machine.Halted },
			seq: 3, field: "runs.status", stored: `"halted"`, replayed: `"running"`},
		{name: "started column", run: func(r *store.RunRow) { r.Started = r.Started.Add(time.Second) },
			seq: 3, field: "runs.started"},
		{name: "damaged snapshot", run: func(r *store.RunRow) { r.Snapshot = r.Snapshot[:9] }, seq: 3, why: "the snapshot is damaged"},
		{name: "effect in a record",
			history: line(2, func(h *store.HistoryRow) { h.Record = replaced(h.Record, `"moved"`, `"stayed"`) }),
			seq:     2, field: "record.effect", stored: `"stayed"`, replayed: `"moved"`},
		{name: "payload out of range",
			history: line(2, func(h *store.HistoryRow) { h.Record = replaced(h.Record, `"by":5`, `"by":0`) }),
			seq:     2, why: "1..9"},
		{name: "payload that leads elsewhere",
			history: line(2, func(h *store.HistoryRow) { h.Record = replaced(h.Record, `"by":5`, `"by":7`) }),
			seq:     3, field: "snapshot.data.n", stored: `5`, replayed: `7`},
		{name: "column of history", history: line(2, func(h *store.HistoryRow) { h.To = "Shut" }),
			seq: 2, field: "history.target", stored: `"Shut"`, replayed: `"Ajar"`},
		{name: "an event that the state does not take",
			history: line(3, func(h *store.HistoryRow) { h.Record = replaced(h.Record, `"Close"`, `"Seal"`) }),
			seq:     3, why: "Seal"},
		{name: "a line is missing",
			history: func(rows []store.HistoryRow) []store.HistoryRow { return rows[:min(len(rows), 2)] },
			seq:     3, why: "there is no such record"},
		{name: "a line in the middle is missing",
			history: func(rows []store.HistoryRow) []store.HistoryRow { return append(rows[:1:1], rows[2:]...) },
			seq:     2, why: "its sequence number is 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			db.run, db.history = test.run, nil
			if test.history != nil {
				db.history = func(rows []store.HistoryRow) []store.HistoryRow {
					if len(rows) < 3 {
						return nil // behind what was cut off
					}
					return test.history(rows)
				}
			}
			err := e.Replay(t.Context(), "r")
			var d *machine.Difference
			if !errors.As(err, &d) {
				t.Fatalf("got %v, want a difference", err)
			}
			if d.Run != "r" || d.Seq != test.seq || d.Field != test.field {
				t.Errorf("at %d, field %q: %v", d.Seq, d.Field, err)
			}
			if test.stored != "" && (string(d.Stored) != test.stored || string(d.Replayed) != test.replayed) {
				t.Errorf("stored %s, replayed %s", d.Stored, d.Replayed)
			}
			if !strings.Contains(err.Error(), test.why) {
				t.Errorf("%v does not say %q", err, test.why)
			}
			all := e.ReplayAll(t.Context(), store.RunFilter{}, func(_ *store.RunRow, err error) error { return err })
			if all == nil || all.Error() != err.Error() {
				t.Errorf("one run: %v; all of them: %v", err, all)
			}
		})
	}
}

// TestReplayAllPages walks over more runs than are read at a time, each once.
func TestReplayAllPages(t *testing.T) {
	e := knowing(t, memstore.New(), door(t))
	const runs = 75
	for range runs {
		start(t, e, "", `{"owner":"me"}`)
	}
	for _, limit := range []int{0, 1, 20, 21, 75, 100} {
		seen := map[string]bool{}
		err := e.ReplayAll(t.Context(), store.RunFilter{Limit: limit}, func(r *store.RunRow, err error) error {
			seen[r.Run] = true
			return err
		})
		want := runs
		if limit > 0 {
			want = min(limit, runs)
		}
		if err != nil || len(seen) != want {
			t.Errorf("limit %d: %d runs, %v", limit, len(seen), err)
		}
	}
	stop := errors.New("stop")
	if err := e.ReplayAll(t.Context(), store.RunFilter{}, func(*store.RunRow, error) error { return stop }); err != stop {
		t.Error(err)
	}
}
