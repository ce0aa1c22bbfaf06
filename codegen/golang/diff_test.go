package golang_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// run runs the go command in a temporary module with files, by their paths
// there; it sees this module through a replace line.
func run(tb testing.TB, files map[string]string, args ...string) {
	tb.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		tb.Fatal(err)
	}
	dir := tb.TempDir()
	files["go.mod"] = "module gentest\n\ngo 1.26\n\nrequire github.com/fsmc-dev/fsmc v0.0.0\n\nreplace github.com/fsmc-dev/fsmc => " + strconv.Quote(root) + "\n"
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	c := exec.Command("go", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
	out, err := c.CombinedOutput()
	if err != nil {
		tb.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	tb.Logf("%s", out)
}

// machineFiles are the machines on which cores are tried.
func machineFiles(tb testing.TB) []string {
	tb.Helper()
	paths, err := filepath.Glob("testdata/*.fsm")
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no machines: %v", err)
	}
	for _, name := range []string{"review", "document", "order"} {
		paths = append(paths, filepath.Join("..", "testdata", name+".fsm"))
	}
	return append(paths, filepath.Join("..", "..", "lang", "resolve", "testdata", "dump", "everything.fsm"))
}

// TestEquality drives each machine on the generated core and on the runtime with the
// same random inputs: arms, states, data, counters, messages and refusals are
// equal.
func TestEquality(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles generated code")
	}
	b := newBatch(t)
	for _, path := range append(machineFiles(t), "testdata/core/children.fsm", "testdata/core/optional.fsm") {
		b.add(strings.TrimSuffix(filepath.Base(path), ".fsm"), readFile(t, path), 200, 60)
	}
	b.run()
}

// TestEqualityOfRandomMachines does the same with machines that are made up.
// FSMC_MACHINES says how many, FSMC_SEED which is the first.
func TestEqualityOfRandomMachines(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles generated code")
	}
	first, count := number(t, "FSMC_SEED", 1), number(t, "FSMC_MACHINES", 40)
	b := newBatch(t)
	for seed := first; seed < first+count; seed++ {
		b.add(fmt.Sprintf("m%d", seed), randomMachine(seed), 60, 40)
	}
	b.run()
}

// number is the environment variable called name.
func number(t *testing.T, name string, usual uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// batch is many machines that are compiled at once, a package each, and driven
// by one test binary.
type batch struct {
	t              *testing.T
	files          map[string]string
	imports, calls strings.Builder
}

func newBatch(t *testing.T) *batch {
	t.Helper()
	return &batch{t: t, files: map[string]string{"diff/drive.go": readFile(t, "testdata/diff/drive.go")}}
}

// add drives the machine in src for a number of runs of so many steps.
func (b *batch) add(pkg, src string, runs, steps int) {
	b.t.Helper()
	m := langtest.Machine(b.t, src)
	b.files[pkg+"/m.fsm"] = src
	b.files[pkg+"/core.go"] = string(generate(b.t, pkg, pkg+".fsm", src, true))
	b.files[pkg+"/glue.go"] = glue(pkg, m, string(table.Compile(m).Encode()))
	fmt.Fprintf(&b.imports, "\t\"gentest/%s\"\n", pkg)
	fmt.Fprintf(&b.calls, "\tt.Run(%q, func(t *testing.T) { diff.Run(t, %[1]s.Machine, %[1]s.New, %[2]d, %[3]d) })\n", pkg, runs, steps)
}

func (b *batch) run() {
	b.t.Helper()
	b.files["all/all_test.go"] = "package all\n\nimport (\n\t\"testing\"\n\n\t\"gentest/diff\"\n" +
		b.imports.String() + ")\n\nfunc TestAll(t *testing.T) {\n" + b.calls.String() + "}\n"
	run(b.t, b.files, "test", "-vet=off", "-v", "./all")
}
