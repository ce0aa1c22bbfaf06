package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// maxFile is the largest source file; the parser refuses a larger one with a
// diagnostic, so one byte more than that is all that is ever read.
const maxFile = 64<<20 + 1

// standardInput is how diagnostics name what was read from "-".
const standardInput = "<stdin>"

// reader reads the sources of one command line, and what they import, each file once.
type reader struct {
	*streams
	sources []lang.Source          // those that are named
	read    map[string]lang.Source // by the place of the file
	from    map[string]origin      // by the name of the source

	folders  map[string][]lang.Source // by what an import of them leads to
	imported int                      // files
	size     int                      // of these, in bytes
}

// origin is where a source comes from.
type origin struct {
	file string // its place
	root string // of the project, as seen from the folder that is named, or from the one with the file that is
}

// readSources reads the named files; a directory stands for every *.fsm below
// it but those that end in _test.fsm, outside of folders that are passed over, "-" for
// standard input. A file named twice is read once.
func (s *streams) readSources(paths []string) (*reader, error) {
	return s.readFiles(paths, lang.InFolder)
}

// readFiles is readSources with those files of a directory that are wanted.
func (s *streams) readFiles(paths []string, wanted func(name string) bool) (*reader, error) {
	r := &reader{streams: s, read: map[string]lang.Source{}, from: map[string]origin{}, folders: map[string][]lang.Source{}}
	for _, p := range paths {
		names, err := []string{p}, error(nil)
		if s.open[p] == nil {
			names, err = expand(p, wanted)
		}
		if err != nil {
			return nil, err
		}
		folder := placeOf(p)
		if p == "-" {
			folder = placeOf(".")
		} else if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			folder = filepath.Dir(folder)
		}
		root := projectOf(folder)
		for _, name := range names {
			if err := r.add(name, root); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// add reads a file that is named, unless it has been read.
func (r *reader) add(name, root string) error {
	file := placeOf(name)
	if _, seen := r.read[file]; seen {
		return nil
	}
	src, err := r.readSource(name)
	if err != nil {
		return err
	}
	at := origin{file, root}
	if name == "-" { // its imports are seen from the working directory
		at.file = filepath.Join(placeOf("."), "stdin.fsm")
	}
	r.from[src.Name] = at
	r.read[file] = src
	r.sources = append(r.sources, src)
	return nil
}

// placeOf is the path of a file without links, the same however it is written.
func placeOf(name string) string {
	if absolute, err := filepath.Abs(name); err == nil && name != "-" {
		name = absolute
	}
	if place, err := filepath.EvalSymlinks(name); err == nil {
		return place
	}
	return filepath.Clean(name)
}

// expand lists the files that path stands for: of a folder those that are wanted.
func expand(path string, wanted func(name string) bool) ([]string, error) {
	if path == "-" {
		return []string{path}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, readError(path, err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var names []string
	root := path + string(filepath.Separator) // of a link the folder that it leads to
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != root && passedOver(entry.Name()):
			return fs.SkipDir
		case !entry.IsDir() && wanted(name):
			names = append(names, name)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, readError(path, err)
	case len(names) == 0:
		return nil, fmt.Errorf("no .fsm file below %q; fsmc help says what is left out", path)
	}
	slices.Sort(names)
	return names, nil
}

// passedOver reports whether a folder of that name belongs to others than those who
// check what is around it: fixtures of tests, what was installed, and what a name of its
// kind hides from Go, too.
func passedOver(folder string) bool {
	return folder == "testdata" || folder == "vendor" || folder == "node_modules" || folder[0] == '.' || folder[0] == '_'
}

func (s *streams) readSource(name string) (lang.Source, error) {
	if text := s.open[name]; text != nil {
		return lang.Source{Name: name, Src: text}, nil
	}
	text, err := s.readUpTo(maxFile, name)
	switch {
	case err != nil && name == "-":
		return lang.Source{}, fmt.Errorf("standard input cannot be read: %w", err)
	case err != nil:
		return lang.Source{}, readError(name, err)
	case name == "-":
		name = standardInput
	case s.open != nil:
		text = lsp.AsOpened(text)
	}
	return lang.Source{Name: name, Src: text}, nil
}

// readUpTo reads so many bytes of a file at most, or for - of standard input.
func (s *streams) readUpTo(most int64, path string) ([]byte, error) {
	in := s.in
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	return io.ReadAll(io.LimitReader(in, most))
}

// readError says in plain words why a file could not be read.
func readError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.Contains(path, "="):
		return fmt.Errorf("there is no file %q; a parameter of a run is given as --param %[1]s", path)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no file %q", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("file %q may not be read by this user", path)
	}
	return fmt.Errorf("file %q cannot be read: %w", path, reason(err))
}

// load reads, parses and resolves paths, without trees.
func (s *streams) load(paths []string) (*lang.Unit, error) {
	return s.loadFiles(paths, lang.InFolder)
}

// loadFiles is load with those files of a directory that are wanted.
func (s *streams) loadFiles(paths []string, wanted func(name string) bool) (*lang.Unit, error) {
	r, err := s.readFiles(paths, wanted)
	if err != nil {
		return nil, err
	}
	return loadLean(r.sources, r.find), nil
}

// loadLean parses and resolves sources. It gives no trees: of all that LoadFrom makes
// they take the most memory, and from here on they are not read any more.
func loadLean(sources []lang.Source, find lang.Importer) *lang.Unit {
	unit := lang.LoadFrom(sources, find)
	unit.Files = nil
	return unit
}

// loadOne is load for a command about one machine. refuse says which errors of its unit are too many for it.
func (s *streams) loadOne(paths []string, name string, refuse func(*lang.Unit) error) (*lang.Unit, *ir.Machine, error) {
	unit, err := s.load(paths)
	if err == nil {
		err = refuse(unit)
	}
	if err != nil {
		return nil, nil, err
	}
	m, err := pick(unit.Program, name)
	return unit, m, err
}

// sourceOf is the text of the file in which m stands, kept with its runs.
func sourceOf(unit *lang.Unit, m *ir.Machine) string {
	return string(unit.File(m.Span.Start.Filename).Src)
}

// errNoMachine is said of an input that can be read and has no machine in it.
var errNoMachine = findingf("there is no machine in the input")

// pick chooses the one machine that a command is about: the one called name,
// or with an empty name the only one that no other calls.
func pick(prog *ir.Program, name string) (*ir.Machine, error) {
	names := make([]string, len(prog.Machines))
	var called []*ir.Machine
	for i, m := range prog.Machines {
		names[i] = m.Name
		if m.Name == name {
			called = append(called, m)
		}
	}
	switch {
	case len(called) == 1:
		return called[0], nil
	case len(called) > 1:
		return nil, fmt.Errorf("there are %d machines %q, in %s and %s; name the file of the one that is meant",
			len(called), name, diag.Harmless(called[0].Span.Start.Filename), diag.Harmless(called[1].Span.Start.Filename))
	case len(names) == 0:
		return nil, errNoMachine
	case name == "":
		if top := uncalled(prog); len(top) == 1 {
			return top[0], nil
		}
		return nil, fmt.Errorf("the input has %d machines (%s); choose one with --machine NAME", len(names), strings.Join(names, ", "))
	}
	if near, ok := diag.Nearest(name, names); ok {
		return nil, fmt.Errorf("there is no machine %q; did you mean %q?", name, near)
	}
	return nil, fmt.Errorf("there is no machine %q; the input has %s", name, strings.Join(names, ", "))
}

// uncalled are the machines of prog that no other of them calls.
func uncalled(prog *ir.Program) []*ir.Machine {
	called := map[*ir.Machine]bool{}
	for _, m := range prog.Machines {
		for _, a := range m.Activities {
			called[a.Machine] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(prog.Machines), func(m *ir.Machine) bool { return called[m] })
}
