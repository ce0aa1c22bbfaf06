package e2e

import (
	"encoding/json"
	"testing"
	"time"

	"go.temporal.io/api/operatorservice/v1"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// TestListed: where the namespace has the search attributes, the list says where a run stands.
func TestListed(t *testing.T) {
	c := dial(t, t.Name())
	c.Searchable = true
	_, err := c.Temporal.OperatorService().AddSearchAttributes(t.Context(), &operatorservice.AddSearchAttributesRequest{
		Namespace: server().GetDefaultNamespace(), SearchAttributes: temporal.Attributes(),
	})
	must(t, err)
	serve(t, c, counter, runtime.Handlers{}, nil)
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) { // the server learns of them a moment later
		if err = c.Start(t.Context(), counter, "listed", nil); err == nil || time.Since(begun) > time.Minute {
			break
		}
	}
	must(t, err)
	if _, err := c.Send(t.Context(), "listed", machine.ExternalEvent{Name: "Stop", Data: json.RawMessage(`{}`)}); err != nil {
		t.Fatal(err)
	}
	var rows []temporal.Row
	for range 300 {
		if rows, err = c.List(t.Context(), 1000); err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if row.Run == "listed" && row.State == "Done" && row.Machine == "Counter" {
				return
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("the list does not say where the run stands: %+v", rows)
}
