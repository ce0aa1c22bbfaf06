//go:build unix && cgo

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const asked = `// Asks a person.
machine Asked(question string) {
    event Answered { text string }
    event Told
    initial Open
    state Open {
        on Answered -> Closed
        after 24h -> Unanswered
    }
    terminal Closed { publish Told }
    terminal Unanswered failure
}
`

// newAsked makes a database with a run of the machine, and gives its path.
func newAsked(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	db, source := filepath.Join(dir, "runs.db"), filepath.Join(dir, "asked.fsm")
	writeFile(t, source, asked, 0o644)
	said(t, 0, "run", "--db", db, "--id", "a1", "--param", "question=why", "--detach", source)
	return db
}

// said runs a command, and gives what it prints on standard error, or else on standard output.
func said(t *testing.T, status int, args ...string) string {
	t.Helper()
	var out, errOut bytes.Buffer
	c := fsmc("", args...)
	c.Stdout, c.Stderr = &out, &errOut
	_ = c.Run()
	if got := c.ProcessState.ExitCode(); got != status {
		t.Fatalf("fsmc %s: exit status %d, want %d\n%s%s", strings.Join(args, " "), got, status, &out, &errOut)
	}
	if errOut.Len() > 0 {
		return errOut.String()
	}
	return out.String()
}

// agent is a client of fsmc mcp.
func agent(t *testing.T, args ...string) *mcp.ClientSession {
	t.Helper()
	c := exec.Command("fsmc", append([]string{"mcp"}, args...)...)
	var errOut bytes.Buffer
	c.Stderr = &errOut
	session, err := mcp.NewClient(&mcp.Implementation{Name: "claude", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: c}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, &errOut)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil || errOut.Len() > 0 {
			t.Errorf("%v\n%s", err, &errOut)
		}
	})
	return session
}

// asks calls a tool, and gives its words, and whether it refused.
func asks(t *testing.T, session *mcp.ClientSession, tool string, args map[string]any) (string, bool) {
	t.Helper()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	must(t, err)
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

func TestMCP(t *testing.T) {
	db := newAsked(t)
	session := agent(t, "--db", db, "--machine", "Asked")

	// The same refusal by both doors.
	words, refused := asks(t, session, "send_event", map[string]any{"run": "a1", "event": "Anwsered"})
	if cli := said(t, 1, "send", "--db", db, "a1", "Anwsered"); !refused || cli != "fsmc: "+words+"\n" {
		t.Errorf("the agent is told %q, and the command line %q", words, cli)
	}
	words, refused = asks(t, session, "get_run", map[string]any{"run": "b"})
	if cli := said(t, 1, "show", "--db", db, "b"); !refused || cli != "fsmc: "+words+"\n" {
		t.Errorf("the agent is told %q, and the command line %q", words, cli)
	}

	text, _ := asks(t, session, "check_machine", map[string]any{"source": "machine M {\n initial A\n state A { }\n}"})
	if !strings.Contains(text, `"rule":"dead-end"`) {
		t.Errorf("got %s", text)
	}
	sound, _ := asks(t, session, "check_machine", map[string]any{"source": asked})
	var report struct {
		Machines []struct{ Bounds struct{ Steps int } }
	}
	if err := json.Unmarshal([]byte(sound), &report); err != nil || report.Machines[0].Bounds.Steps != 1 {
		t.Errorf("%v: %s", err, sound)
	}
	if text, _ := asks(t, session, "explain_rule", map[string]any{"rule": "dead-end"}); !strings.Contains(text, "# ") {
		t.Errorf("got %s", text)
	}
	if text, refused := asks(t, session, "explain_rule", map[string]any{"rule": "dead-ent"}); !refused || !strings.Contains(text, `did you mean "dead-end"?`) {
		t.Errorf("got %s", text)
	}
	r, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "fsm://machines/Asked/diagram"})
	if err != nil || !strings.Contains(r.Contents[0].Text, "Unanswered") {
		t.Errorf("%v, %+v", err, r)
	}

	listed, err := session.ListTools(t.Context(), nil)
	must(t, err)
	for _, tool := range listed.Tools {
		if tool.Name == "Asked_Told" {
			t.Error("an event that no state takes is a tool")
		}
	}
	if text, refused := asks(t, session, "Asked_Answered", map[string]any{"run": "a1", "text": "because"}); refused {
		t.Errorf("got %s", text)
	}
	if history := said(t, 0, "history", "--db", db, "a1"); !strings.Contains(history, "sent by mcp:claude") {
		t.Error(history)
	}
}

func TestMCPReadOnly(t *testing.T) {
	session := agent(t, "--db", newAsked(t), "--read-only")
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "cancel_run", Arguments: map[string]any{"run": "a1"}}); err == nil {
		t.Error("it can cancel")
	}
	if text, refused := asks(t, session, "get_run", map[string]any{"run": "a1"}); refused || !strings.Contains(text, `"current_state":"Open"`) {
		t.Error(text)
	}
}

