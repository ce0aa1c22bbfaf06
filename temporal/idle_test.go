package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

const idling = `machine M {
	event Worked
	activity work() -> Worked
	initial Working
	on failed -> Failed
	state Working {
		do work() timeout 100h
		on Worked -> Done
		after 1h idle -> Stalled
	}
	terminal Done success
	terminal Stalled failure
	terminal Failed failure
}
`

// TestIdle: where an idle timer would fire, the run asks for the last checkpoint. It starts the timer again, once,
// however often and however late Temporal tells of it; one that came before the timer started does not.
func TestIdle(t *testing.T) {
	begin := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	type told struct { // as the local activity tells it
		Key      string    `json:"key"`
		Activity string    `json:"activity"`
		Number   int       `json:"number"`
		At       time.Time `json:"at"`
	}
	for _, test := range []struct {
		at    []time.Duration // the checkpoint that is told of, asked the first time, the second time …
		pause time.Duration   // for ten hours from then on, if it is not 0
		want  string
	}{
		{at: nil, want: "asked 1 times; timer at 1h0m0s"},
		{at: []time.Duration{50 * time.Minute}, want: "asked 2 times; progress at 50m0s; timer at 1h50m0s"},
		{at: []time.Duration{50 * time.Minute, 100 * time.Minute}, want: "asked 3 times; progress at 50m0s; progress at 1h40m0s; timer at 2h40m0s"},
		{at: []time.Duration{-time.Minute}, want: "asked 1 times; timer at 1h0m0s"},
		// Before its time goes on after a pause, the checkpoint counts that was made before the pause, or in it.
		{at: []time.Duration{20 * time.Minute}, pause: 30 * time.Minute, want: "asked 2 times; pause at 30m0s; progress at 30m0s; resume at 10h30m0s; timer at 11h20m0s"},
		{at: []time.Duration{2 * time.Hour}, pause: 30 * time.Minute, want: "asked 2 times; pause at 30m0s; progress at 2h0m0s; resume at 10h30m0s; timer at 11h30m0s"},
	} {
		env := quiet()
		env.SetStartTime(begin)
		env.SetStartWorkflowOptions(startOptions)
		env.SetWorkflowRunTimeout(1000 * time.Hour)
		env.RegisterWorkflowWithOptions(temporal.RunWorkflow, workflow.RegisterOptions{Name: temporal.WorkflowType})
		key, asked := "", 0
		env.RegisterActivityWithOptions(func(_ context.Context, c temporal.Call) (temporal.Answer, error) {
			key = c.Key
			return temporal.Answer{}, activity.ErrResultPending
		}, activity.RegisterOptions{Name: "work"})
		env.RegisterActivityWithOptions(func(context.Context) ([]told, error) {
			asked++
			if len(test.at) == 0 {
				return nil, nil
			}
			number := min(asked, len(test.at))
			late := time.Duration(asked) * time.Millisecond * time.Duration(asked-number) // of the same one, told again
			return []told{{key, "5", number, begin.Add(test.at[number-1] + late)}}, nil
		}, activity.RegisterOptions{Name: "fsmc.Progress"})
		if test.pause > 0 {
			for kind, at := range map[machine.InputKind]time.Duration{machine.PauseInput: test.pause, machine.ResumeInput: test.pause + 10*time.Hour} {
				env.RegisterDelayedCallback(func() {
					env.UpdateWorkflow(temporal.UpdateSteer, "", &callback{func(_ any, err error) {
						if err != nil {
							t.Error(err)
						}
					}}, temporal.Steer{Kind: kind})
				}, at)
			}
		}
		var history []json.RawMessage
		env.ExecuteWorkflow(temporal.WorkflowType, temporal.Input{Definition: compiled(idling).Definition().Encode()})
		var end *sdk.ApplicationError
		if !errors.As(env.GetWorkflowError(), &end) || end.Type() != "Stalled" {
			t.Fatal(env.GetWorkflowError())
		}
		value, err := env.QueryWorkflow(temporal.QueryHistory, 0, 100)
		if err == nil {
			err = value.Get(&history)
		}
		if err != nil {
			t.Fatal(err)
		}
		got := []string{fmt.Sprintf("asked %d times", asked)}
		for _, record := range history[1:] {
			var r struct {
				At    time.Time
				Input struct{ Kind string }
			}
			if err := json.Unmarshal(record, &r); err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s at %s", r.Input.Kind, r.At.Sub(begin)))
		}
		if got := strings.Join(got, "; "); got != test.want {
			t.Errorf("%v: %s, expected %s", test.at, got, test.want)
		}
	}
}

// TestIdleAsksForClient: without what records checkpoints an activity could not start the timer again.
func TestIdleAsksForClient(t *testing.T) {
	m := compiled(idling)
	err := temporal.Register(quiet(), temporal.Worker{Machine: m, Handlers: runtime.Handlers{
		Activities: map[string]runtime.ActivityFunc{"work": nil}}})
	if err == nil || !strings.Contains(err.Error(), "no Client is brought") {
		t.Error(err)
	}
}
