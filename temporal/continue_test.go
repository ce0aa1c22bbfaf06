package temporal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

const counted = `machine M {
	event Add
	event Stop
	context { n int 0..1000 = 0 }
	initial Counting
	state Counting {
		on Add { n = n + 1 }
		on Stop -> Done
	}
	terminal Done success returns n
}
`

// TestSenders: eight senders, and an execution that ends after each of some steps. Each event is sent until
// there is an answer, and again after that; none is lost, and none is taken twice.
func TestSenders(t *testing.T) {
	const senders, each = 8, 25
	_, in := environment(t, counted, runtime.Handlers{})
	begin, executions, answers, again := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), 0, map[string]string{}, 0
	next := make([]int, senders)
	for now := begin; ; executions++ {
		env, _ := environment(t, counted, runtime.Handlers{})
		env.SetStartTime(now)
		var sending func(sender int)
		sending = func(sender int) {
			k := next[sender]
			if k == 2*each { // the last of them stops the run
				if sender == 0 && len(answers) == senders*each {
					send(env, machine.ExternalEvent{Name: "Stop"}, new(bool), new(error))
				} else if sender == 0 {
					env.RegisterDelayedCallback(func() { sending(0) }, time.Second)
				}
				return
			}
			id := fmt.Sprint(sender, "-", k/2)
			env.UpdateWorkflow(temporal.UpdateSend, "", &callback{func(view any, err error) {
				if err != nil {
					t.Error(id, err)
				}
				switch answer := encode(view); {
				case answers[id] == "":
					answers[id] = answer
				default:
					again++
				}
				next[sender]++
				env.RegisterDelayedCallback(func() { sending(sender) }, time.Duration(1+sender)*time.Millisecond)
			}}, machine.ExternalEvent{Name: "Add", ID: id})
		}
		for sender := range senders {
			env.RegisterDelayedCallback(func() { sending(sender) }, time.Millisecond)
		}
		env.RegisterDelayedCallback(func() { env.SetContinueAsNewSuggested(true) }, 20*time.Millisecond)
		env.ExecuteWorkflow(temporal.WorkflowType, in)
		following, ok := continued(t, env.GetWorkflowError())
		if !ok {
			var out temporal.Output
			if err := env.GetWorkflowResult(&out); err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf(`"n":%d`, senders*each); !strings.Contains(string(out.Snapshot), want) {
				t.Errorf("the run ends with %s, expected %s", out.Snapshot, want)
			}
			break
		}
		if following.Continued.Previous == "" {
			t.Error("the execution before is not known")
		}
		in, now = following, env.Now()
	}
	if executions < 5 || again != senders*each {
		t.Errorf("%d continuations, %d events sent again", executions, again)
	}
	t.Logf("%d continuations", executions)
}

// callback tells what becomes of an update.
type callback struct{ complete func(any, error) }

func (*callback) Accept()                        {}
func (c *callback) Reject(err error)             { c.complete(nil, err) }
func (c *callback) Complete(view any, err error) { c.complete(view, err) }

// TestFull: an execution near its end, that cannot be continued while an attempt is under way, takes
// no events, and says why; operators are heard.
func TestFull(t *testing.T) {
	env, in := environment(t, counted, runtime.Handlers{})
	accepted, failed := false, error(nil)
	env.RegisterDelayedCallback(func() {
		env.SetCurrentHistoryLength(45_000)
		send(env, machine.ExternalEvent{Name: "Add"}, &accepted, &failed)
		env.UpdateWorkflow(temporal.UpdateSteer, "", &callback{func(any, error) {}}, temporal.Steer{Kind: machine.CancelInput})
	}, time.Second)
	env.ExecuteWorkflow(temporal.WorkflowType, in)
	if accepted || failed == nil || !strings.Contains(failed.Error(), "45000 events and 0 bytes, and goes on in a new one once no attempt is under way") {
		t.Errorf("accepted %t, %v", accepted, failed)
	}
	if !env.IsWorkflowCompleted() {
		t.Error("it goes on")
	}
}

// TestNotQuiet: an execution is not continued while an attempt is under way, and its end is not lost.
func TestNotQuiet(t *testing.T) {
	calls := 0
	env, in := environment(t, plain, runtime.Handlers{Activities: map[string]runtime.ActivityFunc{
		"work": func(context.Context, *runtime.Attempt) (runtime.Result, error) {
			calls++
			return runtime.Result{Event: "Worked", Data: json.RawMessage(`{"n": 1}`)}, nil
		}}})
	env.SetContinueAsNewSuggested(true)
	env.ExecuteWorkflow(temporal.WorkflowType, in)
	if err := env.GetWorkflowError(); err != nil || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}
