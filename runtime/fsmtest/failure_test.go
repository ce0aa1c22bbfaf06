package fsmtest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// wantFailure runs a test that must fail in a process of its own, where variable says
// which of its faults is meant: it must fail as a test and not by a panic, and say what
// is to be seen.
func wantFailure(t *testing.T, test, variable, name, says string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^"+test+"$", "-test.timeout", "2m")
	cmd.Env = append(os.Environ(), variable+"="+name)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--- FAIL: "+test) || strings.Contains(string(out), "panic:") ||
		!strings.Contains(string(out), says) {
		t.Errorf("the fault was not seen: %v\n%s", err, out)
	}
}
