package resolve

import (
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Finder gives the files to which `import "path"` in the file called from leads. The
// error says why there is none, as what follows the path in a sentence. It gives one
// tree for one file, however often and by whatever path it is found.
type Finder func(from, path string) ([]Target, error)

// Misspelt is an error of a Finder that knows a path that was likely meant.
type Misspelt struct {
	Err     error
	Nearest string
}

func (m *Misspelt) Error() string { return m.Err.Error() }
func (m *Misspelt) Unwrap() error { return m.Err }

// Target is a file to which an import leads.
type Target struct {
	File   *ast.File
	Faults diag.List // of its syntax
}

// file is what the machines of a file find there beside their own names.
//
// What the file declares itself is resolved as if the file were a machine without a
// name, which declares nothing but types.
type file struct {
	*resolver
	src   *ast.File
	out   *ir.File
	named bool // it is of the unit; else it is imported only, and nothing is reported of it

	faulty   bool // its syntax is wrong
	declared bool
	imports  bool       // have been resolved
	types    []fileType // that it declares
	fields   bool       // of its records have been resolved
	complete bool       // its records and those of its imports are
	from     []*file    // to which its imports lead
	fromAt   map[*file]token.Span
	machines []exportedName
	known    []*ir.Enum              // of the file and its imports
	imported *space[*ir.Enum]        // those of its imports; around it those of the file
	brought  map[any]*ir.Import      // by which import, an enum or a record
	own      map[string]*ast.Machine // of the file

	importedRecords *space[*ir.Record] // as imported

	callables map[string]callable // machines of the file and its imports
	resolvers map[*ast.Machine]*resolver
	blamed    map[*file]bool // imported files whose faults have been reported
	gaps      bool           // something that the file declares or imports could not be read
}

func newFile(u *unit, src *ast.File) *file {
	items := &ast.Machine{Name: &ast.Name{}}
	f := &file{
		resolver: newResolver(u, items), src: src,
		out: &ir.File{Name: src.Name}, brought: map[any]*ir.Import{}, fromAt: map[*file]token.Span{},
		imported: newSpace[*ir.Enum]("enum"), importedRecords: newSpace[*ir.Record]("record"), own: map[string]*ast.Machine{},
		callables: map[string]callable{}, blamed: map[*file]bool{}, resolvers: map[*ast.Machine]*resolver{},
	}
	f.imported.outer, f.importedRecords.outer = f.enums, f.records
	f.importedRecords.forms = f.imported.forms
	for _, d := range src.Decls {
		switch d := d.(type) {
		case *ast.Enum:
			items.Items = append(items.Items, d)
		case *ast.Record:
			items.Items = append(items.Items, d)
			f.gaps = f.gaps || len(d.Bad) > 0
		case *ast.Bad:
			f.gaps = true
		}
	}
	return f
}

// folder is where the file stands: in it the names of machines are unique.
func (f *file) folder() string { return path.Dir(filepath.ToSlash(f.src.Name)) }

// declare declares the types of the file, once, of records the names.
func (f *file) declare() {
	if f.declared {
		return
	}
	f.declared = true
	f.declareEnums()
	f.declareRecords()
	for _, rec := range f.m.Records {
		f.homes[rec] = f
	}
	f.types = f.typesOf()
	for m := range ast.Of[*ast.Machine](f.src.Decls) {
		if present(m.Name) {
			f.refer(m.Name, ir.MachineName, &m.Name.Pos)
			f.machines = append(f.machines, exportedName{ir.Exported(m.Name.Text), m.Name})
			if f.own[m.Name.Text] == nil {
				f.own[m.Name.Text] = m
				f.callables[m.Name.Text] = callable{file: f, src: m}
			}
		}
	}
	f.known, f.out.Enums, f.out.Records = slices.Clone(f.m.Enums), f.m.Enums, f.m.Records
	f.out.Broken, f.out.Incomplete = f.m.Broken, f.gaps
}

// forget drops what only the machines of the file had to know: files that all import
// each other would take memory in the square.
func (f *file) forget() {
	f.known, f.imported, f.importedRecords, f.brought, f.callables = nil, nil, nil, nil, nil
	f.from, f.fromAt = nil, nil
}

// noteMachine notes m as one of the file.
func (f *file) noteMachine(m *ir.Machine) {
	f.out.Machines++
	f.out.Broken = f.out.Broken || m.Broken
	f.out.Incomplete = f.out.Incomplete || m.Incomplete
}

// resolveImports makes known what the imports of the file lead to. Imports are not
// transitive, so cycles of them mean nothing.
func (f *file) resolveImports() {
	if f.imports {
		return
	}
	f.imports = true
	machines := map[string]declaredMachine{}
	for _, m := range f.machines {
		machines[m.form] = declaredMachine{m.at, f}
	}
	for src := range ast.Of[*ast.Import](f.src.Decls) {
		path, wrong := parseString(src.Path.Text)
		if wrong != nil {
			f.badLiteral(src.Path, wrong)
			f.gaps = true
			continue
		}
		targets, err := f.find(f.src.Name, path)
		if err != nil {
			f.noImport(src.Path.Span(), path, err)
			f.gaps = true
			continue
		}
		imp := &ir.Import{Path: path, Span: src.Path.Span(), Decl: src.Span()}
		f.out.Imports = append(f.out.Imports, imp)
		clashes := map[string]bool{}
		fresh, others := false, 0
		for _, t := range targets {
			if t.File == f.src {
				continue
			}
			other := f.other(t)
			other.faulty = other.faulty || len(t.Faults) > 0
			f.noteFaults(src.Path.Span(), other, t.Faults)
			if !f.mayBring(src, 1+len(other.types)+len(other.machines)) {
				return
			}
			if _, again := f.fromAt[other]; !again {
				fresh = true
				f.from, f.fromAt[other] = append(f.from, other), src.Path.Span()
			}
			f.bring(src, imp, other, machines, clashes)
			others++
		}
		imp.Again = others > 0 && !fresh
	}
	f.out.Broken, f.out.Incomplete = f.out.Broken || f.m.Broken, f.out.Incomplete || f.gaps
}

// noImport reports that a path leads to no file.
func (f *file) noImport(span token.Span, path string, err error) {
	message := quote(path) + " " + err.Error()
	var near *Misspelt
	if !errors.As(err, &near) {
		f.report(unknownName, span, message, "Write the path of a .fsm file or a folder, as seen from the folder of this file.")
		return
	}
	f.report(unknownName, span, message, "Did you mean "+quote(near.Nearest)+"?").Fixes = replace(span, quote(near.Nearest))
}

// other is the file of t, with what it declares.
func (f *file) other(t Target) *file {
	other, ok := f.files[t.File]
	if !ok {
		aside := *f.unit
		aside.list = nil
		other = newFile(&aside, t.File)
		f.files[t.File] = other
	}
	other.declare()
	other.out.Imported = true
	return other
}

// noteFaults reports that an imported file has faults, unless they are reported there.
func (f *file) noteFaults(at token.Span, other *file, syntax diag.List) {
	f.gaps = f.gaps || len(syntax) > 0
	faults := slices.Concat(syntax, other.list)
	if other.named || len(faults) == 0 || f.blamed[other] {
		return
	}
	f.blamed[other] = true
	name := other.src.Name
	f.report(faults[0].Rule, at, quote(name)+", which is imported here, has errors",
		"Fix what `fsmc check "+name+"` finds.", related(faults[0].Span, faults[0].Message))
}

// bring makes known what other declares. clashes are the names about which something
// has been said at the import.
func (f *file) bring(src *ast.Import, imp *ir.Import, other *file, machines map[string]declaredMachine, clashes map[string]bool) {
	for _, t := range other.types {
		f.bringType(src, imp, t, clashes)
	}
	for _, m := range other.machines {
		if _, known := f.callables[m.at.Text]; !known {
			f.callables[m.at.Text] = callable{other, other.own[m.at.Text], imp}
		}
		first, taken := machines[m.form]
		switch {
		case !taken:
			machines[m.form] = declaredMachine{m.at, other}
		case first.name != m.at && !first.file.beside(other): // else it is reported where the unit is put together
			f.clash(src, "machine", first.name, m.at, clashes)
		}
	}
}

// declaredMachine is the name of a machine where it stands.
type declaredMachine struct {
	name *ast.Name
	file *file
}

// beside reports whether both files are of the unit and in one folder.
func (f *file) beside(other *file) bool {
	return f.named && other.named && f.folder() == other.folder()
}

// exportedName is a name with its form in generated Go.
type exportedName struct {
	form string
	at   *ast.Name
}

// maxBrought bounds what all imports of a unit bring together. A folder of thousands of
// files that all import the folder would be worked on for hours.
const maxBrought = 10_000_000

// mayBring reports whether n more names may be brought. Where it is false for the first
// time it says so at the import.
func (f *file) mayBring(src *ast.Import, n int) bool {
	before := f.brings
	if f.brings += n; f.brings <= maxBrought {
		return true
	}
	if before <= maxBrought {
		f.report("syntax", src.Path.Span(), "the imports of all files together bring more than "+strconv.Itoa(maxBrought)+" names",
			"Import single files, or divide the folder.")
	}
	f.gaps, f.out.Broken, f.out.Incomplete = true, true, true
	return false
}

// clash reports that an import brings a name that is taken.
func (f *file) clash(src *ast.Import, kind string, first, second *ast.Name, clashes map[string]bool) {
	if clashes[kind+second.Text] {
		return
	}
	clashes[kind+second.Text] = true
	f.report(duplicateName, src.Path.Span(), "this import brings "+diag.Article(kind)+" "+quote(second.Text)+", and the name is taken",
		"Rename one of the two, or import less.",
		related(first.Span(), "the first is declared here"), related(second.Span(), "the second is declared here"))
}
