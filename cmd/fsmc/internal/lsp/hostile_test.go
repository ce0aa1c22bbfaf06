package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
)

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"rootUri":null,"capabilities":{}}}`
const goodbye = `{"jsonrpc":"2.0","id":99,"method":"shutdown"}`

// raw plays bytes, and gives the answers by id.
func raw(t *testing.T, input string) (answers map[string]string, err error) {
	t.Helper()
	out, in := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := Serve(context.Background(), strings.NewReader(input), in, Options{Load: loadFiles})
		in.Close()
		done <- err
	}()
	answers = map[string]string{}
	for r := bufio.NewReader(out); ; {
		var m struct {
			ID     json.RawMessage
			Result json.RawMessage
			Error  *jsonrpc2.Error
			Method string
		}
		if err := (jsonrpc2.VSCodeObjectCodec{}).ReadObject(r, &m); err != nil {
			return answers, <-done
		}
		text := "ok"
		if m.Error != nil {
			text = fmt.Sprint(m.Error.Code)
		}
		if m.Method == "" {
			answers[string(m.ID)] += text
		}
	}
}

// TestHostile sends what no editor should: the server answers, and goes on.
func TestHostile(t *testing.T) {
	for name, c := range map[string]struct{ sent, id, want string }{
		"request before initialize": {framed(`{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":{}}`), "7", "-32002"},
		"unknown method":            {framed(hello) + framed(`{"jsonrpc":"2.0","id":7,"method":"nonsense"}`), "7", "-32601"},
		"no parameters":             {framed(hello) + framed(`{"jsonrpc":"2.0","id":7,"method":"textDocument/hover"}`), "7", "-32602"},
		"wrong parameters":          {framed(hello) + framed(`{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":[1]}`), "7", "-32602"},
		"text that is not open":     {framed(hello) + framed(`{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///x.fsm"},"position":{"line":0,"character":0}}}`), "7", "-32602"},
		"negative place":            {framed(hello) + framed(`{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":{"textDocument":{"uri":"x"},"position":{"line":-1,"character":0}}}`), "7", "-32602"},
		"initialize twice":          {framed(hello) + framed(strings.Replace(hello, `"id":1`, `"id":7`, 1)), "7", "-32600"},
		"no JSON":                   {framed("{"), "", "-32700"},
		"not UTF-8":                 {framed("\xff\xfe"), "", "-32700"},
		"a list":                    {framed("[]"), "", "-32600"},
		"an empty message":          {framed("") + framed(hello), "", "-32700"},
		"a length that is none":     {"Content-Length: many\r\n\r\n" + framed(hello), "", "-32700"},
		"a length that is too long": {"Content-Length: 99999999999999999999\r\n\r\n" + framed(hello), "", "-32700"},
		"a header of nonsense":      {strings.Repeat("x", 10_000) + "\r\n" + framed(hello), "1", "ok"},
		"lines end in LF alone":     {"Content-Length: 2\n\n[]", "", "-32600"},
		"notification unknown":      {framed(hello) + framed(`{"jsonrpc":"2.0","method":"$/nonsense","params":{}}`), "1", "ok"},
		"too large":                 {fmt.Sprintf("Content-Length: %d\r\n\r\n", maxMessage+1) + strings.Repeat(" ", maxMessage+1), "", "-32600"},
	} {
		t.Run(name, func(t *testing.T) {
			sent := c.sent
			if !strings.Contains(sent, `"initialize"`) {
				sent += framed(hello)
			}
			answers, err := raw(t, sent+framed(goodbye)+framed(`{"jsonrpc":"2.0","method":"exit"}`))
			got := answers[c.id]
			if c.id == "" {
				got = answers["null"]
			}
			if got != c.want || answers["99"] != "ok" || err != nil {
				t.Errorf("the answers are %v, the end is %v", answers, err)
			}
		})
	}
}

// TestTruncated ends in the middle of a message: so does the conversation.
func TestTruncated(t *testing.T) {
	whole := framed(hello) + framed(goodbye)
	for n := range len(whole) {
		if _, err := raw(t, whole[:n]); !errors.Is(err, errNoShutdown) {
			t.Fatalf("after %d bytes the end is %v", n, err)
		}
	}
}

