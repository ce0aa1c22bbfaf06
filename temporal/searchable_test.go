package temporal_test

import (
	"context"
	"strings"
	"testing"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"

	"github.com/fsmc-dev/fsmc/temporal"
)

// bare is a server whose namespace has some search attributes.
type bare struct {
	client.Client
	operatorservice.OperatorServiceClient
	has map[string]enums.IndexedValueType
}

func (b *bare) OperatorService() operatorservice.OperatorServiceClient { return b }

func (b *bare) ListSearchAttributes(context.Context, *operatorservice.ListSearchAttributesRequest, ...grpc.CallOption) (*operatorservice.ListSearchAttributesResponse, error) {
	return &operatorservice.ListSearchAttributesResponse{CustomAttributes: b.has}, nil
}

// TestSearchableUnregistered: a run that is to be listed by search attributes does not start where the namespace
// has them not, since a server refuses each step that writes one. The error says what to do.
func TestSearchableUnregistered(t *testing.T) {
	for want, change := range map[string]func(map[string]enums.IndexedValueType){
		"--name fsmcState --type Keyword": func(has map[string]enums.IndexedValueType) { delete(has, "fsmcState") },
		"fsmcEntered is of the type Text": func(has map[string]enums.IndexedValueType) {
			has["fsmcEntered"] = enums.INDEXED_VALUE_TYPE_TEXT
		},
	} {
		server := &bare{has: temporal.Attributes()}
		change(server.has)
		c := temporal.Client{Temporal: server, Searchable: true}
		if err := c.Start(t.Context(), compiled(decided), "r", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("expected %q, got %v", want, err)
		}
	}
}