// TestMCPBadInput holds that a client that speaks no protocol is told so, and that the server ends with it.
func TestMCPBadInput(t *testing.T) {
	db := newAsked(t)
	for name, input := range map[string]string{
		"nothing":         "",
		"no JSON":         "hello\n",
		"another request": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_run","arguments":{"run":"a1"}}}` + "\n",
		"no version":      `{"id":1,"method":"initialize"}` + "\n",
		"an unended line": strings.Repeat("x", 1<<20),
		"not text":        "\xff\xfe\x00\n",
	} {
		c := exec.Command("fsmc", "mcp", "--db", db)
		c.Stdin = strings.NewReader(input)
		var out, errOut bytes.Buffer
		c.Stdout, c.Stderr = &out, &errOut
		_ = c.Run()
		if c.ProcessState.ExitCode() > 2 || c.ProcessState.ExitCode() < 0 || strings.Contains(errOut.String(), "goroutine") || strings.Contains(out.String(), "current_state") {
			t.Errorf("%s: %s\n%s%s", name, c.ProcessState, &out, &errOut)
		}
	}
	for _, c := range []struct{ args, why string }{
		{"", "--db FILE is missing"},
		{"--db nowhere.db", `there is no database "nowhere.db"`},
		{"--db " + db + " --machine Askd", `no machine "Askd" in the database (did you mean "Asked"?)`},
		{"--db " + db + " --activities nowhere", `nowhere`},
		{"--db " + db + " extra", `extra`},
	} {
		if text := said(t, 2, append([]string{"mcp"}, strings.Fields(c.args)...)...); !strings.Contains(text, c.why) {
			t.Errorf("%s: got %s", c.args, text)
		}
	}
}

// initialize is the first message of a client.
const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// mcpOn starts a server on db, with what it is told and what it says.
func mcpOn(t *testing.T, db string) (*exec.Cmd, io.WriteCloser, *json.Decoder) {
	t.Helper()
	c := exec.Command("fsmc", "mcp", "--db", db)
	in, err := c.StdinPipe()
	must(t, err)
	out, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
	return c, in, json.NewDecoder(out)
}

// TestMCPGoesOn holds that a line that is no message is answered, and the next one read.
func TestMCPGoesOn(t *testing.T) {
	c, in, answers := mcpOn(t, newAsked(t))
	for _, step := range []struct{ line, want string }{
		{"hello", "-32700 the line is not JSON: invalid character 'h' looking for beginning of value"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"`, "-32700 the line is not JSON: unexpected end of JSON input"},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}{}`, "-32700 the line is not JSON: invalid character '{' after top-level value"},
		{"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", "-32700 the line is not valid UTF-8"},
		{strings.Repeat("x", 17<<20), "-32700 the line is longer than 16 MiB"},
		{"", ""},
		{"\r", ""},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "-32600 a line is one message, and no batch of them"},
		{"[]", "-32600 a line is one message, and no batch of them"},
		{"5", "-32600 unmarshaling"},
		{`{"id":1,"method":"ping"}`, `-32600 invalid message version tag`},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, "-32600 "},
		{`{"jsonrpc":"2.0","id":1,"method":5}`, "-32600 unmarshaling"},
		{`{"jsonrpc":"2.0","id":7,"result":{}}`, ""},
		{initialize + "\r", "1"},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "-32600 a line is one message, and no batch of them"},
		{` {"jsonrpc":"2.0","id":2,"method":"ping"} `, "2"},
	} {
		if _, err := in.Write([]byte(step.line + "\n")); err != nil {
			t.Fatal(err)
		}
		if step.want == "" {
			continue
		}
		var answer struct {
			ID    *int
			Error struct {
				Code    int
				Message string
			}
		}
		must(t, answers.Decode(&answer))
		got := fmt.Sprintf("%d %s", answer.Error.Code, answer.Error.Message)
		if answer.ID != nil {
			got = fmt.Sprint(*answer.ID)
		}
		if !strings.HasPrefix(got, step.want) {
			t.Errorf("%.80q: got %q, want %q", step.line, got, step.want)
		}
	}
	must(t, in.Close())
	must(t, c.Wait())
}

// TestMCPStops holds that a signal ends the server, though its client is still there.
func TestMCPStops(t *testing.T) {
	c, in, answers := mcpOn(t, newAsked(t))
	if _, err := in.Write([]byte(initialize + "\n")); err != nil {
		t.Fatal(err)
	}
	var answer struct{ Result struct{ Instructions string } }
	if err := answers.Decode(&answer); err != nil || !strings.Contains(answer.Result.Instructions, "next_allowed_actions") {
		t.Errorf("%v, %+v", err, answer)
	}
	must(t, c.Process.Signal(syscall.SIGTERM))
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// TestServeMCP holds that fsmc serve answers agents behind its guard.
func TestServeMCP(t *testing.T) {
	db := newAsked(t)
	c := fsmc("", "serve", "--db", db, "--addr", "127.0.0.1:0")
	c.Env = append(os.Environ(), "USER=ada")
	out, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	address, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	endpoint := strings.TrimSpace(address) + "mcp"
	session, err := mcp.NewClient(&mcp.Implementation{Name: "claude", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: endpoint}, nil)
	must(t, err)
	defer session.Close()
	if text, refused := asks(t, session, "send_event", map[string]any{"run": "a1", "event": "Answered", "data": map[string]any{"text": "because"}}); refused {
		t.Error(text)
	}
	if history := said(t, 0, "history", "--db", db, "a1"); !strings.Contains(history, "sent by serve:ada/mcp:claude") {
		t.Error(history)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, endpoint, strings.NewReader("{}"))
	must(t, err)
	req.Host = "evil.example"
	res, err := http.DefaultClient.Do(req)
	must(t, err)
	res.Body.Close()
	if res.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("a foreign host is answered %s", res.Status)
	}
}