// TestEditOutside: after an edit that is none the text is lost, which is said, until it is
// sent as a whole.
func TestEditOutside(t *testing.T) {
	c := begin(t, Options{})
	c.open("a.fsm", "machine M {\n    initial T\n    terminal T\n}\n")
	c.change("a.fsm", proto.TextDocumentContentChangeEvent{Range: &proto.Range{Start: proto.Position{Line: 90}, End: proto.Position{Line: 91}}, Text: "x"})
	c.settle()
	if got := c.findings(); !strings.HasPrefix(got, "a.fsm:1:1-1:1: : fsmc has lost this text") {
		t.Errorf("it finds\n%s", got)
	}
	c.change("a.fsm", proto.TextDocumentContentChangeEvent{Text: "machine M {\n"})
	c.settle()
	if got := c.findings(); strings.Contains(got, "lost") || !strings.Contains(got, "syntax") {
		t.Errorf("it finds\n%s", got)
	}
}

// TestEditUnread: after an edit that cannot be read the text is lost, too.
func TestEditUnread(t *testing.T) {
	const text = "machine M {\n    initial T\n    terminal T\n}\n"
	c := begin(t, Options{})
	for name, place := range map[string]string{
		"a negative line": `{"line":-1,"character":0}`, "a negative character": `{"line":0,"character":-5}`,
		"a line of 64 bits": `{"line":9223372036854775808,"character":0}`, "a fraction": `{"line":0.5,"character":0}`, "a word": `{"line":"one","character":0}`,
	} {
		c.open("a.fsm", text)
		c.notify("textDocument/didChange", json.RawMessage(fmt.Sprintf(
			`{"textDocument":{"uri":%q,"version":2},"contentChanges":[{"range":{"start":%s,"end":{"line":3,"character":0}},"text":"x"}]}`, c.uri("a.fsm"), place)))
		c.settle()
		if got := c.findings(); !strings.HasPrefix(got, "a.fsm:1:1-1:1: : fsmc has lost this text: the editor sent an edit that cannot be read") || strings.Contains(got, "json") {
			t.Errorf("%s: it finds\n%s", name, got)
		}
	}
}

// TestLarge opens a text of 64 MiB: it is not read, which is found at its start, until the
// editor sends a smaller one.
func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("64 MiB take minutes under the race detector")
	}
	c := begin(t, Options{})
	c.open("a.fsm", string(bytes.Repeat([]byte("// long\n"), 8<<20)))
	c.settle()
	if got := c.findings(); !strings.HasPrefix(got, "a.fsm:1:1-1:1: : fsmc does not read this text: it has 64 MiB, and in an editor at most 4 are read") {
		t.Errorf("it finds\n%s", got)
	}
	c.change("a.fsm", proto.TextDocumentContentChangeEvent{Range: &proto.Range{}, Text: "x"})
	c.settle()
	if got := c.findings(); !strings.Contains(got, "64 MiB") {
		t.Errorf("after an edit it finds\n%s", got)
	}
	c.change("a.fsm", proto.TextDocumentContentChangeEvent{Text: "machine M {\n    initial T\n    terminal T\n}\n"})
	c.settle()
	if got := c.findings(); got != "" {
		t.Errorf("of a smaller text it finds\n%s", got)
	}
}

// TestCancelled: a request that is cancelled is answered so, or as ever.
func TestCancelled(t *testing.T) {
	c := begin(t, Options{})
	c.open("a.fsm", "machine M {\n    initial T\n    terminal T\n}\n")
	for i := range 50 {
		id := jsonrpc2.ID{Num: uint64(1000 + i)}
		call, err := c.conn.DispatchCall(context.Background(), "textDocument/documentSymbol",
			proto.DocumentParams{TextDocument: proto.TextDocumentIdentifier{URI: c.uri("a.fsm")}}, jsonrpc2.PickID(id))
		if err != nil {
			t.Fatal(err)
		}
		c.notify("$/cancelRequest", proto.CancelParams{ID: id.Num})
		var answer any
		var e *jsonrpc2.Error
		if err := call.Wait(context.Background(), &answer); err != nil && (!errors.As(err, &e) || e.Code != codeCancelled) {
			t.Fatal(err)
		}
	}
}
