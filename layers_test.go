package fsmc_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/fsmc-dev/fsmc"

// layers says which packages of this module each package may import, directly.
// A pattern that ends in /... means all packages below it too; the first line
// whose left side fits a package speaks for it. "std" is the standard library;
// it is always allowed. A path with a dot in its first element is a
// third-party package, and the packages below it.
const layers = `
internal/...                <
lang/token                  <
lang/diag                   < lang/token
lang/ast                    < lang/token
lang/ir                     < lang/token
lang/ir/irtest              < lang/ir
lang/internal/parse         < lang/token lang/diag lang/ast github.com/alecthomas/participle/v2
lang/internal/...           < lang/token lang/diag lang/ast lang/ir
lang/format                 < lang/token lang/diag lang/ast github.com/rogpeppe/go-internal/diff
lang/resolve                < lang/token lang/diag lang/ast lang/ir
lang/parallel               <
lang                        < lang/token lang/diag lang/ast lang/ir lang/format lang/parallel lang/resolve lang/internal/parse
lang/langtest               < lang lang/ir github.com/rogpeppe/go-internal/txtar

check/stop                  <
check/graph                 < check/stop
check/zone                  <
check/wide                  <
check/guard                 < lang/ir check/wide
check/flat                  < lang/ir check/stop
check/witness               < lang/diag lang/ir
check/replay                < lang/ir check/witness check/explore/data codegen/table runtime/machine check/stop
check/timing                < lang/ir check/flat check/graph
check/control               < lang/ir check/flat check/graph check/guard check/timing check/witness
check/explore/data          < lang/ir check/flat check/guard check/timing check/zone
check/explore/step          < lang/token lang/ir check/witness check/flat check/graph check/guard check/timing check/wide check/zone check/explore/data
check/explore               < lang/token lang/ir check/witness check/flat check/graph check/guard check/zone check/timing check/control check/explore/data check/explore/step check/stop
check/lifetime              < lang/ir check/graph check/timing check/explore
check                       < lang/token lang/diag lang/ir lang/parallel check/witness check/flat check/graph check/guard check/timing check/control check/explore check/explore/data check/lifetime check/replay check/stop
check/checktest             < lang lang/token lang/format lang/diag lang/ir check check/all
check/oracletest            < lang/ir runtime/machine codegen/table
check/contracttest          < internal/seldom
check/all                   < check check/rule/...
check/breaking/product      < lang/token lang/diag lang/ir codegen/table runtime/machine
check/breaking              < lang/token lang/diag lang/ir lang/parallel check check/explore check/breaking/product
check/rule/...              < lang/token lang/diag lang/ir check check/witness check/flat check/graph check/guard check/timing check/control check/explore check/explore/data
check/internal/reference    < lang/diag check check/all check/breaking
check/internal/...          < check/internal/rulelist

codegen/table               < lang/token lang/ir runtime/machine runtime/scenario
codegen/table/tabletest     < lang lang/ir codegen/table runtime/machine
codegen/drawing             < lang/ir
codegen                     < lang/token lang/diag lang/ir codegen/drawing
codegen/all                 < codegen codegen/dot codegen/golang codegen/mermaid codegen/svg
codegen/codegentest         < lang lang/ir codegen github.com/google/go-cmp/cmp
codegen/dot                 < lang/ir codegen codegen/drawing github.com/emicklei/dot
codegen/layout/simplex      <
codegen/layout/layouttest   < codegen/layout
codegen/layout              < codegen/layout/simplex
codegen/foreign             < lang lang/ir go.yaml.in/yaml/v3
codegen/foreign/foreigntest < lang codegen/foreign
codegen/foreign/formats     < codegen/foreign/... codegen/foreign
codegen/foreign/...         < lang/ir codegen codegen/foreign codegen/foreign/chart codegen/foreign/plan
codegen/scenarios           < lang/ir codegen/table runtime/machine runtime/scenario runtime/simulate
codegen/svg                 < lang/ir codegen codegen/drawing codegen/layout
codegen/...                 < lang/token lang/diag lang/ir codegen codegen/drawing

runtime/machine             <
runtime/describe            < runtime runtime/machine
runtime/httpapi             < runtime runtime/machine runtime/store runtime/describe runtime/schema runtime/simulate
runtime/machine/machinetest < runtime/machine
runtime/schema              < runtime/machine
runtime/simulate            < runtime/machine runtime/schema
runtime/scenario            < runtime/machine runtime/simulate
runtime/fsmtest             < lang lang/token lang/ir codegen/table runtime runtime/machine runtime/store runtime/memstore
runtime/store               < runtime/machine
runtime                     < runtime/internal/failpoint runtime/internal/lines runtime/machine runtime/store
runtime/internal/failpoint  <
runtime/internal/lines      <
runtime/internal/mutants    <
runtime/internal/sqlrow     < runtime/machine runtime/store
runtime/memstore            < runtime/machine runtime/store
runtime/storetest           < runtime/machine runtime/store
runtime/sqlite              < runtime/machine runtime/store runtime/internal/failpoint runtime/internal/sqlrow github.com/mattn/go-sqlite3 golang.org/x/sys/unix
runtime/postgres            < runtime/machine runtime/store runtime/internal/failpoint runtime/internal/sqlrow github.com/jackc/pgx/v5
runtime/postgres/pgtest     < github.com/jackc/pgx/v5
runtime/enginetest          < runtime runtime/machine runtime/machine/machinetest runtime/store
runtime/sqlite/faultfs      < github.com/mattn/go-sqlite3
runtime/process             < runtime runtime/internal/lines runtime/machine
runtime/...                 < runtime runtime/machine runtime/store runtime/memstore runtime/process

cmd/fsmc                    < cmd/fsmc/internal/cli
cmd/fsmc/internal/cli       < cmd/fsmc/internal/lsp lang/... check/... codegen/... runtime/... cmd/fsmc/internal/fields cmd/fsmc/internal/mcp cmd/fsmc/internal/web github.com/spf13/cobra docs
cmd/fsmc/internal/fields    < runtime/...
cmd/fsmc/internal/mcp       < lang/... check/... codegen/... runtime/... github.com/modelcontextprotocol/go-sdk/mcp github.com/modelcontextprotocol/go-sdk/jsonrpc
cmd/fsmc/internal/web       < lang/... check/... codegen/... runtime/... cmd/fsmc/internal/fields
cmd/fsmc/internal/lsp/proto <
cmd/fsmc/internal/lsp       < lang/... check/... codegen/... cmd/fsmc/internal/lsp/proto github.com/sourcegraph/jsonrpc2
cmd/fsmc/internal/...       < lang/... check/... codegen/... runtime/...

editor                      <
editor/internal/...         < lang/...
docs                        <

examples/...                < lang/... check/... codegen/... runtime/... examples/...
`

