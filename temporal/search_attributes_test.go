package temporal_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// TestSearch: the search attributes say where the run is, and are written where they have changed and
// the namespace has them.
func TestSearch(t *testing.T) {
	for _, searchable := range []bool{true, false} {
		env, in := environment(t, decided, runtime.Handlers{})
		in.Searchable = searchable
		env.RegisterDelayedCallback(func() {
			send(env, machine.ExternalEvent{Name: "Later", Data: []byte(`{"n": 1}`)}, new(bool), new(error))
		}, time.Second)
		env.RegisterDelayedCallback(func() { send(env, machine.ExternalEvent{Name: "Refuse"}, new(bool), new(error)) }, time.Hour)
		seen := map[string]string{}
		env.ExecuteWorkflow(func(ctx workflow.Context, in temporal.Input) (temporal.Output, error) {
			defer func() {
				attributes := workflow.GetTypedSearchAttributes(ctx)
				for key, value := range attributes.GetUntypedValues() {
					seen[key.GetName()] = fmt.Sprint(value)
				}
			}()
			return temporal.RunWorkflow(ctx, in)
		}, in)
		var names []string
		for name := range temporal.Attributes() {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if _, ok := seen[name]; ok != searchable {
				t.Errorf("searchable %t: %s is %q", searchable, name, seen[name])
			}
		}
		if searchable && (seen["fsmcState"] != "Refused" || seen["fsmcStatus"] != "finished" || seen["fsmcOutcome"] != "failure" || seen["fsmcMachine"] != "M") {
			t.Errorf("the attributes are %v", seen)
		}
	}
}
