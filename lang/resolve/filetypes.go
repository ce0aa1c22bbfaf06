package resolve

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// A file declares types as a machine does: enums and records. Their names come first, in all
// files to which imports lead, and the fields of records later: files may import each other.

// fileType is an enum or a record of a file.
type fileType struct {
	exportedName
	enum   *ir.Enum
	record *ir.Record // nil for an enum
}

// typesOf are the types that f declares, in order.
func (f *file) typesOf() []fileType {
	named := func(name string) exportedName {
		form := ir.Exported(name)
		return exportedName{form, f.enums.forms[form]}
	}
	var out []fileType
	for _, e := range f.m.Enums {
		out = append(out, fileType{exportedName: named(e.Name), enum: e})
	}
	for _, rec := range f.m.Records {
		out = append(out, fileType{exportedName: named(rec.Name), record: rec})
	}
	return out
}

// bringType makes t known, which imp brings.
func (f *file) bringType(src *ast.Import, imp *ir.Import, t fileType, clashes map[string]bool) {
	if t.record != nil {
		bringAs(f, f.importedRecords, t.record, t.record.Name, src, imp, t.exportedName, clashes)
	} else if bringAs(f, f.imported, t.enum, t.enum.Name, src, imp, t.exportedName, clashes) {
		f.known = append(f.known, t.enum)
	}
}

func bringAs[T comparable](f *file, s *space[T], v T, name string, src *ast.Import, imp *ir.Import, form exportedName, clashes map[string]bool) bool {
	if f.brought[v] != nil {
		return false
	}
	if first := s.first(form.form); first != nil {
		f.clash(src, s.kind, first, form.at, clashes)
	} else {
		s.forms[form.form] = form.at
	}
	if _, same := s.lookup(name); same {
		return false
	}
	s.names[name] = v
	f.brought[v] = imp
	return true
}

// enumNamed is the enum of that name that the machine sees, which is used thereby.
func (r *resolver) enumNamed(name string) (*ir.Enum, bool) {
	e, ok := r.enums.lookup(name)
	if ok && e.OfFile && r.file != nil {
		r.outer[e], e.Used = true, true
		r.file.credit(e)
	}
	return e, ok
}

// recordNamed is the record of that name that the machine sees, which is used thereby.
func (r *resolver) recordNamed(name string, at token.Span) (*ir.Record, bool) {
	rec, ok := r.records.lookup(name)
	if ok && rec.OfFile {
		r.useRecord(rec, at)
		r.file.credit(rec)
	}
	return rec, ok
}

func (r *resolver) useRecord(rec *ir.Record, at token.Span) {
	if _, used := r.outerRecords[rec]; !used {
		r.outerRecords[rec], rec.Used = at, true
	}
}

// credit notes that the import that brings a type is of use.
func (f *file) credit(typ any) {
	if imp := f.brought[typ]; imp != nil {
		imp.Used = true
	}
}

// addOuter adds the enums and records of files that the machine uses to its own.
func (r *resolver) addOuter() {
	ownRecords, own := len(r.m.Records), len(r.m.Enums)
	direct := slices.SortedFunc(maps.Keys(r.outerRecords), func(a, b *ir.Record) int {
		return cmp.Compare(r.outerRecords[a].Start.Offset, r.outerRecords[b].Start.Offset)
	})
	for _, rec := range direct {
		for _, inner := range rec.Within() {
			r.addInner(inner, r.outerRecords[rec])
		}
	}
	for rec := range r.outerRecords {
		r.m.Records = append(r.m.Records, rec)
	}
	for e := range r.outer {
		r.m.Enums = append(r.m.Enums, e)
	}
	slices.SortFunc(r.m.Records[ownRecords:], func(a, b *ir.Record) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(r.m.Enums[own:], func(a, b *ir.Enum) int { return strings.Compare(a.Name, b.Name) })
}

// addInner notes that the machine uses rec, which the record has in it that is named at a
// place, and the enums of its fields.
func (r *resolver) addInner(rec *ir.Record, at token.Span) {
	r.useRecord(rec, at)
	for _, f := range rec.Fields {
		switch inner := f.Type.Innermost(); {
		case inner.Kind == ir.Invalid:
			r.m.Broken = true
		case inner.Kind == ir.EnumKind:
			r.useEnum(inner.Enum, at, "record "+quote(rec.Name))
		}
	}
}

// useEnum notes that the machine uses e, an enum of a file, by what has it and is named at
// a place. A definition has one enum of each name.
func (r *resolver) useEnum(e *ir.Enum, at token.Span, what string) bool {
	known, ok := r.enums.lookup(e.Name)
	if !ok {
		for other := range r.outer {
			if other.Name == e.Name {
				known, ok = other, true
			}
		}
	}
	if ok && known != e {
		r.otherType(at, what, "enum", e.Name, e.Span, known.Span)
		return false
	}
	r.outer[e], e.Used = true, true
	return true
}

// otherType reports that what has a type whose name is that of another one to the machine.
func (r *resolver) otherType(at token.Span, what, kind, name string, its, others token.Span) {
	r.report(duplicateName, at, what+" has the type "+quote(name)+", which is another "+kind+" here",
		"Rename one of the two.", related(its, "its type is declared here"), related(others, "the other one is declared here"))
}

// recordFields resolves the fields of the records of f, once, and of those that they have in them.
func (f *file) recordFields() {
	if f.fields || len(f.m.Records) == 0 {
		return
	}
	f.fields = true
	f.resolveImports()
	r := newResolver(f.unit, f.resolver.src)
	r.m, r.file = f.m, f
	r.enums.outer, r.records.outer = f.imported, f.importedRecords
	r.resolveRecordFields(f.m.Records, f.recordSources)
	for _, rec := range f.m.Records {
		for _, field := range rec.Fields {
			if inner := field.Type.Innermost().Record; inner != nil {
				f.homes[inner].recordFields()
			}
		}
	}
}

// completeRecords makes the records known that f declares or imports, and reports
// what is wrong with them.
func (f *file) completeRecords() {
	if f.complete {
		return
	}
	f.complete = true
	f.recordFields()
	f.measure(f.m.Records)
	for _, from := range f.from {
		from.recordFields()
		from.measure(from.m.Records)
	}
	for _, from := range f.from {
		f.noteFaults(f.fromAt[from], from, nil)
		for _, rec := range from.m.Records {
			f.noteFaultsWithin(f.fromAt[from], rec)
		}
	}
	f.out.Broken, f.out.Incomplete = f.out.Broken || f.m.Broken, f.out.Incomplete || f.gaps
}

// noteFaultsWithin reports that rec, which an import brings, has a record in it about which
// something is wrong.
func (f *file) noteFaultsWithin(at token.Span, rec *ir.Record) {
	for _, inner := range rec.Within() {
		if slices.ContainsFunc(inner.Fields, func(f *ir.Field) bool { return f.Type.Innermost().Kind == ir.Invalid }) {
			f.noteFaults(at, f.homes[inner], nil)
		}
	}
}
