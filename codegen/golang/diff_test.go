package golang_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
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

// TestEquality drives each machine on the generated core and on the
// interpreter with the same random inputs: snapshots, commands and refusals are
// equal.
func TestEquality(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles generated code")
	}
	drive, err := os.ReadFile("testdata/diff/drive.go")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"diff/drive.go": string(drive)}
	var imports, calls strings.Builder
	for _, path := range machineFiles(t) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pkg := strings.TrimSuffix(filepath.Base(path), ".fsm")
		unit := lang.Load([]lang.Source{{Name: path, Src: src}})
		m := unit.Program.Machines[0]
		files[pkg+"/core.go"] = string(generate(t, pkg, filepath.Base(path), string(src), true))
		files[pkg+"/glue.go"] = glue(pkg, m, string(table.Compile(m).Encode()))
		imports.WriteString("\t\"gentest/" + pkg + "\"\n")
		calls.WriteString("\tt.Run(\"" + pkg + "\", func(t *testing.T) { diff.Run(t, " + pkg + ".Machine, " + pkg + ".New, 200, 60) })\n")
	}
	files["all/all_test.go"] = "package all\n\nimport (\n\t\"testing\"\n\n\t\"gentest/diff\"\n" +
		imports.String() + ")\n\nfunc TestAll(t *testing.T) {\n" + calls.String() + "}\n"
	run(t, files, "test", "-v", "./all")
}