// generated Go, but for what its own package adds, imports the standard
// library and runtime alone; examples show that, and are checked by their own
// tests.

type rule struct {
	pattern string
	allowed []string
}

func parseLayers(t *testing.T) []rule {
	t.Helper()
	var rules []rule
	for line := range strings.Lines(layers) {
		left, right, found := strings.Cut(strings.TrimSpace(line), "<")
		if !found {
			continue
		}
		rules = append(rules, rule{strings.TrimSpace(left), strings.Fields(right)})
	}
	return rules
}

// covers reports whether pattern means path.
func covers(pattern, path string) bool {
	base, below := strings.CutSuffix(pattern, "/...")
	if below || strings.Contains(strings.SplitN(pattern, "/", 2)[0], ".") {
		return path == base || strings.HasPrefix(path, base+"/")
	}
	return path == pattern
}

type listed struct {
	ImportPath  string
	Imports     []string
	TestImports []string
	Standard    bool
}

func list(t *testing.T, args ...string) []listed {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,TestImports,Standard"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestLayers(t *testing.T) {
	rules := parseLayers(t)
	standard := map[string]bool{"C": true}
	for _, p := range list(t, "-deps", "./...") {
		standard[p.ImportPath] = standard[p.ImportPath] || p.Standard
	}
	packages := list(t, "./...")
	if len(packages) < 10 {
		t.Fatalf("go list names %d packages: the test sees nothing", len(packages))
	}
	for _, p := range packages {
		path := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		if path == "" {
			continue
		}
		allowed, known := allowedFor(rules, path)
		if !known {
			t.Errorf("%s: no layer is named for it in layers_test.go", path)
			continue
		}
		imports := p.Imports
		if path == "check/contracttest" || path == "check/oracletest" { // written in files of tests, wholly or in part
			imports = append(imports, p.TestImports...)
		}
		for _, imported := range imports {
			name := strings.TrimPrefix(imported, module+"/")
			if !standard[imported] && !anyCovers(allowed, name) {
				t.Errorf("%s imports %s, which its layer does not allow", path, name)
			}
		}
	}
}

