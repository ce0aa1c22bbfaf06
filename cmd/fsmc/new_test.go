//go:build unix && cgo

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNewInModule: what new makes passes go vet, go test and go generate at once,
// in a module that has fsmc; in one that has not it says what is missing.
func TestNewInModule(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles a module of its own")
	}
	dir := t.TempDir()
	runIn(t, dir, "go", "mod", "init", "example.com/shop")
	if out := string(combined(t, fsmc(dir, "new", "first"))); !strings.Contains(out, "The Go module here cannot use fsmc yet.") {
		t.Errorf("without fsmc in the module:\n%s", out)
	}
	requireFsmc(t, dir)
	const tool = "github.com/fsmc-dev/fsmc/cmd/fsmc"
	runIn(t, dir, "go", "mod", "edit", "-droptool", tool)
	if out := string(combined(t, fsmc(dir, "new", "second"))); !strings.Contains(out, "-tool "+tool) {
		t.Errorf("where go tool does not know fsmc:\n%s", out)
	}
	runIn(t, dir, "go", "mod", "edit", "-tool", tool)
	if out := string(combined(t, fsmc(dir, "new", "order_review"))); strings.Contains(out, "module") {
		t.Errorf("with fsmc in the module:\n%s", out)
	}
	combined(t, fsmc(dir, "new", "Test")) // its types begin like test functions
	runIn(t, dir, "go", "vet", "./...")
	runIn(t, dir, "go", "test", "./...")
	if out := runIn(t, dir, "gofmt", "-l", "."); out != "" {
		t.Errorf("not in the form of gofmt: %s", out)
	}
	before := runIn(t, dir, "cksum", "orderreview/orderreview_fsm.go", "orderreview/orderreview_fsm_test.go")
	runIn(t, dir, "go", "generate", "./...")
	if after := runIn(t, dir, "cksum", "orderreview/orderreview_fsm.go", "orderreview/orderreview_fsm_test.go"); after != before {
		t.Errorf("go generate makes other files than new:\n%s%s", before, after)
	}
}

// TestReadmeGo runs the Go code of the README, with what fsmc new Invoice makes.
func TestReadmeGo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles a module of its own")
	}
	readme, err := os.ReadFile("../../README.md")
	must(t, err)
	_, code, _ := strings.Cut(string(readme), "```go\n")
	code, _, _ = strings.Cut(code, "```\n")
	dir := t.TempDir()
	runIn(t, dir, "go", "mod", "init", "example.com/hello")
	combined(t, fsmc(dir, "new", "Invoice"))
	program := `package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"example.com/hello/invoice"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

func main() {
	if err := hello(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func hello(ctx context.Context) error {
` + code + `return err
}
`
	must(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644))
	requireFsmc(t, dir)
	for _, want := range []string{"Invoice for Ada\nCompleted success\n", "Completed success\n"} {
		if out := runIn(t, dir, "go", "run", "."); out != want {
			t.Errorf("it prints %q, want %q", out, want)
		}
	}
}

// requireFsmc gives the module in dir this repository, as docs/install.md says to.
func requireFsmc(t *testing.T, dir string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	must(t, err)
	runIn(t, dir, "go", "mod", "edit", "-require", "github.com/fsmc-dev/fsmc@v0.0.0",
		"-replace", "github.com/fsmc-dev/fsmc="+root, "-tool", "github.com/fsmc-dev/fsmc/cmd/fsmc")
	runIn(t, dir, "go", "mod", "tidy")
}

// runIn runs a command that must succeed.
func runIn(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(c.Environ(), "GOFLAGS=", "GOWORK=off")
	return string(combined(t, c))
}

func combined(t *testing.T, c *exec.Cmd) []byte {
	t.Helper()
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(c.Args, " "), err, out)
	}
	return out
}
