package fsmtest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// wantFailure runs one of the faults in a process of its own, where it must fail
// as a test and not by a panic, and say what is to be seen.
func wantFailure(t *testing.T, name, says string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestFaultsAreSeen$", "-test.timeout", "2m")
	cmd.Env = append(os.Environ(), "FSMTEST_FAULT="+name)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--- FAIL: TestFaultsAreSeen") || strings.Contains(string(out), "panic:") ||
		!strings.Contains(string(out), says) {
		t.Errorf("the fault was not seen: %v\n%s", err, out)
	}
}
