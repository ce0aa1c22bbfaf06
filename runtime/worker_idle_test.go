package runtime_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// TestWaitForWhatIsDue: a run whose timer is due does not wait for the outside alone,
// unless the engine cannot fire it.
func TestWaitForWhatIsDue(t *testing.T) {
	m := Build(t, WithEvent("Go", ""), WithGuard("ready", ""),
		WithState("A", On("Go", GoTo("Done")), After("10m", GoTo("B", When("ready()")), GoTo("Done"))),
		WithState("B", On("Go", GoTo("Done"))), WithTerminal("Done", machine.Success))
	ready := func(context.Context, json.RawMessage) (bool, error) { return true, nil }
	for want, guards := range map[string]map[string]GuardFunc{"B": {"ready": ready}, "A": nil} {
		synctest.Test(t, func(t *testing.T) {
			e := NewEngine(memstore.New())
			register(t, e, m, Handlers{Guards: guards})
			start(t, e, "r", "")
			time.Sleep(time.Hour)
			defer run(t, e).stop()
			if v, err := e.Wait(t.Context(), "r"); err != nil || v.State != want {
				t.Errorf("%+v, %v, want state %s", v, err, want)
			}
		})
	}
}
