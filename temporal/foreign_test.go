package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/temporal"
)

// TestForeign: an activity of a worker in another language gets what an executable gets, and answers as one does.
func TestForeign(t *testing.T) {
	const source = `machine M(item string) {
	failures { busy }
	event Worked { n int }
	activity work(item string) -> Worked fails busy
	initial Working
	state Working {
		do work(item) timeout 1m
		on Worked -> Done
		on failed(busy) -> Busy
		on failed(timeout) -> Late
		on failed -> Failed
	}
	terminal Done success
	terminal Busy failure
	terminal Late failure
	terminal Failed failure
}
`
	type object = map[string]any
	for name, test := range map[string]struct {
		answers []object
		err     error
		want    string // the terminal
	}{
		"an event":          {[]object{{"event": "Worked", "data": object{"n": 1}}}, nil, "Done"},
		"a wrong payload":   {[]object{{"event": "Worked", "data": object{"n": "x"}}}, nil, "Failed"},
		"nothing":           {[]object{{}}, nil, "Failed"},
		"a failure":         {[]object{{"failed": "busy", "message": "come back"}}, nil, "Busy"},
		"another failure":   {[]object{{"failed": "nonsense"}}, nil, "Failed"},
		"declined at first": {[]object{{"declined": "no GPU here"}, {"event": "Worked", "data": object{"n": 1}}}, nil, "Done"},
		"an error":          {nil, errors.New("it broke"), "Failed"},
		"out of time":       {nil, sdk.NewTimeoutError(enums.TIMEOUT_TYPE_START_TO_CLOSE, nil), "Late"},
	} {
		m := compiled(source)
		env := quiet()
		env.RegisterWorkflowWithOptions(temporal.RunWorkflow, workflow.RegisterOptions{Name: temporal.WorkflowType})
		env.SetStartWorkflowOptions(startOptions)
		env.SetWorkflowRunTimeout(1000 * time.Hour)
		calls := 0
		env.RegisterActivityWithOptions(func(_ context.Context, request object) (object, error) {
			if request["activity"] != "work" || request["attempt"] != 1.0 || request["idempotency_key"] == nil || fmt.Sprint(request["args"]) != "map[item:book]" {
				t.Errorf("%s: it is asked %v", name, request)
			}
			if calls++; calls > len(test.answers) {
				return nil, test.err
			}
			return test.answers[calls-1], nil
		}, activity.RegisterOptions{Name: "work"})
		env.ExecuteWorkflow(temporal.WorkflowType, temporal.Input{Definition: m.Definition().Encode(), Params: []byte(`{"item":"book"}`)})
		got := "Done"
		if err := env.GetWorkflowError(); err != nil {
			var ended *sdk.ApplicationError
			if got = err.Error(); errors.As(err, &ended) {
				got = ended.Type()
			}
		}
		if got != test.want {
			t.Errorf("%s: the run ends in %s, expected %s", name, got, test.want)
		}
	}
}
