package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// TestCommand drives the program: a worker with executables, and what operators want.
func TestCommand(t *testing.T) {
	folder := t.TempDir()
	program := command(t, folder)
	path := filepath.Join(folder, "order.fsm")
	write(t, path, source, 0o600)
	write(t, filepath.Join(folder, "work"), "#!/bin/sh\ncat >/dev/null\necho '{\"event\": \"Worked\", \"data\": {\"n\": 7}}'\n", 0o700)
	write(t, filepath.Join(folder, "deliver"), "#!/bin/sh\ncat >>\"$0.out\"\n", 0o700)
	env := append(os.Environ(), fmt.Sprintf("FSMC_DB=temporal://%s/%s?queue=%s", server().GetFrontendHostPort(), server().GetDefaultNamespace(), t.Name()))
	fsmc := func(status int, args ...string) string { // -1 is any status
		t.Helper()
		c := exec.Command(program, args...)
		c.Env = env
		out, err := c.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) || status >= 0 && c.ProcessState.ExitCode() != status {
			t.Fatalf("%q ends with %v: %s", args, err, out)
		}
		return string(out)
	}
	write(t, filepath.Join(folder, "keep"), "#!/bin/sh\ncat >>\"$0.out\"\n", 0o700)
	works := exec.Command(program, "run", path, "--earlier", path, "--activities", folder, "--outbox", filepath.Join(folder, "deliver"), "--archive", filepath.Join(folder, "keep"))
	works.Env, works.Stderr = env, os.Stderr
	if err := works.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = works.Process.Kill() })

	if out := fsmc(1, "run", path, "--detach", "--id", "c-1", "--param", "thing=book"); !strings.Contains(out, "thing") {
		t.Error(out)
	}
	fsmc(1, "show", "c-1")
	fsmc(0, "run", path, "--detach", "--id", "c-1", "--param", "item=book")
	fsmc(2, "run", path, "--detach", "--id", "c-1", "--param", "item=book")
	if out := fsmc(1, "send", "c-1", "Nonsense"); !strings.Contains(out, `event "Nonsense" is refused`) {
		t.Error(out)
	}
	fsmc(0, "send", "c-1", "Approve", "--data", `{"by":"ada"}`, "--event-id", "1")
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		var v machine.View
		if err := json.Unmarshal([]byte(fsmc(0, "show", "c-1")), &v); err != nil {
			t.Fatal(err)
		}
		if v.Status == machine.Finished && v.State == "Done" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the run does not end: %+v", v)
		}
	}
	var steps []machine.StepView
	if err := json.Unmarshal([]byte(fsmc(0, "history", "c-1", "--after", "1")), &steps); err != nil || len(steps) != 3 || steps[1].Activity != "work" {
		t.Errorf("history is %+v, %v", steps, err)
	}
	fsmc(0, "run", path, "--detach", "--id", "c-2", "--param", "item=book")
	if out := fsmc(0, "cancel", "c-2", "--reason", "not needed"); !strings.Contains(out, `"cancelled"`) {
		t.Error(out)
	}
	next := filepath.Join(folder, "next.fsm")
	write(t, next, strings.ReplaceAll(source, "Waiting", "Asking"), 0o600)
	fsmc(0, "run", path, "--detach", "--id", "c-3", "--param", "item=book")
	moves := func(status int, state string, more ...string) {
		t.Helper()
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) { // the list is behind by a moment
			out := fsmc(-1, append([]string{"migrate", next}, more...)...)
			if strings.Contains(out, `"run": "c-3"`) {
				if !strings.Contains(out, state) {
					t.Errorf("migrate %q: %s", more, out)
				}
				fsmc(status, append([]string{"migrate", next}, more...)...)
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("migrate finds no run: %s", out)
			}
		}
	}
	moves(1, `there is no state \"Waiting\" any more`)
	names := filepath.Join(folder, "names.json")
	write(t, names, `{"states": {"Waiting": "Asking"}}`, 0o600)
	moves(0, `"to": "Asking"`, "--map", names)
	moves(0, `"applied": true`, "--map", names, "--apply")
	if out := fsmc(0, "show", "c-3"); !strings.Contains(out, `"state": "Asking"`) {
		t.Error(out)
	}
	fsmc(0, "list")
	says := func(status int, want string, args ...string) {
		t.Helper()
		if out := fsmc(status, args...); !strings.Contains(out, want) {
			t.Errorf("%q: %s", args, out)
		}
	}
	says(0, `"steps": 4`, "replay", "c-1")
	says(0, `"outcome": "success"`, "wait", "c-1")
	says(1, "its outcome is cancelled", "wait", "c-2")
	says(3, "the run has not ended", "wait", "c-3", "--timeout", "1ms")
	fsmc(0, "run", path, "--detach", "--id", "c-5", "--param", "item=book")
	c := dial(t, t.Name())
	fsmc(0, "show", "c-5") // a worker has it
	if err := c.Temporal.TerminateWorkflow(t.Context(), "c-5", "", "a test"); err != nil {
		t.Fatal(err)
	}
	says(1, "its workflow was terminated", "wait", "c-5")
	says(1, `pause is refused in state "Waiting": its workflow was terminated`, "pause", "c-5")
	fsmc(0, "run", path, "--detach", "--archived", "--id", "c-4", "--param", "item=book")
	fsmc(0, "pause", "c-4") // so that the activity waits
	fsmc(0, "send", "c-4", "Approve", "--data", `{"by":"ada"}`)
	says(1, `activity "work" is not open there`, "complete", "c-4", "work", "Worked")
	fsmc(0, "cancel", "c-4")
	var parts []archived
	for deadline := time.Now().Add(30 * time.Second); len(parts) < 2; time.Sleep(100 * time.Millisecond) {
		parts = parts[:0]
		text, _ := os.ReadFile(filepath.Join(folder, "keep.out")) // it is there with the first part
		for line := range strings.Lines(string(text)) {
			var part archived
			if err := json.Unmarshal([]byte(line), &part); err == nil { // else it is being written
				parts = append(parts, part)
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("the archive has %+v", parts)
		}
	}
	var there []machine.StepView
	if err := json.Unmarshal([]byte(fsmc(0, "history", "c-4")), &there); err != nil {
		t.Fatal(err)
	}
	if parts[0].Run != "c-4" || len(there) < 3 || history(t, parts[0].Steps, nil) != history(t, there, nil) || parts[1].View.Outcome != machine.Cancelled {
		t.Errorf("the archive has %+v", parts)
	}
	says(0, `"status": "canceled"`, "stats")
	says(0, `"running": `, "health")
	says(2, "Temporal deletes ended runs when the retention", "prune")
	says(2, "there is no flag --nonsense", "list", "--nonsense")
	says(2, "steps count from 1", "send", "c-2", "Approve", "--if-seq", "0")
	says(2, `there is no command "repair" for runs on Temporal: a run on Temporal has no stored snapshot`, "repair", "c-2")
	if err := works.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := works.Wait(); err != nil {
		t.Errorf("the worker ends with %v", err)
	}
}

// archived is what --archive gives of a part.
type archived struct {
	Run   string
	Steps []machine.StepView
	View  *machine.View
}

// command builds the program.
func command(t *testing.T, folder string) string {
	t.Helper()
	program := filepath.Join(folder, "fsmc-temporal")
	build := exec.Command("go", "build", "-p", "2", "-o", program, "./cmd/fsmc-temporal")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
