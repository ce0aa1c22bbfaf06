package golang_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/codegentest"
	"github.com/fsmc-dev/fsmc/codegen/golang"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// TestBinding compiles and vets the binding of every machine, and runs one that
// has every type on an engine.
func TestBinding(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles generated code")
	}
	files := map[string]string{}
	for _, path := range append(machineFiles(t), "testdata/binding/optional.fsm") {
		src := readFile(t, path)
		pkg := strings.TrimSuffix(filepath.Base(path), ".fsm")
		files[pkg+"/"+pkg+"_fsm.go"] = string(generate(t, pkg, filepath.Base(path), src, false))
	}
	files["kinds/kinds_test.go"] = readFile(t, "testdata/binding/kinds_test.go")
	run(t, files, "vet", "./...")
	files["returns/returns_test.go"] = readFile(t, "testdata/binding/returns_test.go")
	files["optional/optional_test.go"] = readFile(t, "testdata/binding/optional_test.go")
	run(t, files, "test", "./kinds", "./returns", "./optional")
}

// TestSharedEnums compiles the files of one folder, of which each generates its own: an
// enum of a file is one type of their package. A core, and a machine of another folder,
// have types of their own. A file without machines imports what its records need.
func TestSharedEnums(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles generated code")
	}
	machine := func(name string) string {
		return "import \"size.fsm\"\nmachine " + name + "(size Size) { initial A state A { after 1s -> B { publish Seen { size = size } } } event Seen { size Size } terminal B }\n"
	}
	sources := []lang.Source{
		{Name: "size.fsm", Src: []byte("enum Size { Small, Large }")},
		{Name: "order.fsm", Src: []byte(machine("Order"))},
		{Name: "stock.fsm", Src: []byte(machine("Stock"))},
		{Name: "part.fsm", Src: []byte("record Part { name string, note string?, at time, wait duration?, more json? }")},
	}
	files := map[string]string{"shop/use.go": "package shop\n\nvar _ = []Size{OrderParams{}.Size, StockSeen{}.Size, SizeLarge}\n"}
	for i, s := range sources {
		files["shop/"+s.Name+".go"] = generateOne(t, "shop", sources, i, codegen.SourceOptions{})
	}
	files["core/order.go"] = generateOne(t, "core", sources, 1, codegen.SourceOptions{Core: true})
	files["core/stock.go"] = generateOne(t, "core", sources, 2, codegen.SourceOptions{Core: true})
	files["core/use.go"] = "package core\n\nvar _ = OrderSize(StockSizeLarge)\n"
	away := codegen.SourceOptions{Elsewhere: func(_, _ token.Span) bool { return true }}
	files["away/order.go"] = generateOne(t, "away", sources, 1, away)
	files["away/stock.go"] = generateOne(t, "away", sources, 2, away)
	files["away/use.go"] = "package away\n\nvar _ = OrderSize(StockSizeLarge)\n"
	run(t, files, "vet", "./...")
}

// TestCalls compiles the files of one folder whose machines call each other, and one that
// calls machines of another folder: it registers them, and runs a tree.
func TestCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles generated code")
	}
	sources := []lang.Source{
		{Name: "size.fsm", Src: []byte("enum Size { Small, Large }")},
		{Name: "review.fsm", Src: []byte(readFile(t, "testdata/calls/review.fsm"))},
		{Name: "batch.fsm", Src: []byte(readFile(t, "testdata/calls/batch.fsm"))},
	}
	files := map[string]string{"shop/calls_test.go": readFile(t, "testdata/calls/calls_test.go")}
	for i, s := range sources {
		files["shop/"+s.Name+".go"] = generateOne(t, "shop", sources, i, codegen.SourceOptions{})
	}
	away := codegen.SourceOptions{Elsewhere: func(_, at token.Span) bool { return at.Start.Filename != "batch.fsm" }}
	files["away/batch.go"] = generateOne(t, "away", sources, 2, away)
	files["away/calls_test.go"] = readFile(t, "testdata/calls/away_test.go")
	run(t, files, "vet", "./...")
	run(t, files, "test", "./...")
}

// TestCallsInCore compiles a core that calls a machine beside the core of that machine, and gives
// to the one what the other returns. Beside them stands a core with what may be absent: vet finds
// nothing in either.
func TestCallsInCore(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles generated code")
	}
	src := readFile(t, "testdata/core/children.fsm")
	files := map[string]string{
		"core/core.go":      string(generate(t, "core", "children.fsm", src, true)),
		"core/core_test.go": readFile(t, "testdata/core/children_test.go"),
		"optional/core.go":  string(generate(t, "optional", "optional.fsm", readFile(t, "testdata/core/optional.fsm"), true)),
	}
	run(t, files, "vet", "./...")
	run(t, files, "test", "./...")
}

// generateOne is the Go for one of sources.
func generateOne(t *testing.T, pkg string, sources []lang.Source, i int, o codegen.SourceOptions) string {
	t.Helper()
	unit := lang.LoadFrom(sources[i:i+1], lang.Among(sources))
	o.Base, o.Package, o.Source = "m", pkg, sources[i].Name
	o.Enums, o.Records = unit.Program.Files[0].Enums, unit.Program.Files[0].Records
	o.Definition = func(m *ir.Machine) []byte { return table.Compile(m).Encode() }
	o.Text = func(*ir.Machine) string { return string(sources[i].Src) }
	out, list := golang.Generate(unit.Program.Machines, o)
	for _, d := range append(unit.Diags, list...) {
		t.Fatalf("%s: %s: %s", d.Span, d.Rule, d.Message)
	}
	return string(out[0].Content)
}

// TestGolden shows what is generated, for people to read in a change.
func TestGolden(t *testing.T) {
	src := readFile(t, "../testdata/review.fsm")
	codegentest.Golden(t, "review_binding.go.golden", generate(t, "review", "review.fsm", src, false))
	codegentest.Golden(t, "review_core.go.golden", generate(t, "review", "review.fsm", src, true))
	codegentest.Golden(t, "kinds_binding.go.golden", generate(t, "kinds", "kinds.fsm", readFile(t, "testdata/kinds.fsm"), false))
	returns := readFile(t, "testdata/returns.fsm")
	codegentest.Golden(t, "returns_binding.go.golden", generate(t, "returns", "returns.fsm", returns, false))
	codegentest.Golden(t, "returns_core.go.golden", generate(t, "returns", "returns.fsm", returns, true))
	codegentest.Golden(t, "rules_core.go.golden", generate(t, "rules", "rules.fsm", readFile(t, "testdata/rules.fsm"), true))
}

// TestBenchFresh holds that the benchmarks measure what is generated now.
func TestBenchFresh(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the command")
	}
	c := exec.Command("go", "run", "./cmd/fsmc", "gen", "--check", "--core", "--package", "bench",
		"-o", "codegen/golang/bench/review_fsm.go", "codegen/golang/bench/review.fsm")
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
