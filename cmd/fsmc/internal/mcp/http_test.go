package mcp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/mcp"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/httpapi"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// newHTTP serves over HTTP, to a caller that the server takes for name, who may write or not.
func newHTTP(t *testing.T, name string, write bool) (*httptest.Server, *runtime.Engine) {
	t.Helper()
	engine := runtime.NewEngine(memstore.New())
	register(t, engine, purchase)
	s, err := mcp.New(t.Context(), mcp.Options{Engine: engine, Version: "test"})
	must(t, err)
	handler := s.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(httpapi.WithCaller(r.Context(), httpapi.Caller{Name: name, Write: write})))
	}))
	t.Cleanup(server.Close)
	return server, engine
}

// forging sends headers that are the guard's alone.
type forging struct{}

func (forging) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Fsmc-Caller", "serve:root")
	r.Header.Set("Fsmc-Caller-Write", "yes")
	return http.DefaultTransport.RoundTrip(r)
}

func overHTTP(t *testing.T, server *httptest.Server) *sdk.ClientSession {
	t.Helper()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "tester\n\x1b[31m", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: server.URL, HTTPClient: &http.Client{Transport: forging{}}}, nil)
	must(t, err)
	t.Cleanup(func() { session.Close() })
	return session
}

func TestHTTP(t *testing.T) {
	server, engine := newHTTP(t, "serve:ada", true)
	session := overHTTP(t, server)
	for tool, args := range map[string]map[string]any{
		"start_run": {"machine": "Purchase", "id": "p1", "params": map[string]any{"item": "x", "most": 1}},
	} {
		if r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args}); err != nil || r.IsError {
			t.Fatalf("%v, %+v", err, r)
		}
	}
	steps, err := engine.History(t.Context(), "p1", 0, 1)
	if err != nil || !strings.HasPrefix(steps[0].Actor, "serve:ada/mcp:tester") || strings.ContainsAny(steps[0].Actor, "\n\x1b") {
		t.Errorf("%+v, %v", steps, err)
	}
}

// TestHTTPReader holds that who may only look changes nothing, whatever headers the request has.
func TestHTTPReader(t *testing.T) {
	server, engine := newHTTP(t, "dashboard", false)
	session := overHTTP(t, server)
	r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "start_run", Arguments: map[string]any{
		"machine": "Purchase", "id": "p1", "params": map[string]any{"item": "x", "most": 1}}})
	if err != nil || !r.IsError || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, "may look at runs, and change nothing") {
		t.Errorf("%v, %+v", err, r)
	}
	if rows, err := engine.List(t.Context(), runtime.RunFilter{}); err != nil || len(rows) != 0 {
		t.Errorf("%+v, %v", rows, err)
	}
	if r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "list_runs"}); err != nil || r.IsError {
		t.Errorf("%v, %+v", err, r)
	}
}

func TestHTTPBadRequests(t *testing.T) {
	server, _ := newHTTP(t, "serve:ada", true)
	for _, c := range []struct {
		name, method, kind, accept, origin, body string
		status                                   int
	}{
		{"a page of another site", "POST", "application/json", "application/json, text/event-stream", "https://evil.example", `{}`, http.StatusForbidden},
		{"no JSON", "POST", "text/plain", "application/json, text/event-stream", "", `{}`, http.StatusUnsupportedMediaType},
		{"not an object", "POST", "application/json", "application/json, text/event-stream", "", `]`, http.StatusBadRequest},
		{"too much", "POST", "application/json", "application/json, text/event-stream", "",
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_run","arguments":{"run":"` + strings.Repeat("x", 1<<20) + `"}}}`, http.StatusRequestEntityTooLarge},
		{"a stream", "GET", "", "text/event-stream", "", "", http.StatusMethodNotAllowed},
		{"another method", "PUT", "application/json", "application/json, text/event-stream", "", `{}`, http.StatusMethodNotAllowed},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, server.URL, strings.NewReader(c.body))
		must(t, err)
		for header, value := range map[string]string{"Content-Type": c.kind, "Accept": c.accept, "Origin": c.origin} {
			if value != "" {
				req.Header.Set(header, value)
			}
		}
		res, err := http.DefaultClient.Do(req)
		must(t, err)
		res.Body.Close()
		if res.StatusCode != c.status {
			t.Errorf("%s: %s, want %d", c.name, res.Status, c.status)
		}
	}
}
