package cli

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/codegen/golang"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

func newGen(s *streams) *cobra.Command {
	g := &generator{streams: s}
	c := &cobra.Command{
		Use:   "gen PATH",
		Short: "Compile machines to Go",
		Long: `Gen writes Go for the machines in PATH. NAME_fsm.go beside the source is what a
program calls: states, events and data as types, and a typed binding to the
runtime. NAME_fsm_core.go is the pure machine, and NAME_fsm_json.go the forms of
both as JSON. With --core there is no binding, and nothing is imported but the
standard library.

With -o FILE all of it stands in that one file; -o - is standard output. The
package is that of --package, or of $GOPACKAGE under go:generate, or of the Go
files beside the output, or the name of the folder.

With --tests one more file, NAME_fsm_test.go, walks the pure machine along runs
that together take every arm that any run takes, the shortest ones there are.

Exit status 1: a machine has errors, or with --check a file on disk is not
what would be written.`,
		Example: `  //go:generate go run github.com/fsmc-dev/fsmc/cmd/fsmc gen review.fsm
  fsmc gen review.fsm
  fsmc gen --core -o core.go review.fsm
  fsmc gen --tests review.fsm
  fsmc gen --check review.fsm`,
		Args:              arguments("PATH"),
		ValidArgsFunction: completeFSM,
		RunE:              func(_ *cobra.Command, args []string) error { return g.run(args[0]) },
	}
	c.Flags().StringVarP(&g.output, "output", "o", "", "write one file, `FILE`; - is standard output")
	c.Flags().StringVar(&g.pkg, "package", "", "the package is called `NAME`")
	c.Flags().BoolVar(&g.core, "core", false, "only the pure machine, which imports the standard library alone")
	c.Flags().BoolVar(&g.tests, "tests", false, "write a test file beside it that takes every arm by a run from the start")
	c.Flags().BoolVar(&g.check, "check", false, "write nothing; exit with 1 if a file on disk is stale")
	return c
}

// generator is one call of gen.
type generator struct {
	*streams
	output, pkg string
	core, check bool
	tests       bool
}

func (g *generator) run(path string) error {
	unit, err := g.load([]string{path})
	if err != nil {
		return err
	}
	if err := g.refuseErrors(unit); err != nil {
		return err
	}
	if len(unit.Program.Machines) == 0 {
		return errNoMachine
	}
	output, err := g.target(path)
	if err != nil {
		return err
	}
	files, err := g.generate(unit, path, output)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := g.put(f); err != nil {
			return err
		}
	}
	return nil
}

// goFile is what is to be written where.
type goFile struct {
	name string
	text []byte
}

// put writes a file, or with --check compares it with what is there.
func (g *generator) put(f goFile) error {
	if g.check {
		return checkFresh(f.name, f.text)
	}
	return g.write(f.name, f.text)
}

// target is where the result goes.
func (g *generator) target(path string) (string, error) {
	switch info, err := os.Stat(path); {
	case g.output != "":
		return g.output, nil
	case path == "-":
		return "-", nil
	case err == nil && info.IsDir():
		return "", errors.New("a folder has no one output file: name it with -o")
	}
	return strings.TrimSuffix(path, filepath.Ext(path)) + "_fsm.go", nil
}

// generate gives all files, or none.
func (g *generator) generate(unit *lang.Unit, path, output string) ([]goFile, error) {
	options, err := g.options(unit, path, output)
	if err != nil {
		return nil, err
	}
	var files []goFile
	var list diag.List
	if base, isGo := strings.CutSuffix(output, ".go"); g.output == "" && isGo {
		var parts []golang.File
		parts, list = golang.Generate(unit.Program.Machines, options)
		for _, p := range parts {
			files = append(files, goFile{base + p.Suffix + ".go", p.Text})
		}
	} else {
		var text []byte
		text, list = golang.GenerateOne(unit.Program.Machines, options)
		files = append(files, goFile{output, text})
	}
	if list.HasErrors() {
		return nil, g.refuse(list, unit.File)
	}
	if g.tests {
		test, err := g.testFile(unit, options, output)
		if err != nil {
			return nil, err
		}
		files = append(files, test)
	}
	return files, nil
}

func (g *generator) options(unit *lang.Unit, path, output string) (golang.Options, error) {
	pkg, err := g.packageName(output)
	return golang.Options{
		Package:    pkg,
		Source:     filepath.Base(path),
		Core:       g.core,
		Definition: func(m *ir.Machine) []byte { return table.Compile(m).Encode() },
		Text:       func(m *ir.Machine) string { return sourceOf(unit, m) },
		Bounds:     provedBounds,
	}, err
}

// packageName finds the package to which the output belongs.
func (g *generator) packageName(output string) (string, error) {
	name := g.pkg
	if name == "" {
		name = os.Getenv("GOPACKAGE")
	}
	if name == "" && output != "-" {
		name = packageBeside(output)
	}
	if name == "" {
		return "", errors.New("the package is not known: name it with --package")
	}
	if !token.IsIdentifier(name) || name == "_" {
		return "", fmt.Errorf("%q is no name of a Go package: name one with --package", name)
	}
	return name, nil
}

// packageBeside is the package of the Go files in the output's folder, or a
// name made from the folder's.
func packageBeside(output string) string {
	dir, err := filepath.Abs(filepath.Dir(output))
	if err != nil {
		return ""
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.go")) // the pattern is well formed
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") || filepath.Base(f) == filepath.Base(output) {
			continue
		}
		if parsed, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.PackageClauseOnly); err == nil {
			return parsed.Name.Name
		}
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(filepath.Base(dir)))
}

// checkFresh compares what would be written with what is there.
func checkFresh(output string, src []byte) error {
	old, err := os.ReadFile(output)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return findingf("%q has not been generated: run fsmc gen without --check", output)
	case err != nil:
		return readError(output, err)
	case !bytes.Equal(old, src):
		return findingf("%q is stale: run fsmc gen without --check", output)
	}
	return nil
}