func allowedFor(rules []rule, path string) ([]string, bool) {
	for _, r := range rules {
		if covers(r.pattern, path) {
			return r.allowed, true
		}
	}
	return nil, false
}

func anyCovers(patterns []string, path string) bool {
	for _, p := range patterns {
		if covers(p, path) {
			return true
		}
	}
	return false
}

// TestLayersBite proves that the test above can fail.
func TestLayersBite(t *testing.T) {
	rules := parseLayers(t)
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"lang/resolve", "lang/ir", true},
		{"lang/resolve", "check", false},
		{"check/rule/deadend", "check/graph", true},
		{"check/rule/deadend", "codegen", false},
		{"runtime", "runtime/sqlite", false},
		{"runtime/sqlite", "github.com/mattn/go-sqlite3", true},
		{"runtime/memstore", "github.com/mattn/go-sqlite3", false},
		{"runtime/postgres", "github.com/jackc/pgx/v5/pgxpool", true},
		{"runtime/sqlite", "github.com/jackc/pgx/v5", false},
		{"runtime/memstore", "lang/ir", false},
		{"codegen/dot", "github.com/emicklei/dot", true},
		{"codegen/mermaid", "github.com/emicklei/dot", false},
		{"codegen/golang", "runtime", false},
		{"codegen/table", "runtime/machine", true},
		{"runtime/machine", "runtime/store", false},
		{"runtime/store", "runtime", false},
	} {
		allowed, known := allowedFor(rules, c.from)
		if !known {
			t.Errorf("%s: no layer", c.from)
		}
		if got := anyCovers(allowed, c.to); got != c.want {
			t.Errorf("may %s import %s? %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

// TestMachineIsPure: what a step does depends on nothing but what it is given. Of the
// standard library it imports nothing that has a clock of its own, does I/O, or is random;
// sha256 names versions.
func TestMachineIsPure(t *testing.T) {
	packages := list(t, module+"/runtime/machine")
	if len(packages) != 1 || len(packages[0].Imports) < 10 {
		t.Fatalf("go list gives %v", packages)
	}
	for _, imported := range packages[0].Imports {
		first, _, _ := strings.Cut(imported, "/")
		switch first {
		case "context", "os", "log", "net", "crypto", "syscall", "runtime", "testing":
			if imported != "crypto/sha256" {
				t.Errorf("runtime/machine imports %s", imported)
			}
		}
		if imported == "math/rand" || imported == "math/rand/v2" || strings.HasPrefix(imported, module) {
			t.Errorf("runtime/machine imports %s", imported)
		}
	}
}

// TestSQLiteAlone: a program that keeps its runs in SQLite compiles no other store's driver.
func TestSQLiteAlone(t *testing.T) {
	driver := func(of string) bool {
		out, err := exec.Command("go", "list", "-deps", "./runtime/"+of).Output()
		must(t, err)
		return strings.Contains(string(out), "github.com/jackc/")
	}
	if driver("sqlite") || driver("process") {
		t.Error("a program with SQLite alone compiles pgx")
	}
	if !driver("postgres") {
		t.Error("the test sees nothing")
	}
}

// mostNames is how many names `go doc ./runtime` may show a reader.
const mostNames = 120

// TestRuntimeFitsAReader: programs import one package, and its page is not too long.
func TestRuntimeFitsAReader(t *testing.T) {
	out, err := exec.Command("go", "doc", "-short", "./runtime").Output()
	must(t, err)
	if n := strings.Count(string(out), "\n"); n < 50 || n > mostNames {
		t.Errorf("go doc ./runtime has %d names, and may have %d", n, mostNames)
	}
}

// TestGeneratedImports holds the promise about what programs that use fsmc
// pull in: the runtime is the standard library alone.
func TestGeneratedImports(t *testing.T) {
	for _, p := range list(t, "-deps", module+"/runtime", module+"/runtime/memstore") {
		if !p.Standard && !strings.HasPrefix(p.ImportPath, module+"/runtime") {
			t.Errorf("runtime depends on %s", p.ImportPath)
		}
	}
}
