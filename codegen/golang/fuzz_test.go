package golang_test

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/codegentest"
	"github.com/fsmc-dev/fsmc/codegen/golang"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// packages imports from source, each package once.
var packages = struct {
	sync.Mutex
	files *token.FileSet
	types.Importer
}{files: token.NewFileSet()}

func importPackages() types.Importer {
	packages.Lock()
	defer packages.Unlock()
	if packages.Importer == nil {
		packages.Importer = importer.ForCompiler(packages.files, "source", nil)
	}
	return packages.Importer
}

// FuzzGenerate holds that what is generated for any accepted machine parses,
// type-checks, is formatted, and declares nothing that does not bear the name
// of a machine: no text of the source escapes into code.
func FuzzGenerate(f *testing.F) {
	for _, path := range append(machineFiles(f), "../testdata/hostile.fsm") {
		src := readFile(f, path)
		f.Add(src)
		checkGenerated(f, src) // imports all that is imported: too slow for one input
	}
	f.Add("machine A { event B initial C state C { on B -> D } terminal D }\nmachine AB { initial C terminal C }")
	f.Add("machine _ (type int) { context { MarshalJSON time } initial __ state __ { after 1s -> X } terminal X }")
	f.Add("// */ `\n//go:embed x\nmachine M { // \\u2028\n initial func state func { on done -> len } terminal len }")
	f.Fuzz(func(t *testing.T, src string) { checkGenerated(t, src) })
}

// checkGenerated checks what is generated for src, where it is accepted.
func checkGenerated(t testing.TB, src string) {
	unit := lang.Load([]lang.Source{{Name: "f.fsm", Src: []byte(src)}})
	if unit.Diags.HasErrors() || slices.ContainsFunc(unit.Program.Machines, func(m *ir.Machine) bool { return m.Root.Initial == nil }) {
		return // a machine without states is for the rule missing-terminal
	}
	for _, core := range []bool{false, true} {
		options := codegen.SourceOptions{
			Base: "f", Package: "p", Source: "f.fsm", Core: core,
			Definition: func(m *ir.Machine) []byte { return table.Compile(m).Encode() },
			Text:       func(*ir.Machine) string { return src },
			Bounds:     anyBounds,
		}
		out, list := golang.Generate(unit.Program.Machines, options)
		if list.HasErrors() != (out == nil) {
			t.Fatalf("a file and errors, or neither: %v", list)
		}
		if out != nil {
			checkGo(t, unit.Program.Machines, out[0].Content)
		}
	}
}

// anyBounds has a figure for everything of m that may have one.
func anyBounds(m *ir.Machine) *ir.Bounds {
	b := &ir.Bounds{Steps: ir.Bound{Most: big.NewRat(7, 1), Exact: true}, Time: ir.Bound{Most: big.NewRat(1<<62, 1)}}
	for _, a := range m.Activities {
		b.Attempts = append(b.Attempts, ir.Bound{Name: a.Name, Why: a.Doc})
		for _, c := range a.Costs {
			if !slices.ContainsFunc(b.Costs, func(b ir.Bound) bool { return b.Name == c.Name }) {
				b.Costs = append(b.Costs, ir.Bound{Name: c.Name, Most: c.Amount})
			}
		}
	}
	return b
}

// checkGo type-checks a package.
func checkGo(t testing.TB, machines []*ir.Machine, text []byte) {
	t.Helper()
	imports := importPackages()
	packages.Lock()
	defer packages.Unlock()
	formatted, err := format.Source(text)
	if err != nil || !bytes.Equal(text, formatted) {
		t.Fatalf("not formatted: %v\n%s", err, text)
	}
	file, err := parser.ParseFile(packages.files, "f.go", text, parser.ParseComments)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if _, err := (&types.Config{Importer: imports}).Check("p", packages.files, []*ast.File{file}, nil); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, c := range file.Comments {
		for _, line := range c.List {
			if strings.HasPrefix(line.Text, "//go:") || strings.HasPrefix(line.Text, "/*") {
				t.Fatalf("a comment means something: %s", line.Text)
			}
		}
	}
	for _, name := range declared(file) {
		if !bearsName(machines, name) {
			t.Fatalf("%s is declared", name)
		}
	}
}

// declared are the names that a file declares at its top, without methods.
func declared(file *ast.File) []string {
	var names []string
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

// bearsName reports whether an identifier is made from the name of a machine.
func bearsName(machines []*ir.Machine, name string) bool {
	for _, prefix := range []string{"", "Register", "New"} {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || rest == "" {
			continue
		}
		for _, m := range machines {
			own := ir.Exported(m.Name)
			if own == "" || own[0] < 'A' || own[0] > 'Z' {
				own = "X" // how names of underscores and digits begin
			}
			if strings.HasPrefix(strings.ToLower(rest), strings.ToLower(own[:1])) && strings.HasPrefix(rest[1:], own[1:]) {
				return true
			}
		}
	}
	return false
}

func BenchmarkGenerate(b *testing.B) {
	m := codegentest.Chain(b, 1000)
	for _, core := range []bool{true, false} {
		b.Run(map[bool]string{true: "core", false: "binding"}[core], func(b *testing.B) {
			for b.Loop() {
				out, _ := golang.Generate([]*ir.Machine{m}, codegen.SourceOptions{Package: "p", Source: "chain.fsm", Core: core,
					Definition: func(m *ir.Machine) []byte { return table.Compile(m).Encode() }})
				b.SetBytes(int64(len(out[0].Content)))
			}
		})
	}
}
