package cli

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/all"
	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

func newGen(s *streams) *cobra.Command {
	g := &generator{streams: s}
	c := &cobra.Command{
		Use:   "gen PATH",
		Short: "Write Go for machines",
		Long: `Gen writes Go for the machines in PATH, as NAME_fsm.go beside the source. The file
has what a program calls: types for states, events and data, an interface with a
method for each activity, and functions that start runs and send events. It embeds
the source file, so the source must stay beside it.

With --core, the file has the pure machine instead: state, data and counters, and a
function that chooses the arm for an input. It imports only the standard library.

-o FILE writes another file; -o - writes to standard output. If the source is not
beside that file, the file has a copy of its text. The package is that of
--package; or of $GOPACKAGE under go:generate; or of the Go files beside the output;
or it has the name of the folder.

An enum or a record outside machines becomes one Go type, in the file that is generated from the
file that declares it, even if that has no machine. The files generated from the other
files of its folder use that type. A machine in another folder, or with --core, has a
type of its own for it.

With --tests, gen writes a second file, NAME_fsm_test.go. Its test takes every arm
that any run takes, by the shortest runs.

Exit status 1: a machine has errors; or, with --check, a file on disk is not what
gen would write.`,
		Example: `  //go:generate go run github.com/fsmc-dev/fsmc/cmd/fsmc gen --tests review.fsm
  fsmc gen review.fsm
  fsmc gen --core -o core.go review.fsm
  fsmc gen --check review.fsm`,
		Args:              arguments("PATH"),
		ValidArgsFunction: completeFSM,
		RunE:              func(_ *cobra.Command, args []string) error { return g.run(args[0]) },
	}
	c.Flags().StringVarP(&g.output, "output", "o", "", "write to `FILE`; - is standard output")
	c.Flags().StringVar(&g.pkg, "package", "", "the `NAME` of the package")
	c.Flags().BoolVar(&g.core, "core", false, "write the pure machine, which imports only the standard library")
	c.Flags().BoolVar(&g.tests, "tests", false, "also write a test file, which takes every arm")
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
	if len(unit.Program.Machines) == 0 && (g.core || !hasTypes(unit.Program)) {
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

// put writes a file, or with --check compares it with what is there.
func (g *generator) put(f codegen.File) error {
	if g.check {
		return checkFresh(f.Name, f.Content)
	}
	return g.write(f.Name, f.Content)
}

// target is where the result goes.
func (g *generator) target(path string) (string, error) {
	switch info, err := os.Stat(path); {
	case g.output != "":
		return g.output, nil
	case path == "-":
		return "-", nil
	case err == nil && info.IsDir():
		return "", errors.New("a folder can have several machines: name the output file with -o")
	}
	return strings.TrimSuffix(path, filepath.Ext(path)) + "_fsm.go", nil
}

// generate gives all files, or none.
func (g *generator) generate(unit *lang.Unit, path, output string) ([]codegen.File, error) {
	options, err := g.options(unit, path, output)
	if err != nil {
		return nil, err
	}
	files, list := all.Sources[0].Generate(unit.Program.Machines, options)
	if list.HasErrors() {
		return nil, g.refuse(list, unit.File)
	}
	for i := range files {
		files[i].Name = filepath.Join(filepath.Dir(output), files[i].Name)
	}
	files[0].Name = output
	g.sayUndeclared(unit.Program, output)
	return files, nil
}

func (g *generator) options(unit *lang.Unit, path, output string) (codegen.SourceOptions, error) {
	o := codegen.SourceOptions{
		Base:       strings.TrimSuffix(filepath.Base(output), ".go"),
		Source:     filepath.Base(path),
		Core:       g.core,
		Enums:      types(unit.Program, func(f *ir.File) []*ir.Enum { return f.Enums }),
		Records:    types(unit.Program, func(f *ir.File) []*ir.Record { return f.Records }),
		Elsewhere:  elsewhere,
		Definition: func(m *ir.Machine) []byte { return table.Compile(m).Encode() },
		Text:       func(m *ir.Machine) string { return sourceOf(unit, m) },
		Embed:      func(m *ir.Machine) string { return besideOutput(m.Span.Start.Filename, output) },
		Bounds:     provedBounds,
	}
	var err error
	if o.Package, err = g.packageName(output); err == nil && g.tests {
		o.Cover, err = covers(unit, output)
	}
	return o, err
}

// embeddable are the file names that mean themselves behind go:embed.
var embeddable = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// besideOutput is the name of a source file that can be embedded into output; empty
// for another one.
func besideOutput(source, output string) string {
	name := filepath.Base(source)
	if output == "-" || !embeddable.MatchString(name) {
		return ""
	}
	info, err := os.Lstat(filepath.Join(filepath.Dir(output), name))
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	if own, err := os.Lstat(source); err != nil || !os.SameFile(info, own) {
		return ""
	}
	return name
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
		return "", fmt.Errorf("%q cannot be the name of a Go package: choose another with --package", name)
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
