package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

var (
	// oneByOne finds a machine that runs for the elements of a list: children that end at once would be told in
	// any order.
	oneByOne = regexp.MustCompile(`(do machine .* for \w+ in \w+)( limit \d+)?`)
	// limits finds the limit of a child, and timers a timer: what else takes time here takes whole seconds, and at
	// the same instant anything may be first.
	limits = regexp.MustCompile(`(do machine .*) timeout \w+`)
	timers = regexp.MustCompile(`after (\d+)s`)
)

// generateTree makes up machines that call machines.
func generateTree(seed uint64) string {
	source := elements.ReplaceAllString(oracletest.GenerateTree(rand.New(rand.NewPCG(seed, 0))), "$1 limit 1")
	source = limits.ReplaceAllString(oneByOne.ReplaceAllString(source, "$1 limit 1"), "$1 timeout 13300ms")
	if seed%5 == 0 {
		source = activities.ReplaceAllString(source, "$1 limit 1 per 17370ms")
	}
	return timers.ReplaceAllString(source, "after ${1}170ms")
}

// TestTrees: machines that call machines make the same records, snapshots, answers and messages as on the
// store in memory, each run of the tree.
func TestTrees(t *testing.T) {
	n := *count
	if testing.Short() {
		n = 20
	}
	records, before := 0, children
	skipped, again = 0, 0
	for seed, played := *first, 0; played < n+skipped; seed++ {
		source := generateTree(seed)
		machines := tabletest.Machines(t, source)
		if len(machines) < 2 || !machines[len(machines)-1].Calls() {
			continue
		}
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r, _ := playBoth(t, seed, machines...)
			records += r
		}) {
			t.Logf("the machines of seed %d:\n%s", seed, source)
		}
		played++
	}
	if children-before < n/2 {
		t.Errorf("%d children: the test sees little", children-before)
	}
	few(t, n)
	t.Logf("%d tapes left out, %d records of parents, %d children", skipped, records, children-before)
}

// treeEnvironment is one for a run of the last machine of a source, which calls the others.
func treeEnvironment(t *testing.T, source string, h map[string]runtime.Handlers) (*testsuite.TestWorkflowEnvironment, temporal.Input) {
	t.Helper()
	machines := tabletest.Machines(t, source)
	if len(machines) == 0 {
		t.Fatal("the machines do not compile")
	}
	top := machines[len(machines)-1]
	w, in := temporal.Worker{Name: "w", Machine: top, Handlers: h[top.Definition().Name]}, temporal.Input{Definition: top.Definition().Encode()}
	for _, m := range machines[:len(machines)-1] {
		w.Callees = append(w.Callees, temporal.Callee{Machine: m, Handlers: h[m.Definition().Name]})
		in.Callees = append(in.Callees, m.Definition().Encode())
	}
	env := quiet()
	env.SetStartWorkflowOptions(startOptions)
	env.SetWorkflowRunTimeout(1000 * time.Hour)
	if err := temporal.Register(env, w); err != nil {
		t.Fatal(err)
	}
	return env, in
}

// steer lets an operator act on the run.
func steer(env *testsuite.TestWorkflowEnvironment, o temporal.Steer, answered func(error)) {
	env.UpdateWorkflow(temporal.UpdateSteer, "", &callback{func(_ any, err error) { answered(err) }}, o)
}

// viewOf is how a run of the tree stands; empty is the top one.
func viewOf(t *testing.T, env *testsuite.TestWorkflowEnvironment, run string) (v machine.View) {
	t.Helper()
	value, err := env.QueryWorkflow(temporal.QueryView)
	if run != "" {
		value, err = env.QueryWorkflowByID(run, temporal.QueryView)
	}
	if err == nil {
		err = value.Get(&v)
	}
	if err != nil {
		t.Error(err)
	}
	return v
}

const batch = `machine Batch(items [0..5]int) {
	event Go
	context { n int 0..100 = 0 }
	initial Waiting
	state Waiting {
		on Go -> Working
	}
	state Working {
		do machine Part(item) for item in items limit 3 as part
		on part.Done { n = min(n + event.n, 100) }
		on part.Bad, part.failed -> Broken
		on done -> All
		on cancel -> Stopped
	}
	terminal All success returns n
	terminal Broken failure
	terminal Stopped cancelled
}

machine Part(item int) {
	event Worked { n int 0..20 }
	event Cleaned
	context { n int 0..20 = 0 }
	activity work(item int) -> Worked
	activity clean() -> Cleaned
	initial Working
	on failed -> Bad
	state Working {
		do work(item)
		on Worked -> Done { n = event.n }
		on cancel -> Cleaning
	}
	state Cleaning {
		do clean()
		on Cleaned -> Bad
	}
	terminal Done success returns n
	terminal Bad failure
}
`

