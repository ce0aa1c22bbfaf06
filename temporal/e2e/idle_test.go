package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

const idling = `machine Idling {
	event Worked
	activity work() -> Worked
	initial Working
	on failed -> Failed
	state Working {
		do work() timeout 1h
		on Worked -> Done
		after 5s idle -> Stalled
	}
	terminal Done success
	terminal Stalled failure
	terminal Failed failure
}
`

// TestIdle: checkpoints of an activity start an idle timer again, on a server that tells nobody of them. When there
// are no more, it fires.
func TestIdle(t *testing.T) {
	m := compiled(idling)
	c := dial(t, t.Name())
	restarted := make(chan struct{}) // history says that a checkpoint has started the timer again
	serve(t, c, m, runtime.Handlers{Activities: map[string]runtime.ActivityFunc{
		"work": func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
			for n := 0; ; n++ {
				select {
				case <-restarted:
					<-ctx.Done()
					return runtime.Result{}, ctx.Err()
				case <-ctx.Done():
					return runtime.Result{}, ctx.Err()
				case <-time.After(100 * time.Millisecond):
					if err := a.Progress(n); err != nil {
						return runtime.Result{}, err
					}
				}
			}
		}}}, nil)
	must(t, c.Start(t.Context(), m, "idle", nil))
	steps := func() (kinds []machine.InputKind) {
		t.Helper()
		all, err := c.History(t.Context(), "idle", 0, 100)
		must(t, err)
		for i := range all {
			kinds = append(kinds, all[i].Kind)
		}
		return kinds
	}
	for range 600 {
		if len(steps()) > 1 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if kinds := steps(); len(kinds) < 2 || kinds[1] != machine.ProgressInput {
		t.Errorf("the checkpoints do not start the timer again: %v", kinds)
	}
	close(restarted)
	if v := finished(t, c, "idle"); v.State != "Stalled" {
		t.Errorf("the run ends in %q", v.State)
	}
	kinds := steps()
	for _, kind := range kinds[1 : len(kinds)-1] {
		if kind != machine.ProgressInput {
			t.Errorf("history is %v", kinds)
		}
	}
	if kinds[len(kinds)-1] != machine.TimerInput {
		t.Errorf("history is %v", kinds)
	}
}
