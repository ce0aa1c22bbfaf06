//go:build unix && cgo

package reliability

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// world is what activities and messages reach: it keeps a ledger, and lets
// things go wrong with the chance of trouble, from 0 to 1.
type world struct {
	ledger  *ledger
	trouble float64
}

func (w *world) unlucky(share float64) bool { return rand.Float64() < share*w.trouble }

// begun notes a call, and what goes wrong with it before it has done anything.
func (w *world) begun(ctx context.Context, a *runtime.Attempt) (name string, checkpoint int, err error) {
	if a.Checkpoint != nil {
		if err := json.Unmarshal(a.Checkpoint, &checkpoint); err != nil {
			return "", 0, err
		}
	}
	name = w.ledger.begun(a, checkpoint)
	switch {
	case w.unlucky(0.06):
		return "", 0, runtime.ErrWorkerLost
	case w.unlucky(0.03):
		return "", 0, runtime.Decline("not today")
	case w.unlucky(0.08):
		return "", 0, runtime.Fail("busy", "try again")
	case w.unlucky(0.03):
		return "", 0, errors.New("it broke")
	case w.unlucky(0.02):
		panic("it broke badly")
	}
	return name, checkpoint, w.dawdle(ctx)
}

// dawdle takes a moment, unless it is to stop.
func (w *world) dawdle(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(rand.N(3 * time.Millisecond)):
		return nil
	}
}

// handlers are the activities and guards of the order.
func (w *world) handlers() runtime.Handlers {
	raise := func(event func() (string, any)) runtime.ActivityFunc {
		return func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
			call, _, err := w.begun(ctx, a)
			if err != nil {
				return runtime.Result{}, err
			}
			name, data := event()
			result := runtime.Result{Event: name, Data: data}
			if a.Activity == "quote" {
				w.ledger.note(used, call, "ink", "0.5")
				result.Cost = map[string]json.Number{"ink": "0.5"}
			}
			return result, nil
		}
	}
	always := func(name string) func() (string, any) {
		return func() (string, any) { return name, nil }
	}
	return runtime.Handlers{
		Activities: map[string]runtime.ActivityFunc{
			"quote": raise(func() (string, any) {
				return "Quoted", map[string]any{"price": rand.IntN(101), "parts": rand.Perm(10)[:rand.IntN(4)]}
			}),
			"charge": raise(func() (string, any) {
				if w.unlucky(0.1) {
					return "Later", map[string]any{"wait": rand.N(5 * time.Millisecond).String()}
				}
				return "Charged", nil
			}),
			"pack":  w.pack,
			"label": raise(always("")),
			"ship": raise(func() (string, any) {
				if w.unlucky(0.2) {
					return "Lost", nil
				}
				return "Shipped", nil
			}),
			"refund": raise(always("Returned")),
		},
		Guards: map[string]runtime.GuardFunc{
			"expensive": func(_ context.Context, args json.RawMessage) (bool, error) {
				var a struct{ Price int }
				err := json.Unmarshal(args, &a)
				return a.Price > 70, err
			},
		},
	}
}

// pack packs one thing after the other, and goes on where it had stopped.
func (w *world) pack(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
	name, checkpoint, err := w.begun(ctx, a)
	if err != nil {
		return runtime.Result{}, err
	}
	var args struct{ Size int }
	if err := json.Unmarshal(a.Args, &args); err != nil {
		return runtime.Result{}, err
	}
	for i := checkpoint + 1; i <= args.Size; i++ {
		a.Heartbeat()
		if err := w.dawdle(ctx); err != nil {
			return runtime.Result{}, err
		}
		w.ledger.note(used, name, "ink", "0.25")
		if err := a.Spend("ink", "0.25"); err != nil {
			return runtime.Result{}, err
		}
		if err := a.Progress(i); err != nil {
			return runtime.Result{}, err
		}
		w.ledger.note(reached, name, a.Key, i)
		if w.unlucky(0.05) {
			return runtime.Result{}, runtime.Fail("busy", "dropped it")
		}
	}
	return runtime.Result{Event: "Packed"}, nil
}

// deliver notes a message. Now and then it fails, before or after that.
func (w *world) deliver(_ context.Context, m *runtime.Message) error {
	if w.unlucky(0.03) {
		return errors.New("the line is busy")
	}
	w.ledger.note(delivered, m.Run, m.ID)
	if w.unlucky(0.03) {
		return errors.New("the line went dead")
	}
	return nil
}
