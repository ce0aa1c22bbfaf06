package golang_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/codegentest"
)

// TestBinding compiles and vets the binding of every machine, and runs one that
// has every type on an engine.
func TestBinding(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles generated code")
	}
	files := map[string]string{}
	for _, path := range machineFiles(t) {
		src := readFile(t, path)
		pkg := strings.TrimSuffix(filepath.Base(path), ".fsm")
		files[pkg+"/"+pkg+"_fsm.go"] = string(generate(t, pkg, filepath.Base(path), src, false))
	}
	files["kinds/kinds_test.go"] = readFile(t, "testdata/binding/kinds_test.go")
	run(t, files, "vet", "./...")
	run(t, files, "test", "./kinds")
}

// TestGolden shows what is generated, for people to read in a change.
func TestGolden(t *testing.T) {
	src := readFile(t, "../testdata/review.fsm")
	codegentest.Golden(t, "review_binding.go.golden", generate(t, "review", "review.fsm", src, false))
	codegentest.Golden(t, "review_core.go.golden", generate(t, "review", "review.fsm", src, true))
	codegentest.Golden(t, "kinds_binding.go.golden", generate(t, "kinds", "kinds.fsm", readFile(t, "testdata/kinds.fsm"), false))
	codegentest.Golden(t, "rules_core.go.golden", generate(t, "rules", "rules.fsm", readFile(t, "testdata/rules.fsm"), true))
}

// TestBenchFresh holds that the benchmarks measure what is generated now.
func TestBenchFresh(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the command")
	}
	c := exec.Command("go", "run", "./cmd/fsmc", "gen", "--check", "--core", "--package", "bench",
		"-o", "codegen/golang/bench/review_fsm.go", "examples/codereview/codereview.fsm")
	c.Dir = filepath.Join("..", "..")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("run go generate in codegen/golang/bench: %v\n%s", err, out)
	}
}

func readFile(tb testing.TB, path string) string {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}
