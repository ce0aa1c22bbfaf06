//go:build cgo

package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestUncountedCosts: what an attempt reports that is no cost stands in history and in the
// view of its run, and its result counts.
func TestUncountedCosts(t *testing.T) {
	onEachStore(t, func(t *testing.T, store store.Store, _ *Engine, _ *ManualClock) {
		m := job(t, nil, On1("Found", "Done"), On1("failed", "Broken"))
		w := work(t, store, m, func(context.Context, *Attempt) (Result, error) {
			return Result{Event: "Found", Data: found.Data, Cost: map[string]json.Number{
				"usd": "much", "tokens": "5", "bad\xff name": json.Number(strings.Repeat("1", 1000)),
			}}, nil
		})
		defer w.stop()
		begin(t, w.Engine, "r")
		v := await(t, w.Engine, "r")
		if got := fmt.Sprint(v.State, v.Costs, v.Uncounted); got != "Done[{tokens 5  false  false}] 2" {
			t.Error(got)
		}
		steps, err := w.History(t.Context(), "r", 2, 0)
		want := "[{bad\uFFFD name " + strings.Repeat("1", 40) + "…  false  false} {usd much  false  false}]"
		if err != nil || len(steps) != 1 || fmt.Sprint(steps[0].Uncounted) != want {
			t.Errorf("%+v, %v\nwant %s", steps, err, want)
		}
		if err := w.Replay(t.Context(), "r"); err != nil {
			t.Error(err)
		}
	})
}
