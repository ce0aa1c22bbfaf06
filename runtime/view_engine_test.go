package runtime_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// TestViewOfWaiting: which timers end the wait, which events are kept, and whether the
// run has taken longer than its budget.
func TestViewOfWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := *Build(t, WithFields("n int = 0"), WithEvent("Go", ""), WithEvent("Tick", ""),
			WithState("A", On("Go", GoTo("Out")), On("Tick", Deferring()),
				After("10m", Stay(Set("n", "1"))), After("20m", GoTo("B", When("n > 0")), Stay()), After("30m", GoTo("B", When("n > 0")), GoTo("Done")),
				After("40m", GoTo("A")), After("50m", GoTo("B"))),
			WithState("B", On("Tick", Stay()), On("Go", GoTo("Out"))),
			WithTerminal("Out", machine.Success), WithTerminal("Done", machine.Success)).Definition()
		d.Budget = &machine.Budget{Time: new(int64(5 * time.Minute))}
		m, err := machine.Compile(&d)
		must(t, err)
		e := knowing(t, memstore.New(), m)
		must(t, errOf(e.Start(t.Context(), d.Name, "r", nil)))
		send(t, e, "r", "Tick", "")
		v := send(t, e, "r", "Tick", "")
		ends := ""
		for _, timer := range v.Timers {
			ends += fmt.Sprint(timer.Due.Sub(v.Started).Minutes(), timer.Ends, " ")
		}
		if ends != "10 false 20 false 30 true 40 false 50 true " {
			t.Error(ends)
		}
		if fmt.Sprint(v.Deferred) != "[Tick Tick]" || v.OverBudget {
			t.Errorf("%+v", v)
		}
		time.Sleep(6 * time.Minute)
		if v := get(t, e, "r"); !v.OverBudget {
			t.Errorf("after %s: %+v", time.Since(v.Started), v)
		}
		send(t, e, "r", "Go", "")
		time.Sleep(time.Hour)
		if v := get(t, e, "r"); v.State != "Out" || !v.OverBudget {
			t.Errorf("%+v", v)
		}
	})
}
