// Package lsp serves editors: it speaks the language server protocol about files in the
// language, on standard input and output.
//
// In the order in which to read it: stream.go frames messages; server.go takes them, one
// after the other; document.go holds the texts that the editor has open, and folder.go
// what a folder of them is together, its snapshots and the waves of its findings. Then
// there is a file for each feature, a function of a snapshot, which never changes.
package lsp

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"runtime/debug"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang"
)

// Options are what a server needs of the program around it.
type Options struct {
	Version string

	// Load reads the files called paths, and what they import, as one unit. Of a file that
	// is open, by its path, it takes that text.
	Load func(paths []string, open map[string][]byte) (*lang.Unit, error)

	// Root is the root of the project to which a folder belongs: the folder itself where
	// nothing marks one. Where it is nil the folders of the editor are all there is.
	Root func(folder string) string

	// These have usual values where they are 0.
	Quiet  time.Duration // after an edit, until rules are applied
	Small  int           // configurations of a machine in the first check
	Limit  int           // and in the second one
	Budget time.Duration // for that

	began func(*server) // of tests, which look into it
}

// server is one conversation. Its fields belong to the goroutine that takes messages, but
// for those that say otherwise.
type server struct {
	Options
	conn     *jsonrpc2.Conn
	encoding proto.PositionEncodingKind
	roots    []string // folders that the editor has open
	hints    bool     // inlay hints are wanted
	editor   proto.WorkspaceClientCapabilities

	connected   chan struct{} // closed when the server has its connection
	ready, over bool
	exited      chan struct{}
	exit        func()
	docs        map[string]*document // open ones, by URI

	mu      sync.Mutex // of what follows
	folders map[string]*folder
	calls   map[jsonrpc2.ID]context.CancelFunc
	working sync.WaitGroup // requests that are not answered yet
}

// errNoShutdown is the end of a conversation that nobody announced.
var errNoShutdown = errors.New("the editor ended the conversation without a shutdown")

// Serve speaks with one editor until it says that it is done.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	o.Quiet, o.Budget = cmp.Or(o.Quiet, 150*time.Millisecond), cmp.Or(o.Budget, 10*time.Second)
	o.Small, o.Limit = cmp.Or(o.Small, 20_000), cmp.Or(o.Limit, explore.DefaultLimit)
	s := &server{
		Options: o, encoding: proto.UTF16, hints: true, connected: make(chan struct{}), exited: make(chan struct{}),
		docs: map[string]*document{}, folders: map[string]*folder{}, calls: map[jsonrpc2.ID]context.CancelFunc{},
	}
	s.conn = jsonrpc2.NewConn(ctx, &stream{in: bufio.NewReaderSize(in, maxHeader), out: out}, s, jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	s.exit = sync.OnceFunc(func() { close(s.exited) })
	if o.began != nil {
		o.began(s)
	}
	close(s.connected)
	defer s.conn.Close()
	defer s.closeFolders()
	select {
	case <-ctx.Done():
		return nil
	case <-s.conn.DisconnectNotify():
	case <-s.exited:
	}
	if !s.over {
		return errNoShutdown
	}
	return nil
}

// Handle takes one message. Edits and the like are carried out at once; a request is
// answered beside what comes after it, about the texts as they are now.
func (s *server) Handle(ctx context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) {
	<-s.connected
	if req.Notif {
		s.note(req)
		return
	}
	work, err := s.begin(req)
	if err != nil {
		s.reply(ctx, req.ID, nil, err)
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.calls[req.ID] = cancel
	s.mu.Unlock()
	s.working.Go(func() {
		result, err := guarded(ctx, req.Method, work)
		s.mu.Lock()
		delete(s.calls, req.ID)
		s.mu.Unlock()
		if ctx.Err() != nil {
			err = &jsonrpc2.Error{Code: codeCancelled, Message: "the request was cancelled"}
		}
		s.reply(context.WithoutCancel(ctx), req.ID, result, err)
		cancel()
	})
}

// Errors of the protocol that jsonrpc2 does not name.
const (
	codeNotInitialized = -32002
	codeCancelled      = -32800
	codeRequestFailed  = -32803
)

// refused is an error that the editor shows.
func refused(format string, args ...any) error {
	return &jsonrpc2.Error{Code: codeRequestFailed, Message: fmt.Sprintf(format, args...)}
}

// work is a request that has been understood.
type work func(context.Context) (any, error)

// guarded is work whose panic is an error: one feature that fails ends none of the others.
func guarded(ctx context.Context, method string, w work) (result any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: fmt.Sprintf("%s: %v\n%s", method, v, debug.Stack())}
		}
	}()
	return w(ctx)
}

func (s *server) reply(ctx context.Context, id jsonrpc2.ID, result any, err error) {
	if err == nil {
		_ = s.conn.Reply(ctx, id, result) // an error is that the editor is gone
		return
	}
	var e *jsonrpc2.Error
	if !errors.As(err, &e) {
		e = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: err.Error()}
	}
	_ = s.conn.ReplyWithError(ctx, id, e)
}

// begin understands a request.
func (s *server) begin(req *jsonrpc2.Request) (work, error) {
	feature := features[req.Method]
	switch {
	case s.over:
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the server is shut down"}
	case req.Method == "initialize" && s.ready:
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "the server is initialized already"}
	case req.Method == "initialize":
		feature = initialize
	case !s.ready:
		return nil, &jsonrpc2.Error{Code: codeNotInitialized, Message: "the first request is initialize"}
	case req.Method == "shutdown":
		s.over = true
		s.closeFolders()
		return func(context.Context) (any, error) { return nil, nil }, nil
	case feature == nil:
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: fmt.Sprintf("there is no method %q", req.Method)}
	}
	work, err := feature(s, req.Params)
	if err != nil {
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
	}
	return work, nil
}

// note carries out a notification. One that is not known, or comes too early, is none.
func (s *server) note(req *jsonrpc2.Request) {
	if req.Method == "exit" {
		s.working.Wait()
		s.exit()
		return
	}
	if !s.ready || s.over {
		return
	}
	var err error
	switch req.Method {
	case "initialized":
		s.watch()
	case "textDocument/didOpen":
		err = noted(req, s.opened)
	case "textDocument/didChange":
		err = s.edited(req)
	case "textDocument/didClose":
		err = noted(req, s.closed)
	case "workspace/didChangeWatchedFiles":
		s.reread()
	case "$/cancelRequest":
		err = noted(req, s.cancel)
	}
	if err != nil {
		s.tell(proto.MessageError, fmt.Sprintf("%s: %v", req.Method, err))
	}
}

func noted[P any](req *jsonrpc2.Request, f func(P) error) error {
	var p P
	if err := decode(req.Params, &p); err != nil {
		return err
	}
	return f(p)
}

func decode(params *json.RawMessage, into any) error {
	if params == nil {
		return errors.New("there are no parameters")
	}
	err := json.Unmarshal(*params, into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%q has a wrong value, a JSON %s", cmp.Or(wrong.Field, "params"), wrong.Value)
	}
	return err
}

// tell shows a message to the person at the editor.
func (s *server) tell(weight proto.MessageType, message string) {
	_ = s.conn.Notify(context.Background(), "window/showMessage", proto.ShowMessageParams{Type: weight, Message: "fsmc: " + message})
}

func (s *server) cancel(p proto.CancelParams) error {
	id := jsonrpc2.ID{}
	switch n := p.ID.(type) {
	case float64:
		id.Num = uint64(n)
	case string:
		id.Str, id.IsString = n, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.calls[id]; cancel != nil {
		cancel()
	}
	return nil
}
