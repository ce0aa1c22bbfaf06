//go:build unix && cgo

package reliability

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// weighers are the activities of a convoy: those of its crates.
func (w *world) weighers() runtime.Handlers {
	return runtime.Handlers{Activities: map[string]runtime.ActivityFunc{
		"weigh": func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
			call, _, err := w.begun(ctx, a)
			if err != nil {
				return runtime.Result{}, err
			}
			if rand.IntN(3) == 0 {
				w.ledger.note(used, call, "fuel", "0.1")
				if err := a.Spend("fuel", "0.1"); err != nil {
					return runtime.Result{}, err
				}
				if err := a.Progress(1); err != nil {
					return runtime.Result{}, err
				}
				w.ledger.note(reached, call, a.Key, 1)
			}
			if w.unlucky(0.05) { // it will be late
				select {
				case <-ctx.Done():
					return runtime.Result{}, context.Cause(ctx)
				case <-time.After(50 * time.Millisecond):
				}
			}
			result := runtime.Result{Event: "Weighed", Data: map[string]any{"weight": rand.IntN(10)}}
			if n := rand.IntN(4); n > 0 {
				amount := []json.Number{"0.05", "0.3", "0.9"}[n-1]
				w.ledger.note(used, call, "fuel", amount)
				result.Cost = map[string]json.Number{"fuel": amount}
			}
			return result, nil
		},
	}}
}

// convoy starts one, and disturbs it and others, on whatever level, for a while.
func (s *station) convoy(ctx context.Context, run string) error {
	list := func() string {
		text, _ := json.Marshal(rand.Perm(10)[:rand.IntN(4)])
		return string(text)
	}
	if _, err := s.Start(ctx, "Convoy", run, fmt.Appendf(nil, `{"trucks": %s, "crates": %s}`, list(), list())); err != nil {
		return err
	}
	s.world.ledger.note(started, run)
	for k := range 8 {
		rows, err := s.List(ctx, runtime.RunFilter{Status: unfinished[min(k/7, 1)], Limit: 40})
		if err != nil {
			return err
		}
		time.Sleep(rand.N(8 * time.Millisecond))
		if len(rows) == 0 {
			continue
		}
		row := &rows[rand.IntN(len(rows))]
		if row.Parent == "" && rand.IntN(6) > 0 {
			continue // most trees grow, and end by themselves
		}
		if err := s.disturbTree(ctx, row, fmt.Sprintf("%s-%d", run, k)); err != nil {
			return err
		}
	}
	return nil
}

// disturbTree does one thing to a run of a tree from outside.
func (s *station) disturbTree(ctx context.Context, row *runtime.RunRow, id string) error {
	who := runtime.Operator{Actor: "test"}
	var err error
	switch p := rand.IntN(100); {
	case p < 8:
		short, stop := context.WithTimeout(ctx, 50*time.Millisecond)
		_, err = s.Cancel(short, row.Run, runtime.CancelOptions{Force: p < 4})
		if stop(); errors.Is(err, context.DeadlineExceeded) {
			err = nil
		}
	case p < 14:
		_, err = s.Pause(ctx, row.Run, who)
	case p < 26:
		err = s.resumeAll(ctx)
	case p < 30:
		_, err = s.Retry(ctx, row.Run, who)
	case p < 34:
		err = s.tryAgain(ctx, who)
	case p < 44:
		if of, ok := endings[row.State]; ok {
			c := of[rand.IntN(len(of))]
			c.Operator = who
			_, err = s.Complete(ctx, row.Run, c)
		}
	default:
		event := map[string]string{"Convoy": "Stop", "Truck": "Leave", "Crate": "Poke"}[row.Machine]
		err = s.send(ctx, row.Run, event, id, nil)
	}
	if isRefusal(err) {
		return nil
	}
	return err
}

// endings are what an operator says in the place of children and activities, by the
// state of the run.
var endings = map[string][]runtime.Completion{
	"Driving": {
		{Activity: "spare", Event: "Crate.Packed", Data: []byte(`{"weight": 1}`)},
		{Activity: "t[0]", Event: "Truck.Broken"},
		{Activity: "t[1]", Event: "Truck.Full", Data: []byte(`{"packed": 1, "weight": 2}`)},
	},
	"Loading": {
		{Activity: "c[0]", Event: "Crate.Packed", Data: []byte(`{"weight": 1}`)},
		{Activity: "c[1]", Event: "Crate.Dropped"},
	},
	"Sealing":  {{Activity: "last", Event: "Crate.Packed", Data: []byte(`{"weight": 0}`)}},
	"Weighing": {{Activity: "weigh", Event: "Weighed", Data: []byte(`{"weight": 3}`)}},
}
