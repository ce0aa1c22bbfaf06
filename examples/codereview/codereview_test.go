package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/examples/codereview/demo"
	"github.com/fsmc-dev/fsmc/examples/codereview/review"
	"github.com/fsmc-dev/fsmc/examples/internal/transcript"
	_ "github.com/fsmc-dev/fsmc/internal/seldom"
)

func TestMain(m *testing.M) { transcript.Main(m, main) }

// build compiles a command of this module.
func build(t *testing.T, pkg string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("go", "build", "-o", binary, pkg).CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return binary
}

func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed", p)
		}
	}
}

// TestKilledInTheMiddle runs the whole example: a real worker process, killed
// with SIGKILL, and a second one that ends the run. The review is then read
// with eyes of its own: every comment that the patterns find, once.
func TestKilledInTheMiddle(t *testing.T) {
	t.Parallel() // it mostly waits
	needs(t, "git")
	dir := t.TempDir()
	out := transcript.Run(t, "-dir", dir)
	transcript.Check(t, "README.md", "go run ./examples/codereview", out)
	for _, want := range []string{
		"CodeReview: 9 states, 13 transitions: no findings",
		"a review takes at most 50 runs of FileReview, 200 analyses, 602000 tokens",
		"killed: the run stands in Analyzing, 1 of 3 files are analyzed, 0 comments are posted",
		"killed: the run stands in PostingComments, 3 of 3 files are analyzed",
		"attempt 1 was lost with its worker",
		"the run ended in Completed with outcome success",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	diff, err := review.Diff(context.Background(), filepath.Join(dir, "repository"), demo.Range)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(reviewFile(dir))
	if err != nil {
		t.Fatal(err)
	}
	found := review.Analyze(diff)
	for _, c := range found {
		if n := bytes.Count(text, []byte(c.ID)); n != 1 {
			t.Errorf("%s:%d %s stands in the review %d times", c.File, c.Line, c.Rule, n)
		}
	}
	if lines := bytes.Count(text, []byte("\n")); lines != len(found) || lines < 10 {
		t.Errorf("the review has %d lines for %d comments", lines, len(found))
	}
}

// TestRefusesAnOldFolder keeps an earlier review from being mixed up with a new one.
func TestRefusesAnOldFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(database(dir), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := transcript.Command(t, "-dir", dir).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "holds an earlier review") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestShellActivities runs the same machine by fsmc run, with the executables
// in activities/.
func TestShellActivities(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the activities are shell scripts")
	}
	needs(t, "git", "sh", "awk")
	fsmc := build(t, "github.com/fsmc-dev/fsmc/cmd/fsmc")
	dir := t.TempDir()
	repo, results := filepath.Join(dir, "repository"), filepath.Join(dir, "results")
	if err := os.Mkdir(repo, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := demo.Make(context.Background(), repo); err != nil {
		t.Fatal(err)
	}
	call := func(status int, args ...string) string {
		t.Helper()
		cmd := exec.Command(fsmc, args...)
		cmd.Env = append(os.Environ(), "REVIEW_REPO="+repo, "REVIEW_DIR="+results)
		out, err := cmd.CombinedOutput()
		if cmd.ProcessState.ExitCode() != status {
			t.Fatalf("fsmc %s: %v, want exit status %d\n%s", strings.Join(args, " "), err, status, out)
		}
		return string(out)
	}
	db := filepath.Join(dir, "runs.db")
	run := []string{"run", "--db", db, "--activities", "activities", "--id", "r", "--param", "pr=" + demo.Range, "codereview.fsm"}
	call(3, run...) // it waits for the event
	call(0, "send", "--db", db, "r", "StartReview")
	call(0, run...)
	var shown struct{ State, Outcome string }
	if err := json.Unmarshal([]byte(call(0, "show", "--db", db, "--format", "json", "r")), &shown); err != nil {
		t.Fatal(err)
	}
	if shown.State != "Completed" || shown.Outcome != "success" {
		t.Errorf("the run did not end well: %+v", shown)
	}
	text, err := os.ReadFile(filepath.Join(results, "review.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	seen := map[string]bool{}
	for _, line := range lines {
		if seen[line] {
			t.Errorf("posted twice: %s", line)
		}
		seen[line] = true
	}
	if len(lines) < 10 {
		t.Errorf("only %d comments:\n%s", len(lines), text)
	}
}

// TestGenerated holds the generated file against the machine.
func TestGenerated(t *testing.T) {
	out, err := exec.Command(build(t, "github.com/fsmc-dev/fsmc/cmd/fsmc"), "gen", "--check", "--package", "main", "codereview.fsm").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
