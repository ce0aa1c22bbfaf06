//go:build unix && cgo

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// crawl is a machine that has used something of both of its bounds when its
// process is killed: one visit of Fetching of three, and one retry of two.
const crawl = `machine Crawl {
    failures { transient }
    event Fetched
    event Full
    activity fetch() -> Fetched | Full
    initial Fetching
    on failed -> Failed
    state Fetching {
        do fetch() timeout 5m
        on Fetched -> Done
        on Full -> Resting max 1 else -> Failed
        on failed(transient) retry 2 backoff 1ms else -> Failed
    }
    state Resting { after 1ms -> Fetching }
    terminal Done
    terminal Failed failure
}
`

// fetch writes a line for each attempt that it is started for, and goes by their
// number: the third one waits to be killed, the others end as they must for the
// counters to be what they are.
const fetch = `#!/bin/sh
input=$(cat)
echo "$input" >> attempts
case $(grep -c . attempts) in
1) echo '{"event": "Full"}' ;;
2) echo '{"failed": "transient", "message": "before the kill"}' ;;
3) while [ -e attempts ] && ! [ -e killed ]; do sleep 0.02; done ;;
4) echo '{"failed": "transient", "message": "after the kill"}' ;;
*) echo '{"event": "Fetched"}' ;;
esac
`

// attempt is what an executable is told of the attempt that it is started for.
type attempt struct {
	Attempt int    `json:"attempt"`
	Key     string `json:"idempotency_key"`
}

// step is what the test reads of a line of history.
type step struct {
	Seq    int    `json:"seq"`
	From   string `json:"from"`
	Input  string `json:"input"`
	To     string `json:"to"`
	Effect string `json:"effect"`
	Count  int    `json:"count"`
}

// TestKill kills a process group with SIGKILL while an activity is under way.
// The same command ends what it began: no step is lost or taken twice, the
// activity is called again under the same key, and what has been used of the
// bounds stays used.
func TestKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "crawl.fsm"), crawl, 0o644)
	writeFile(t, filepath.Join(dir, "activities", "fetch"), fetch, 0o755)

	// The lease is what the second process has to wait for.
	first := fsmc(dir, "run", "--db", "runs.db", "--activities", "activities", "--lease", "3s", "--id", "c1", "crawl.fsm")
	first.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must(t, first.Start())
	waitForAttempts(t, dir, 3)
	must(t, syscall.Kill(-first.Process.Pid, syscall.SIGKILL))
	if err := first.Wait(); err == nil || first.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the process ended with %v, and was not killed", err)
	}
	writeFile(t, filepath.Join(dir, "killed"), "", 0o644)

	out, err := fsmc(dir, "run", "--db", "runs.db", "--activities", "activities", "--id", "c1", "crawl.fsm").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "c1 continues in Fetching\n") || !strings.Contains(string(out), "c1 ended in Done with success") {
		t.Errorf("the run was not continued and ended:\n%s", out)
	}

	history, err := fsmc(dir, "history", "--db", "runs.db", "--format", "json", "c1").Output()
	must(t, err)
	var steps []step
	must(t, json.Unmarshal(history, &steps))
	want := []step{
		{1, "", "start", "Fetching", "moved", 0},
		{2, "Fetching", "Full", "Resting", "moved", 1},
		{3, "Resting", "after 1ms", "Fetching", "moved", 0},
		{4, "Fetching", "failed(transient)", "Fetching", "retried", 1},
		{5, "Fetching", "lost", "Fetching", "handed-on", 0},
		{6, "Fetching", "failed(transient)", "Fetching", "retried", 2},
		{7, "Fetching", "Fetched", "Done", "moved", 0},
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}

	got := readAttempts(t, dir)
	if len(got) != 5 {
		t.Fatalf("%d attempts, want 5: %v", len(got), got)
	}
	if got[0].Key == got[1].Key {
		t.Error("two visits of a state share an idempotency key")
	}
	key := got[1].Key
	if diff := cmp.Diff([]attempt{{1, key}, {2, key}, {2, key}, {3, key}}, got[1:]); diff != "" {
		t.Errorf("attempts of the second visit (-want +got):\n%s", diff)
	}
}

// fsmc is the command, in dir.
func fsmc(dir string, args ...string) *exec.Cmd {
	c := exec.Command("fsmc", args...)
	c.Dir = dir
	return c
}

func writeFile(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), mode))
}

// readAttempts reads what the executable has written; executables run in the
// folder from which fsmc was started.
func readAttempts(t *testing.T, dir string) []attempt {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "attempts"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var attempts []attempt
	for line := range strings.Lines(string(text)) {
		var a attempt
		must(t, json.Unmarshal([]byte(line), &a))
		attempts = append(attempts, a)
	}
	return attempts
}

func waitForAttempts(t *testing.T, dir string, n int) {
	t.Helper()
	for deadline := time.Now().Add(patience); len(readAttempts(t, dir)) < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d attempts have not come within %s", n, patience)
		}
	}
}
