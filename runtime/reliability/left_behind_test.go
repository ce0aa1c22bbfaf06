//go:build unix && cgo

package reliability

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// TestLeftBehindInTerminal: a child of a run that waits in a terminal cleans up under the budget of a run above
// them, also where that has left them behind meanwhile.
func TestLeftBehindInTerminal(t *testing.T) {
	m := compiled(`machine Top {
    budget { usd 1 }
    event Skip
    initial Many
    on over_budget -> Ended
    state Many {
        do machine Middle() as m
        on m.Completed, m.failed, Skip -> Ended
    }
    terminal Ended success
}
machine Middle {
    event Skip
    initial Many
    state Many {
        do machine Leaf() as l
        on l.Failed, l.failed, Skip -> Completed
    }
    terminal Completed success
}
machine Leaf {
    event Poke
    activity clean() cost usd 0.01
    initial Waiting
    on cancel -> Cleaning
    state Waiting {
        on Poke -> Cleaning
    }
    state Cleaning {
        do clean()
        ignore Poke
        on done, failed -> Failed
    }
    terminal Failed failure
}`)
	synctest.Test(t, func(t *testing.T) {
		db, ctx := memstore.New(), t.Context()
		defer db.Close()
		e := runtime.NewEngine(db)
		for _, of := range []*model{m.callee.callee, m.callee, m} {
			h := runtime.Handlers{Activities: map[string]runtime.ActivityFunc{}}
			if of.callee == nil {
				h.Activities["clean"] = func(context.Context, *runtime.Attempt) (runtime.Result, error) { return runtime.Result{}, nil }
			}
			must(t, e.Register(of.Machine, of.source, h))
		}
		working, stop := context.WithCancel(ctx)
		done := make(chan error, 1)
		go func() { done <- e.Run(working) }()
		must(t, errOf(e.Start(ctx, "Top", "r", nil)))
		time.Sleep(time.Minute)
		const middle, leaf = "r/Many.m.1.1", "r/Many.m.1.1/Many.l.1.1"
		must(t, errOf(e.Pause(ctx, leaf, ada)))
		for _, run := range []string{middle, "r"} {
			must(t, errOf(e.Send(ctx, run, runtime.ExternalEvent{Name: "Skip"})))
			time.Sleep(time.Minute)
		}
		must(t, errOf(e.Resume(ctx, leaf, ada)))
		time.Sleep(time.Minute)
		for _, run := range []string{leaf, middle, "r"} {
			if v, err := e.Get(ctx, run); err != nil || v.Status != runtime.Finished {
				t.Errorf("run %q is %s in %s: %v", run, v.Status, v.State, err)
			}
		}
		stop()
		must(t, <-done)
	})
}
