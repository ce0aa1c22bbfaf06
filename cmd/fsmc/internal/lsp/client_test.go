package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang"
)

// client is an editor, of which tests say what it does.
type client struct {
	t    testing.TB
	dir  string
	conn *jsonrpc2.Conn
	s    *server
	done chan error

	mu       sync.Mutex
	found    map[string]proto.PublishDiagnosticsParams // the latest, by URI
	every    []proto.PublishDiagnosticsParams
	messages []string
	asked    []string          // the methods of what the server asks of the editor
	texts    map[string]string // open ones, by name
	versions map[string]int32
}

// both joins two halves of a connection.
type both struct {
	io.Reader
	io.WriteCloser
}

// loadFiles is the Load of tests: files without imports of other folders.
func loadFiles(paths []string, open map[string][]byte) (*lang.Unit, error) {
	var sources []lang.Source
	for _, path := range paths {
		text := open[path]
		if text == nil {
			var err error
			if text, err = os.ReadFile(path); err != nil {
				return nil, err
			}
		}
		sources = append(sources, lang.Source{Name: path, Src: text})
	}
	return lang.Load(sources), nil
}

// start begins a server and an editor, without a word between them.
func start(t testing.TB, o Options) *client {
	t.Helper()
	o.Load = loadFiles
	if o.Quiet == 0 {
		o.Quiet = time.Millisecond
	}
	c := &client{
		t: t, dir: t.TempDir(), done: make(chan error, 1), found: map[string]proto.PublishDiagnosticsParams{},
		texts: map[string]string{}, versions: map[string]int32{},
	}
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	ready := make(chan *server, 1)
	o.began = func(s *server) { ready <- s }
	go func() {
		err := Serve(context.Background(), toServer, fromServer, o)
		fromServer.Close()
		toServer.Close()
		c.done <- err
	}()
	c.conn = jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(both{toClient, fromClient}, jsonrpc2.VSCodeObjectCodec{}),
		jsonrpc2.HandlerWithError(func(_ context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) (any, error) { return nil, c.told(req) }),
		jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	c.s = <-ready
	t.Cleanup(func() { c.conn.Close(); <-c.done })
	return c
}

// begin is start, with what comes first in every conversation.
func begin(t testing.TB, o Options, encodings ...proto.PositionEncodingKind) *client {
	t.Helper()
	c := start(t, o)
	root := uriOf(c.dir)
	var answer proto.InitializeResult
	c.must("initialize", proto.InitializeParams{
		RootURI: &root, Capabilities: proto.ClientCapabilities{General: proto.GeneralClientCapabilities{PositionEncodings: encodings}},
	}, &answer)
	c.notify("initialized", struct{}{})
	return c
}

func (c *client) told(req *jsonrpc2.Request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch req.Method {
	case "textDocument/publishDiagnostics":
		var p proto.PublishDiagnosticsParams
		if err := json.Unmarshal(*req.Params, &p); err != nil {
			return err
		}
		c.found[p.URI] = p
		c.every = append(c.every, p)
	case "window/showMessage":
		c.messages = append(c.messages, string(*req.Params))
	default:
		c.asked = append(c.asked, req.Method)
	}
	return nil
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	if err := c.conn.Notify(context.Background(), method, params); err != nil {
		c.t.Fatal(method, err)
	}
}

func (c *client) call(method string, params, result any) error {
	return c.conn.Call(context.Background(), method, params, result)
}

func (c *client) must(method string, params, result any) {
	c.t.Helper()
	if err := c.call(method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *client) path(name string) string { return filepath.Join(c.dir, name) }
func (c *client) uri(name string) string  { return uriOf(c.path(name)) }

func (c *client) open(name, text string) {
	c.texts[name], c.versions[name] = text, 1
	c.notify("textDocument/didOpen", proto.DidOpenTextDocumentParams{TextDocument: proto.TextDocumentItem{URI: c.uri(name), LanguageID: "fsm", Version: 1, Text: text}})
}

// edit replaces the bytes from start to end.
func (c *client) edit(name string, start, end int, text string) {
	old := c.texts[name]
	d := newDocument(c.uri(name), 0, []byte(old))
	span := rangeOf(d.file, d.file.Span(start, end), c.s.encoding)
	c.texts[name] = old[:start] + text + old[end:]
	c.change(name, proto.TextDocumentContentChangeEvent{Range: &span, Text: text})
}

func (c *client) change(name string, changes ...proto.TextDocumentContentChangeEvent) {
	c.versions[name]++
	c.notify("textDocument/didChange", proto.DidChangeTextDocumentParams{
		TextDocument: proto.VersionedTextDocumentIdentifier{URI: c.uri(name), Version: c.versions[name]}, ContentChanges: changes,
	})
}

// at is the place of the n-th text in a file, from 1, and behind it where behind.
func (c *client) at(name, text string, n int) proto.TextDocumentPositionParams {
	c.t.Helper()
	src, from := c.texts[name], 0
	for ; n > 1; n-- {
		from += strings.Index(src[from:], text) + len(text)
	}
	at := strings.Index(src[from:], text)
	if at < 0 {
		c.t.Fatalf("%s has no %q", name, text)
	}
	d := newDocument(c.uri(name), 0, []byte(src))
	return proto.TextDocumentPositionParams{
		DocumentParams: proto.DocumentParams{TextDocument: proto.TextDocumentIdentifier{URI: c.uri(name)}},
		Position:       positionOf(d.file, d.file.Pos(from+at), c.s.encoding),
	}
}

// settle waits until all waves about the latest texts are over, and their findings here.
func (c *client) settle() {
	c.t.Helper()
	c.sync()
	for _, f := range c.s.allFolders() {
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			f.mu.Lock()
			over := f.latest == nil || f.whole == f.latest && f.ended == f.latest
			f.mu.Unlock()
			if over {
				break
			}
			if time.Now().After(deadline) {
				c.t.Fatal("the waves do not end")
			}
		}
	}
	c.sync()
}

// sync waits until the server has taken all messages, and what it said has come.
func (c *client) sync() {
	c.t.Helper()
	var symbols any
	c.must("workspace/symbol", proto.WorkspaceSymbolParams{Query: "\x00"}, &symbols)
}

// findings are those of all texts, in order.
func (c *client) findings() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for _, uri := range slices.Sorted(maps.Keys(c.found)) {
		lines := []string{}
		for _, d := range c.found[uri].Diagnostics {
			message, _, _ := strings.Cut(d.Message, "\n")
			lines = append(lines, fmt.Sprintf("%s:%d:%d-%d:%d: %s: %s\n", filepath.Base(uri), d.Range.Start.Line+1, d.Range.Start.Character+1,
				d.Range.End.Line+1, d.Range.End.Character+1, d.Code, message))
		}
		slices.Sort(lines)
		b.WriteString(strings.Join(lines, ""))
	}
	return b.String()
}
