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
		Use:   "gen PATH...",
		Short: "Write Go for machines",
		Long: `Gen writes Go for machines: for each file NAME.fsm, a file NAME_fsm.go beside it. That
file has what a program calls: types for states, events and data, an interface with a
method for each activity, and functions that start runs and send events. It embeds
NAME.fsm, which must stay beside it. If one machine has errors, gen writes no file.

With --core, the file has the pure machine instead: state, data and counters, and a
function that chooses the arm for an input. It imports only the standard library.

With -o FILE, gen writes all Go to this one file; -o - is standard output. If a source
is not beside FILE, FILE has a copy of its text. A Go file that gen has not written
is left alone.

The package is the first of these that is known:
  - --package
  - $GOPACKAGE, which go generate sets: for standard output or a file in the working
    directory
  - the package of the Go files beside the file; not for standard output
  - the name of the folder; not for standard output

An enum or a record outside machines becomes one Go type, in the Go file of the file that
declares it, even if that file has no machine. The other Go files of the folder use that
type. The Go of another folder, or of --core, has a type of its own for it.

With --tests, gen writes a second file, NAME_fsm_test.go. Its test takes every arm that
a run can take, in the shortest runs.

Exit status 1: a machine has errors; or, with --check, a file on disk is not what
gen would write.`,
		Example: `  //go:generate go tool fsmc gen --tests review.fsm
  fsmc gen review.fsm
  fsmc gen --tests .
  fsmc gen --core -o core.go review.fsm
  fsmc gen --check .`,
		RunE: func(_ *cobra.Command, args []string) error { return g.run(args) },
	}
	c.Flags().StringVarP(&g.output, "output", "o", "", "write to `FILE`; - is standard output")
	c.Flags().StringVar(&g.pkg, "package", "", "the `NAME` of the package")
	c.Flags().BoolVar(&g.core, "core", false, "write the pure machine, which imports only the standard library")
	c.Flags().BoolVar(&g.tests, "tests", false, "also write a test file, which takes every arm")
	c.Flags().BoolVar(&g.check, "check", false, "write nothing; exit with 1 if a file on disk is stale")
	return c
}

type generator struct {
	*streams
	output, pkg string
	core, check bool
	tests       bool
	told        string // the package that was guessed last
}

// run writes all that it is asked for, or nothing.
func (g *generator) run(paths []string) error {
	inputs, err := g.inputs(paths)
	if err != nil {
		return err
	}
	var outputs []generated
	for _, in := range inputs {
		unit, err := g.load([]string{in.path})
		if err != nil {
			return err
		}
		if err := g.refuseErrors(unit); err != nil {
			return err
		}
		if len(unit.Program.Machines) == 0 && (g.core || !hasTypes(unit.Program)) {
			if in.named {
				return errNoMachine
			}
			continue
		}
		files, err := g.generate(unit, in.path)
		if err != nil {
			return err
		}
		outputs = append(outputs, generated{unit.Program, files})
	}
	if len(outputs) == 0 {
		return errNoMachine
	}
	for _, do := range []func(codegen.File) error{g.spare, g.put} {
		for _, o := range outputs {
			for _, f := range o.files {
				if err := do(f); err != nil {
					return err
				}
			}
		}
	}
	for _, o := range outputs {
		g.sayUndeclared(o.of, o.files[0].Name)
	}
	return nil
}

// generated is what becomes of a file, or with -o of a folder.
type generated struct {
	of    *ir.Program
	files []codegen.File
}

// genInput is a file, or with -o a folder, and whether the command line names it.
type genInput struct {
	path  string
	named bool
}

// inputs are those of the command line, each once.
func (g *generator) inputs(paths []string) ([]genInput, error) {
	if g.output != "" {
		if len(paths) > 1 {
			return nil, errors.New("-o takes what one PATH has: name one, or leave -o out")
		}
		return []genInput{{paths[0], true}}, nil
	}
	var list []genInput
	known := map[string]bool{}
	for _, path := range paths {
		names, err := expand(path, lang.InFolder)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if place := placeOf(name); !known[place] {
				known[place] = true
				list = append(list, genInput{name, name == path})
			}
		}
	}
	return list, nil
}

// spare refuses to replace a Go file that gen has not written.
func (g *generator) spare(f codegen.File) error {
	there, err := os.ReadFile(f.Name)
	if !g.check && filepath.Ext(f.Name) == ".go" && err == nil && len(bytes.TrimSpace(there)) > 0 && !bytes.Contains(there, []byte("// Code generated by fsmc ")) {
		return fmt.Errorf("file %q is left alone: fsmc gen has not written it; remove it, or write to another file", f.Name)
	}
	return nil
}

// put writes a file, or with --check compares it with what is there.
func (g *generator) put(f codegen.File) error {
	if g.check {
		return checkFresh(f.Name, f.Content)
	}
	return g.writeMade(f.Name, f.Content)
}

// target is where the result goes.
func (g *generator) target(path string) string {
	switch {
	case g.output != "":
		return g.output
	case path == "-":
		return "-"
	}
	return strings.TrimSuffix(path, filepath.Ext(path)) + "_fsm.go"
}

// generate gives the files for one input.
func (g *generator) generate(unit *lang.Unit, path string) ([]codegen.File, error) {
	output := g.target(path)
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
	if name == "" && (output == "-" || filepath.Dir(placeOf(output)) == placeOf(".")) {
		name = os.Getenv("GOPACKAGE") // go generate runs in the folder of that package
	}
	guessed := false
	if name == "" && output != "-" {
		name, guessed = packageBeside(output)
	}
	if name == "" {
		return "", errors.New("the package is not known: name it with --package")
	}
	if !token.IsIdentifier(name) || name == "_" {
		return "", fmt.Errorf("%q cannot be the name of a Go package: choose another with --package", name)
	}
	if _, err := os.Lstat(output); guessed && name != g.told && err != nil && !g.check {
		fmt.Fprintf(g.err, "fsmc: package %s, from the name of the folder\n", name)
		g.told = name
	}
	return name, nil
}

// packageBeside is the package of the Go files in the output's folder, or where there are none
// a name made from the folder's: then it is guessed.
func packageBeside(output string) (name string, guessed bool) {
	dir, err := filepath.Abs(filepath.Dir(output))
	if err != nil {
		return "", false
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.go")) // the pattern is well formed
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") || filepath.Base(f) == filepath.Base(output) {
			continue
		}
		if parsed, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.PackageClauseOnly); err == nil {
			return parsed.Name.Name, false
		}
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(filepath.Base(dir))), true
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
