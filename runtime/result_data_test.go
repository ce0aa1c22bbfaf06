package runtime_test

import (
	"context"
	"testing"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// TestNilData takes every nil as an object without fields.
func TestNilData(t *testing.T) {
	var noMap map[string]any
	var noStruct *struct{ N int }
	for name, data := range map[string]any{"nil": nil, "a nil map": noMap, "a nil pointer": noStruct} {
		t.Run(name, func(t *testing.T) {
			m := Build(t, WithEvent("Said", ""), WithActivity("say", "", "Said", ""),
				WithState("Saying", Doing("say", nil), On("Said", GoTo("Done")), On("failed", GoTo("Broken"))),
				WithTerminal("Done", machine.Success), WithTerminal("Broken", machine.Failed))
			e := NewEngine(memstore.New())
			register(t, e, m, Handlers{Activities: map[string]ActivityFunc{
				"say": func(context.Context, *Attempt) (Result, error) { return Result{Event: "Said", Data: data}, nil },
			}})
			start(t, e, "r", "")
			if v, err := e.RunUntilIdle(t.Context(), "r"); err != nil || v.State != "Done" {
				t.Errorf("the run is in %s, %v", v.State, err)
			}
		})
	}
}
