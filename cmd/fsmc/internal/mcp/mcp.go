// Package mcp lets agents look at runs, steer them and check machines: a server of the Model
// Context Protocol (modelcontextprotocol.io) over standard input and output, or over HTTP. It
// is the one door to the protocol's Go SDK.
//
// What an agent is told of a run is what the command line says of it: the same sentence, the
// same refusal. Every answer about a run has one shape, and a refusal names what the run would
// take, so that the next try can be right.
//
// Tool.go is what a tool is made of, and reads its arguments; look.go has
// the tools that look, act.go those that change a run, author.go those that store nothing, and events.go
// those that --machine makes of events. Answer.go says how a run stands; output.go has the
// schemas of answers, written by hand: a schema that is inferred can refuse an answer after
// the event has been sent. Resource.go gives what clients put into a context by themselves. Lines.go reads
// and writes the messages on standard input and output.
package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/httpapi"
)

// Options say what a Server serves.
type Options struct {
	Engine *runtime.Engine
	// Machine is one of which each event is a tool of its own; empty for none.
	Machine  string
	ReadOnly bool // there is no tool that changes anything
	HideData bool // no payloads, parameters, data, checkpoints and messages are told
	Version  string
	Front    FrontEnd
}

// FrontEnd is what the compiler says.
type FrontEnd struct {
	// Check is the report of fsmc check --format json on a source text.
	Check func(ctx context.Context, source string) (any, error)
	// Explain is the page of a rule.
	Explain func(rule string) (string, error)
	// Diagram draws a version of a machine as Mermaid.
	Diagram func(v *runtime.Version) (string, error)
}

// Server answers agents.
type Server struct {
	Options
	server   *sdk.Server
	checking chan struct{}
}

// instructions are what an agent is told before its first call.
const instructions = `Runs of workflows that are written as finite state machines. Every answer about a run says in
"summary" what it waits for, and in "next_allowed_actions" which events it takes now, each with the JSON Schema of its data.
Send no other event: it would be refused, and change nothing. Activities end by themselves, where a worker runs; look
again with get_run. Use simulate to see what an event would lead to, and check_machine when you write a machine.`

// New gives a server. Its tools do not change afterwards. The error is of the store, or for a
// Machine that is not there.
func New(ctx context.Context, o Options) (*Server, error) {
	s := &Server{Options: o, checking: make(chan struct{}, 1)}
	s.server = sdk.NewServer(&sdk.Implementation{Name: "fsmc", Title: "fsmc", Version: o.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		// Nothing in the lists changes while a session lasts, and nothing is logged to clients.
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
	})
	tools := append(s.lookers(), s.authors()...)
	if !s.ReadOnly {
		tools = append(tools, s.actors()...)
	}
	if s.Machine != "" {
		own, err := s.actions(ctx)
		if err != nil {
			return nil, err
		}
		if !s.ReadOnly {
			tools = append(tools, own...)
		}
	}
	for i := range tools {
		s.add(&tools[i])
	}
	s.addResources()
	return s, nil
}

// Serve answers one client, a line of JSON each way, until in ends or ctx is done.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	err := s.server.Run(ctx, newLines(in, out))
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the client cannot be answered any more: %w", err)
	}
	return nil
}

const (
	// sessionTimeout is how long a session over HTTP is kept that sends nothing.
	sessionTimeout = 30 * time.Minute
	// maxBody is the most bytes of a request over HTTP.
	maxBody = 1 << 20
)

// callerHeader carries who makes a request from the guard to the tool: the SDK gives a
// tool the headers of a request, and not its context. It is set here, whatever the client has sent.
const (
	callerHeader = "Fsmc-Caller"
	writeHeader  = "Fsmc-Caller-Write"
)

// Handler serves the protocol over HTTP, by its streamable transport. Who makes a request, and its Host, is for
// a httpapi.Guard before it to judge.
func (s *Server) Handler() http.Handler {
	streamable := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.server }, &sdk.StreamableHTTPOptions{
		SessionTimeout: sessionTimeout, MaxRequestBodyBytes: maxBody, JSONResponse: true, DisableLocalhostProtection: true,
	})
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // a stream of what the server says by itself, which is nothing
			w.Header().Set("Allow", "POST, DELETE")
			http.Error(w, "there is no stream here", http.StatusMethodNotAllowed)
			return
		}
		r = r.Clone(r.Context())
		caller, _ := httpapi.CallerOf(r.Context())
		r.Header.Set(callerHeader, caller.Name)
		r.Header.Del(writeHeader)
		if caller.Write {
			r.Header.Set(writeHeader, "yes")
		}
		streamable.ServeHTTP(w, r)
	}))
}