// TestFanOfChildren: children run side by side, as many as the limit says, and all that they return is taken.
func TestFanOfChildren(t *testing.T) {
	var mu sync.Mutex
	now, most := 0, 0
	work := func(_ context.Context, a *runtime.Attempt) (runtime.Result, error) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		time.Sleep(50 * time.Millisecond)
		mu.Lock()
		now--
		mu.Unlock()
		var args struct{ Item int }
		err := json.Unmarshal(a.Args, &args)
		return runtime.Result{Event: "Worked", Data: json.RawMessage(fmt.Sprintf(`{"n": %d}`, 2*args.Item))}, err
	}
	clean := func(context.Context, *runtime.Attempt) (runtime.Result, error) {
		return runtime.Result{Event: "Cleaned"}, nil
	}
	env, in := treeEnvironment(t, batch, map[string]runtime.Handlers{"Part": {Activities: map[string]runtime.ActivityFunc{"work": work, "clean": clean}}})
	in.Params = json.RawMessage(`{"items": [1, 2, 3, 4, 5]}`)
	env.RegisterDelayedCallback(func() { send(env, machine.ExternalEvent{Name: "Go"}, new(bool), new(error)) }, time.Second)
	env.ExecuteWorkflow(temporal.WorkflowType, in)
	var out temporal.Output
	if err := env.GetWorkflowResult(&out); err != nil || !strings.Contains(string(out.Snapshot), `"n":30`) {
		t.Errorf("it ends with %s, %v", out.Snapshot, err)
	}
	if most != 3 {
		t.Errorf("%d children worked at once", most)
	}
}

// TestCancelOfTree: a cancel of the parent, by an operator or by Temporal, reaches its children, and the parent
// waits until they have cleaned up. With force they do not.
func TestCancelOfTree(t *testing.T) {
	for name, test := range map[string]struct {
		cancel func(*testsuite.TestWorkflowEnvironment, func(error))
		clean  int
		child  string // how it ends
	}{
		"operator": {func(env *testsuite.TestWorkflowEnvironment, answered func(error)) {
			steer(env, temporal.Steer{Kind: machine.CancelInput, Actor: "op"}, answered)
		}, 3, "Bad"},
		"force": {func(env *testsuite.TestWorkflowEnvironment, answered func(error)) {
			steer(env, temporal.Steer{Kind: machine.CancelInput, Actor: "op", Force: true}, answered)
		}, 0, "Working"},
		"temporal": {func(env *testsuite.TestWorkflowEnvironment, answered func(error)) {
			env.CancelWorkflow()
			answered(nil)
		}, 3, "Bad"},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			cleaned, answers := 0, 0
			work := func(ctx context.Context, _ *runtime.Attempt) (runtime.Result, error) {
				<-ctx.Done()
				return runtime.Result{}, ctx.Err()
			}
			clean := func(context.Context, *runtime.Attempt) (runtime.Result, error) {
				mu.Lock()
				defer mu.Unlock()
				cleaned++
				return runtime.Result{Event: "Cleaned"}, nil
			}
			env, in := treeEnvironment(t, batch, map[string]runtime.Handlers{"Part": {Activities: map[string]runtime.ActivityFunc{"work": work, "clean": clean}}})
			in.Params = json.RawMessage(`{"items": [1, 2, 3, 4, 5]}`)
			env.SetTestTimeout(20 * time.Second)
			env.RegisterDelayedCallback(func() { send(env, machine.ExternalEvent{Name: "Go"}, new(bool), new(error)) }, 0)
			var once sync.Once
			env.SetOnActivityStartedListener(func(*activity.Info, context.Context, converter.EncodedValues) {
				once.Do(func() { // no time passes while an attempt is under way
					test.cancel(env, func(err error) {
						answers++
						if err != nil {
							t.Error(err)
						}
					})
				})
			})
			env.ExecuteWorkflow(temporal.WorkflowType, in)
			if !sdk.IsCanceledError(env.GetWorkflowError()) || answers != 1 || cleaned != test.clean {
				t.Errorf("%v after %d answers, and %d that cleaned up", env.GetWorkflowError(), answers, cleaned)
			}
			v := viewOf(t, env, "")
			if v.Status != machine.Finished || v.Outcome != machine.Cancelled {
				t.Errorf("the parent is %s, %s", v.Status, v.Outcome)
			}
			for i := range 3 {
				v := viewOf(t, env, fmt.Sprintf("%s/Working.part.2.1[%d]", startOptions.ID, i))
				if v.Status != machine.Finished || v.State != test.child {
					t.Errorf("child %d is %s in %s", i, v.Status, v.State)
				}
			}
		})
	}
}

