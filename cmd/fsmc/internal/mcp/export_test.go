package mcp

import (
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Connect lets s serve the other end of a transport.
func Connect(t *testing.T, s *Server, transport sdk.Transport) {
	t.Helper()
	if _, err := s.server.Connect(t.Context(), transport, nil); err != nil {
		t.Fatal(err)
	}
}
