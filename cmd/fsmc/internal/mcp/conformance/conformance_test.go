//go:build unix && cgo

// Package conformance holds fsmc serve and fsmc mcp against the checks and the client of those who made the protocol.
// It needs Node, and what npm ci installs in this folder.
package conformance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// checks are those of the official suite that are of any server. The others ask for tools, resources and prompts of
// the suite's own example.
var checks = []string{
	"server-initialize", "ping", "logging-set-level", "tools-list", "resources-list", "prompts-list",
	"server-sse-multiple-streams", "dns-rebinding-protection",
}

const asked = `// Asks a person.
machine Asked(question string) {
    event Answered { text string }
    initial Open
    state Open {
        on Answered -> Closed
        after 24h -> Unanswered
    }
    terminal Closed
    terminal Unanswered failure
}
`

// world is fsmc, and a database with a run.
type world struct{ fsmc, db string }

func newWorld(t *testing.T) *world {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("THE PROTOCOL WAS NOT TESTED: there is no node")
	}
	if _, err := os.Stat("node_modules"); err != nil {
		t.Skip("THE PROTOCOL WAS NOT TESTED: run npm ci in this folder")
	}
	dir := t.TempDir()
	w := &world{filepath.Join(dir, "fsmc"), filepath.Join(dir, "runs.db")}
	if out, err := exec.Command("go", "build", "-o", w.fsmc, "../../..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	source := filepath.Join(dir, "asked.fsm")
	if err := os.WriteFile(source, []byte(asked), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(w.fsmc, "run", "--db", w.db, "--id", "a1", "--param", "question=why", "--detach", source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return w
}

// serve starts fsmc serve, and gives the address of its door for agents.
func (w *world) serve(t *testing.T) string {
	t.Helper()
	server := exec.Command(w.fsmc, "serve", "--db", w.db, "--addr", "127.0.0.1:0")
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = server.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the server does not say where it listens: %v", err)
	}
	return strings.TrimSpace(line) + "mcp"
}

var passed = regexp.MustCompile(`Passed: (\d+)/(\d+), 0 failed, 0 warnings`)

func TestConformance(t *testing.T) {
	url := newWorld(t).serve(t)
	for _, check := range checks {
		t.Run(check, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "node", "node_modules/@modelcontextprotocol/conformance/dist/index.js", "server", "--url", url, "--scenario", check)
			out, err := cmd.CombinedOutput()
			if m := passed.FindSubmatch(out); err != nil || m == nil || string(m[1]) == "0" || !bytes.Equal(m[1], m[2]) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func TestOfficialClient(t *testing.T) {
	w := newWorld(t)
	for name, where := range map[string][]string{"stdio": {w.fsmc, "mcp", "--db", w.db}, "http": {w.serve(t)}} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "node", append([]string{"client.mjs", "by-" + name}, where...)...)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, &errs)
			}
			var seen struct {
				Begun, Ended, Status, Outcome, Refusal string
				Never                                  []string
				Resources, Empty                       int
			}
			if err := json.Unmarshal(out, &seen); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if seen.Begun != "Open" || seen.Ended != "Closed" || seen.Status != "finished" || seen.Outcome != "success" || !strings.Contains(seen.Refusal, `did you mean "Answered"?`) {
				t.Errorf("%+v", seen)
			}
			if len(seen.Never) > 0 || seen.Resources != 3 || seen.Empty > 0 {
				t.Errorf("tools that were never called: %v; %d resources, %d of them empty", seen.Never, seen.Resources, seen.Empty)
			}
		})
	}
}
