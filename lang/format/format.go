// Package format writes a syntax tree in canonical form.
//
// The form is that of the examples in the language's documentation: four
// spaces of indentation, one item a line, columns aligned in runs of lines
// that belong together, at most one blank line in a row. Nothing is reordered,
// comments and parentheses stay, and formatting twice is formatting once.
//
// Where the language leaves a choice the author's is kept: braces that were
// written on one line stay on one line as long as they fit, and so do `else`
// chains; comments behind lines keep a common column.
package format

import (
	"math"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

const (
	indentWidth       = 4
	continuationWidth = 8 // what an item that needs more than one line is indented by
	maxWidth          = 100
)

// File is f in canonical form. f comes from a text without syntax errors: a
// tree with Bad nodes in it has no canonical form, and File panics.
func File(f *ast.File) []byte {
	p := &printer{comments: f.Comments}
	for i, d := range f.Decls {
		if i > 0 && apart(f.Decls[i-1], d) {
			p.blank = true
		}
		p.element(d, offsetOfNext(f.Decls, i, math.MaxInt), func() { p.decl(d) })
	}
	if len(f.Decls) > 0 {
		p.blank = true
	}
	p.lead(math.MaxInt)
	return render(p.lines)
}

// apart reports whether a blank line stands between two declarations of a file, even
// where the author wrote none: around machines and scenarios, and below the imports.
func apart(a, b ast.Decl) bool {
	_, above := a.(*ast.Import)
	_, below := b.(*ast.Import)
	return above != below || isLong(a) || isLong(b)
}

// isLong reports whether d is a machine or a scenario.
func isLong(d ast.Decl) bool {
	switch d.(type) {
	case *ast.Machine, *ast.Scenario:
		return true
	}
	return false
}

func (p *printer) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.Import:
		p.text("import ")
		p.literal(d.Path)
	case *ast.Enum:
		p.enum(d)
	case *ast.Record:
		p.record(d)
	case *ast.Machine:
		p.machine(d)
	case *ast.Scenario:
		p.scenario(d)
	default:
		panic(unprintable(d))
	}
}
