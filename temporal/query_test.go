package temporal_test

import (
	"context"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// losing is a server that loses the first query. It may see before its client that the time is over.
type losing struct {
	client.Client
	first bool
	asked int
}

func (l *losing) QueryWorkflow(ctx context.Context, run, _, _ string, _ ...any) (converter.EncodedValue, error) {
	switch l.asked++; {
	case l.asked == 1 && l.first:
		return nil, serviceerror.NewDeadlineExceeded("context deadline exceeded")
	case l.asked == 1:
		<-ctx.Done()
		return nil, ctx.Err()
	}
	payloads, err := converter.GetDefaultDataConverter().ToPayloads(machine.View{Run: run})
	return client.NewValue(payloads), err
}

// TestQueryLost: a query that gets no answer is asked again, as long as there is patience.
func TestQueryLost(t *testing.T) {
	for _, first := range []bool{false, true} {
		server := &losing{first: first}
		c := &temporal.Client{Temporal: server, Patience: time.Second}
		if v, err := c.Show(t.Context(), "r"); err != nil || v.Run != "r" || server.asked != 2 {
			t.Errorf("first %t: asked %d times: %+v, %v", first, server.asked, v, err)
		}
	}
}