const nested = `machine Top {
	context { limit int 0..9 = 5 }
	initial Working
	state Working {
		do machine Middle(limit) timeout 10h
		on Middle.Ended -> Done
		on failed(timeout) -> Late
		on failed -> Failed
	}
	terminal Done success
	terminal Late failure
	terminal Failed failure
}

machine Middle(limit int 0..7) {
	initial Working
	state Working {
		do machine Bottom()
		on Bottom.Ended -> Ended
		on failed -> Ended
	}
	terminal Ended success
}

machine Bottom {
	initial Working
	state Working {
		after 2h -> Ended
	}
	terminal Ended success
}
`

// TestPauseOfTree: a pause and a resume reach those below, whose timers stand still meanwhile.
func TestPauseOfTree(t *testing.T) {
	env, in := treeEnvironment(t, nested, nil)
	bottom := startOptions.ID + "/Working.Middle.1.1/Working.Bottom.1.1"
	asked := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	env.RegisterDelayedCallback(func() { steer(env, temporal.Steer{Kind: machine.PauseInput}, asked) }, time.Hour)
	env.RegisterDelayedCallback(func() {
		if v := viewOf(t, env, bottom); !v.Paused || v.State != "Working" {
			t.Errorf("below it is not paused: %s", encode(v))
		}
		if v := viewOf(t, env, ""); len(v.Activities) != 1 || v.Activities[0].Child == nil || v.Activities[0].Child.Run != startOptions.ID+"/Working.Middle.1.1" {
			t.Errorf("its child is not shown: %s", encode(v))
		}
		steer(env, temporal.Steer{Kind: machine.ResumeInput}, asked)
	}, 5*time.Hour)
	env.ExecuteWorkflow(temporal.WorkflowType, in)
	if err := env.GetWorkflowError(); err != nil {
		t.Error(err)
	}
	if v := viewOf(t, env, bottom); v.Updated.Sub(v.Started) != 6*time.Hour {
		t.Errorf("it ends after %s", v.Updated.Sub(v.Started))
	}
}

// TestTimeoutOfChild: a child whose time is over while its parent is paused is cancelled when that resumes; and
// arguments that do not fit fail without a child.
func TestTimeoutOfChild(t *testing.T) {
	env, in := treeEnvironment(t, nested, nil)
	started := 0
	env.SetOnChildWorkflowStartedListener(func(*workflow.Info, workflow.Context, converter.EncodedValues) { started++ })
	middle := startOptions.ID + "/Working.Middle.1.1"
	env.RegisterDelayedCallback(func() { steer(env, temporal.Steer{Kind: machine.PauseInput}, func(error) {}) }, time.Hour)
	env.RegisterDelayedCallback(func() { steer(env, temporal.Steer{Kind: machine.ResumeInput}, func(error) {}) }, 11*time.Hour)
	env.ExecuteWorkflow(temporal.WorkflowType, in)
	var failure *sdk.ApplicationError
	if !errors.As(env.GetWorkflowError(), &failure) || failure.Type() != "Late" || started != 2 {
		t.Errorf("%v with %d children", env.GetWorkflowError(), started)
	}
	if v := viewOf(t, env, middle); v.Outcome != machine.Cancelled {
		t.Errorf("the child is %s, %s", v.Status, v.Outcome)
	}

	env, in = treeEnvironment(t, strings.Replace(nested, "= 5", "= 9", 1), nil)
	started = 0
	env.SetOnChildWorkflowStartedListener(func(*workflow.Info, workflow.Context, converter.EncodedValues) { started++ })
	env.ExecuteWorkflow(temporal.WorkflowType, in)
	if !errors.As(env.GetWorkflowError(), &failure) || failure.Type() != "Failed" || started != 0 {
		t.Errorf("%v with %d children", env.GetWorkflowError(), started)
	}
	if history, _ := (&player{env: env}).look(t, ""); !strings.Contains(string(history[1]), "out of range") {
		t.Errorf("the second record is %s", history[1])
	}
}

const held = `machine Payer {
	budget { usd 1.00 }
	context { n int 0..9 = 0 }
	initial Paying
	on over_budget -> Spent
	state Paying {
		do machine Spender()
		on Spender.Ended -> Done
		on failed -> Failed
	}
	terminal Done success
	terminal Spent failure
	terminal Failed failure
}

machine Spender {
	event Paid
	activity pay() -> Paid cost usd 0.40
	initial Paying
	state Paying {
		do pay()
		on Paid -> Resting
		on failed -> Ended
	}
	state Resting {
		after 1m -> Paying
	}
	terminal Ended success
}
`

