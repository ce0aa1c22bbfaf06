package temporal_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// TestArchive: a run that goes on in new executions gives all its records away, each once and in order, and in the end how
// it has ended. A store that fails is given the same part again, and the run takes events meanwhile.
func TestArchive(t *testing.T) {
	var in temporal.Input
	var kept []*temporal.Archived
	calls, executions, sent := 0, 0, 0
	keep := func(_ context.Context, a *temporal.Archived) error {
		if calls++; calls%2 == 1 {
			return errors.New("the disk is full")
		}
		kept = append(kept, a)
		return nil
	}
	begin := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for now := begin; ; executions++ {
		env, first := environmentOf(t, counted, temporal.Worker{Archive: keep})
		if executions == 0 {
			in = first
			in.Archive = true
		}
		env.SetStartTime(now)
		for i := range 3 { // the second while the store fails
			name := "Add"
			if executions == 3 && i == 2 {
				name = "Stop"
			}
			env.RegisterDelayedCallback(func() {
				if executions < 3 || i == 2 {
					sent++
					env.UpdateWorkflow(temporal.UpdateSend, "", &callback{func(_ any, err error) {
						if err != nil {
							t.Error(err)
						}
					}}, machine.ExternalEvent{Name: name})
				}
			}, time.Duration(1+i)*400*time.Millisecond)
		}
		env.RegisterDelayedCallback(func() { env.SetContinueAsNewSuggested(executions < 3) }, 300*time.Millisecond)
		env.ExecuteWorkflow(temporal.WorkflowType, in)
		following, ok := continued(t, env.GetWorkflowError())
		if !ok {
			if err := env.GetWorkflowError(); err != nil {
				t.Fatal(err)
			}
			break
		}
		in, now = following, env.Now()
	}
	seq := int64(0)
	for i, part := range kept {
		steps, err := part.Steps()
		if err != nil || part.After != seq || part.Run == "" || (part.View != nil) != (i == len(kept)-1) {
			t.Fatalf("part %d is %+v, %v", i, part, err)
		}
		for _, step := range steps {
			if seq++; step.Seq != seq {
				t.Errorf("step %d stands at %d", step.Seq, seq)
			}
		}
	}
	if executions != 3 || seq != int64(1+sent) {
		t.Errorf("%d executions with %d steps, expected %d", executions, seq, 1+sent)
	}
	if last := kept[len(kept)-1]; last.View.State != "Done" || last.View.Status != machine.Finished {
		t.Errorf("the run has ended as %+v", last.View)
	}
}

// TestNotArchived: without an ArchiveFunc a run that is to be archived does not end before a worker has one.
func TestNotArchived(t *testing.T) {
	var seen []int64
	env, in := environmentOf(t, counted, temporal.Worker{Archive: func(_ context.Context, a *temporal.Archived) error {
		if seen = append(seen, a.After); len(seen) < 5 {
			return errors.New("not yet")
		}
		return nil
	}})
	in.Archive = true
	env.RegisterDelayedCallback(func() { send(env, machine.ExternalEvent{Name: "Stop"}, new(bool), new(error)) }, time.Second)
	env.ExecuteWorkflow(temporal.WorkflowType, in)
	if err := env.GetWorkflowError(); err != nil || !slices.Equal(seen, []int64{0, 0, 0, 0, 0, 2}) {
		t.Errorf("%v: parts after %v", err, seen)
	}
}
