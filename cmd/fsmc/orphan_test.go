//go:build unix && cgo

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestOrphans kills fsmc with SIGKILL while activities are under way that have started
// processes of their own: by executables, and by a worker that is behind a shell. They
// do not live to see the next attempt.
func TestOrphans(t *testing.T) {
	const nested = `#!/bin/sh
trap '' TERM HUP INT
echo "$FSMC_RUN $FSMC_ATTEMPT $FSMC_FENCE" >>started
sh -c 'trap "" TERM HUP INT; while :; do sleep 1; done' & echo $! >>pids
echo $$ >>pids
while :; do sleep 1; done
`
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "crawl.fsm"), crawl, 0o644)
	writeFile(t, filepath.Join(dir, "activities", "fetch"), nested, 0o755)
	for _, how := range [][]string{{"--activities", "activities"}, {"--worker", "cat >/dev/null & ./activities/fetch; wait"}} {
		for _, file := range []string{"pids", "started", "runs.db", "runs.db-wal", "runs.db-shm"} {
			_ = os.Remove(filepath.Join(dir, file))
		}
		c := fsmc(dir, append([]string{"run", "--db", "runs.db", "--id", "r1"}, append(how, "crawl.fsm")...)...)
		must(t, c.Start())
		var pids []string
		for deadline := time.Now().Add(patience); len(pids) < 2; time.Sleep(5 * time.Millisecond) {
			text, _ := os.ReadFile(filepath.Join(dir, "pids"))
			if pids = strings.Fields(string(text)); time.Now().After(deadline) {
				t.Fatalf("%v: nothing is started: %q", how, text)
			}
		}
		must(t, c.Process.Kill())
		_ = c.Wait() // killed
		for _, text := range pids {
			pid, err := strconv.Atoi(text)
			must(t, err)
			for deadline := time.Now().Add(patience); syscall.Kill(pid, 0) == nil && !zombie(pid); time.Sleep(5 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("%v: process %d outlives fsmc", how, pid)
				}
			}
		}
		if text, err := os.ReadFile(filepath.Join(dir, "started")); how[0] == "--activities" && (err != nil || string(text) != "r1 1 1\n") {
			t.Errorf("it was told %q, %v", text, err)
		}
	}
}

// zombie reports whether a process has ended and no one has taken note.
func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}
