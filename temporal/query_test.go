package temporal_test

import (
	"context"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// losing is a server that loses the first query.
type losing struct {
	client.Client
	asked int
}

func (l *losing) QueryWorkflow(ctx context.Context, run, _, _ string, _ ...any) (converter.EncodedValue, error) {
	if l.asked++; l.asked == 1 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	payloads, err := converter.GetDefaultDataConverter().ToPayloads(machine.View{Run: run})
	return client.NewValue(payloads), err
}

// TestQueryLost: a query that gets no answer is asked again, as long as there is patience.
func TestQueryLost(t *testing.T) {
	server := &losing{}
	c := &temporal.Client{Temporal: server, Patience: time.Second}
	if v, err := c.Show(t.Context(), "r"); err != nil || v.Run != "r" || server.asked != 2 {
		t.Errorf("asked %d times: %+v, %v", server.asked, v, err)
	}
}
