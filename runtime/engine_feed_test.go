package runtime_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestFeed: an engine gives the steps of its store, from a position or a time on.
func TestFeed(t *testing.T) {
	s := memstore.New()
	must(t, s.PutDefinition(t.Context(), store.DefinitionRow{Hash: "h", Machine: "Order", Definition: []byte("{}")}))
	e := runtime.NewEngine(s)
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	const steps = 20
	for i := range steps {
		at, run := noon.Add(time.Duration(i)*time.Minute), fmt.Sprint("r", i)
		if err := s.Commit(t.Context(), &store.Commit{
			Run: store.RunRow{Run: run, Machine: "Order", Definition: "h", State: "Idle", Status: machine.Running, Seq: 1, Started: at, Entered: at, Updated: at},
			History: []store.HistoryRow{{Run: run, Seq: 1, At: at, Kind: machine.StartInput, Input: "start", To: "Idle",
				Effect: machine.Moved, Record: []byte("{}")}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := e.Feed(t.Context(), 3, 1)
	must(t, err)
	got, err := json.Marshal(rows)
	const want = `[{"id":4,"run":"r3","machine":"Order","seq":1,"at":"2026-03-01T12:03:00Z","input":"start","from":"","to":"Idle","effect":"moved"}]`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	end, err := e.FeedEnd(t.Context())
	if err != nil || end != steps {
		t.Errorf("the end is %d: %v", end, err)
	}
	for i := -1; i <= steps; i++ {
		for _, late := range []time.Duration{0, time.Second} {
			since := noon.Add(time.Duration(i)*time.Minute + late)
			after, err := e.FeedSince(t.Context(), since)
			must(t, err)
			want := min(max(i, 0), steps)
			if late > 0 {
				want = min(max(i+1, 0), steps)
			}
			if rows, err := e.Feed(t.Context(), after, 0); err != nil || len(rows) != steps-want {
				t.Errorf("%d steps since %s, want %d: %v", len(rows), since.Format(time.TimeOnly), steps-want, err)
			}
		}
	}
}