// TestBudgetOfTree: what a child uses is told on the way, so that the parent takes over_budget while it goes on.
func TestBudgetOfTree(t *testing.T) {
	paid := 0
	pay := func(context.Context, *runtime.Attempt) (runtime.Result, error) {
		paid++
		return runtime.Result{Event: "Paid", Cost: map[string]json.Number{"usd": "0.40"}}, nil
	}
	env, in := treeEnvironment(t, held, map[string]runtime.Handlers{"Spender": {Activities: map[string]runtime.ActivityFunc{"pay": pay}}})
	// The environment knows no way from a child to the top.
	env.OnSignalExternalWorkflow(mock.Anything, startOptions.ID, "", temporal.SignalTold, mock.Anything).Return(
		func(_, _, _, name string, arg any) error {
			env.SignalWorkflow(name, arg)
			return nil
		})
	env.ExecuteWorkflow(temporal.WorkflowType, in)
	var failure *sdk.ApplicationError
	if !errors.As(env.GetWorkflowError(), &failure) || failure.Type() != "Spent" || paid != 3 {
		t.Errorf("%v after %d payments", env.GetWorkflowError(), paid)
	}
	if _, snapshot := (&player{env: env}).look(t, ""); !strings.Contains(string(snapshot), `"spent":[{"name":"usd","amount":"1.2"}]`) {
		t.Errorf("the parent is %s", snapshot)
	}
}

// TestCalleeMissing: who starts or serves a machine brings those that it calls.
func TestCalleeMissing(t *testing.T) {
	machines := tabletest.Machines(t, nested)
	top := machines[len(machines)-1]
	err := temporal.Register(quiet(), temporal.Worker{Machine: top, Callees: []temporal.Callee{{Machine: machines[1]}}})
	if err == nil || !strings.Contains(err.Error(), `machine "Middle": it calls the machine "Bottom", and that version of it is not brought`) {
		t.Error(err)
	}
	err = (&temporal.Client{}).Start(t.Context(), top, "a", nil)
	if err == nil || !strings.Contains(err.Error(), `machine "Top": it calls the machine "Middle"`) {
		t.Error(err)
	}
	err = temporal.Register(quiet(), temporal.Worker{Machine: machines[0], Callees: []temporal.Callee{{Machine: top}}})
	if err == nil || !strings.Contains(err.Error(), `machine "Top" is not called by machine "Bottom"`) {
		t.Error(err)
	}
}

const limitedCallee = `machine Top {
	initial Working
	on failed -> Broken
	state Working {
		do machine Below()
		on Below.Ended -> Again
	}
	state Again {
		do machine Below()
		on Below.Ended -> Done
	}
	terminal Done success
	terminal Broken failure
}

machine Below {
	event Worked
	activity work() -> Worked LIMIT
	initial Working
	state Working {
		do work()
		on Worked -> Ended
		on failed -> Ended
	}
	terminal Ended success
}
`

// TestLimits: a machine that is called waits for the limit of its own activity.
func TestLimits(t *testing.T) {
	for limit, began := range map[string]time.Duration{"limit 1 per 1m": time.Minute, "limit 1 at once": 0} {
		machines := tabletest.Machines(t, strings.Replace(limitedCallee, "LIMIT", limit, 1))
		if len(machines) != 2 {
			t.Fatal("the machines do not compile")
		}
		env, server := quiet(), &limitServer{limiters: map[string]*temporal.Limiter{}}
		server.env = env
		begin, made := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), []time.Duration(nil)
		env.SetStartTime(begin)
		env.SetStartWorkflowOptions(startOptions)
		work := runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"work": func(context.Context, *runtime.Attempt) (runtime.Result, error) {
			made = append(made, env.Now().Sub(begin).Truncate(10*time.Second)) // a child starts by the clock on the wall
			return runtime.Result{Event: "Worked"}, nil
		}}}
		err := temporal.Register(env, temporal.Worker{Machine: machines[1], Client: server, Callees: []temporal.Callee{{Machine: machines[0], Handlers: work}}})
		if err != nil {
			t.Fatal(err)
		}
		env.ExecuteWorkflow(temporal.WorkflowType, temporal.Input{Definition: machines[1].Definition().Encode(), Callees: []json.RawMessage{machines[0].Definition().Encode()}})
		if v := viewOf(t, env, ""); v.State != "Done" || !slices.Equal(made, []time.Duration{0, began}) {
			history, _ := (&player{env: env}).look(t, "")
			t.Errorf("%s: it ends in %s after attempts at %v: %v\n%s", limit, v.State, made, env.GetWorkflowError(), history)
		}
		if l := server.limiters[temporal.LimiterID("Below", "work")]; len(l.Places) > 0 {
			t.Errorf("%s: there are places left: %+v", limit, l.Places[0])
		}
	}
}
