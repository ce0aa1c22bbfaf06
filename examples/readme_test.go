// Package examples_test holds what all examples must keep.
package examples_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the generated blocks of the READMEs again")

// build compiles the command once.
func build(t *testing.T) string {
	t.Helper()
	fsmc := filepath.Join(t.TempDir(), "fsmc")
	if out, err := exec.Command("go", "build", "-o", fsmc, "../cmd/fsmc").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return fsmc
}

// TestExamples: every machine is clean and canonical, its Go is fresh where it
// has some, and its README shows what the tools say.
func TestExamples(t *testing.T) {
	fsmc := build(t)
	machines, err := filepath.Glob("*/*.fsm")
	machines = slices.DeleteFunc(machines, func(f string) bool { return !lang.InFolder(f) })
	if err != nil || len(machines) < 5 {
		t.Fatalf("%d machines, %v", len(machines), err)
	}
	for _, m := range machines {
		t.Run(filepath.Dir(m), func(t *testing.T) {
			run := func(args ...string) string {
				cmd := exec.Command(fsmc, append(args, filepath.Base(m))...)
				cmd.Dir = filepath.Dir(m)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("fsmc %s: %v\n%s", strings.Join(args, " "), err, out)
				}
				return string(out)
			}
			run("fmt", "--check")
			if _, err := os.Stat(strings.TrimSuffix(m, ".fsm") + "_fsm.go"); err == nil {
				run("gen", "--check")
			}
			if _, err := os.Stat(strings.TrimSuffix(m, ".fsm") + "_fsm_test.go"); err == nil {
				run("gen", "--tests", "--check")
			}
			said := run("check", "--strict", "--bounds")
			fresh(t, filepath.Join(filepath.Dir(m), "README.md"), worst(said))
			drawn(t, filepath.Dir(m), run("dot", "--format", "svg"))
		})
	}
}

// worst is the table of figures in what check --bounds says.
func worst(said string) string {
	_, table, _ := strings.Cut(said, "The worst case of ")
	table, _, _ = strings.Cut(table, "\n\n")
	return "The worst case of " + table + "\n"
}

// fresh holds the first block of text in page against what it must show. A page without one
// shows nothing, and so nothing stale.
func fresh(t *testing.T, page, want string) {
	t.Helper()
	read, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const open, end = "```text\n", "```\n"
	before, rest, found := strings.Cut(string(read), open)
	got, after, closed := strings.Cut(rest, end)
	if !found || got == want {
		return
	}
	switch {
	case !closed:
		t.Fatalf("%s: the block is not closed", page)
	case *update:
		write(t, page, before+open+want+end+after)
	default:
		t.Errorf("%s is stale; go test ./examples -update\n%s", page, cmp.Diff(got, want))
	}
}

// drawn holds the picture that a page shows against the machine as it is drawn now.
func drawn(t *testing.T, dir, want string) {
	t.Helper()
	name := dir + ".svg"
	page, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil || !strings.Contains(string(page), "]("+name+")") {
		return // shows none
	}
	path := filepath.Join(dir, name)
	if *update {
		write(t, path, want)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s is not of the machine as it is; go test ./examples -update: %v", path, err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
