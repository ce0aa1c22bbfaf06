package e2e

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// TestManySenders: a server takes ten updates of a run at once, and refuses more. A client has fewer under way, and the
// others wait for their turn: who sends does not see it.
func TestManySenders(t *testing.T) {
	const senders = 64
	c := dial(t, t.Name())
	serve(t, c, counter, runtime.Handlers{}, nil)
	must(t, c.Start(t.Context(), counter, "many", nil))
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			e := machine.ExternalEvent{Name: "Add", Data: json.RawMessage(`{"n":1}`), ID: fmt.Sprint("e-", i)}
			if _, err := c.Send(t.Context(), "many", e); err != nil {
				t.Errorf("event %s: %v", e.ID, err)
			}
		})
	}
	all.Wait()
	if v, err := c.Show(t.Context(), "many"); err != nil || string(v.Data) != fmt.Sprintf(`{"n":%d}`, senders) {
		t.Errorf("the run has %s, %v", v.Data, err)
	}
}
