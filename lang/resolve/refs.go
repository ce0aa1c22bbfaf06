package resolve

import (
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Every name is noted where it is declared or looked up, with what it means: what
// editors know of a text is what the compiler found in it.

// refer notes that name means what is declared at decl.
func (u *unit) refer(name *ast.Name, kind ir.NameKind, decl *token.Pos) {
	u.note(&name.Node, name.Text, kind, decl)
}

// note is refer for a name that is a node of another kind.
func (u *unit) note(at *ast.Node, text string, kind ir.NameKind, decl *token.Pos) {
	if decl == nil || !decl.IsValid() {
		kind, decl = ir.BuiltInName, nil
	}
	u.refs.Add(&at.Pos, decl, len(text), kind)
}

// referTo notes that name means v, which is declared.
func (u *unit) referTo(name *ast.Name, v any) { u.noteAs(&name.Node, name.Text, v) }

// noteAs is referTo for a name that is a node of another kind.
func (u *unit) noteAs(at *ast.Node, text string, v any) {
	if kind, decl := declaration(v); kind != ir.NoName {
		u.note(at, text, kind, decl)
	}
}

// declaration says what v is, and where its name is declared; no name for what has
// no place of its own.
func declaration(v any) (ir.NameKind, *token.Pos) {
	switch v := v.(type) {
	case *ir.Var:
		if v.Param {
			return ir.ParamName, &v.Span.Start
		}
		return ir.FieldName, &v.Span.Start
	case *ir.Enum:
		return ir.EnumName, &v.Span.Start
	case *ir.Record:
		return ir.RecordName, &v.Span.Start
	case *ir.Field:
		return ir.MemberName, &v.Span.Start
	case *ir.Event:
		return ir.EventName, &v.Span.Start
	case *ir.EventField:
		return ir.PayloadName, &v.Span.Start
	case *ir.Category:
		return ir.CategoryName, &v.Span.Start
	case *ir.Activity:
		return ir.ActivityName, &v.Span.Start
	case *ir.Guard:
		return ir.GuardName, &v.Span.Start
	case *ir.Param:
		return ir.ArgumentName, &v.Span.Start
	case *node:
		if v.ir.Kind == ir.Terminal {
			return ir.TerminalName, &v.ir.Span.Start
		}
		return ir.StateName, &v.ir.Span.Start
	}
	return ir.NoName, nil
}

// declares notes that v is declared as name.
func (u *unit) declares(name *ast.Name, v any) {
	if kind, _ := declaration(v); kind != ir.NoName && present(name) {
		u.refer(name, kind, &name.Pos)
	}
}

// referShared notes a name that no single place declares: what stands first counts
// as its declaration.
func (u *unit) referShared(name *ast.Name, kind ir.NameKind, first map[string]*ast.Name) {
	if first[name.Text] == nil {
		first[name.Text] = name
	}
	u.refer(name, kind, &first[name.Text].Pos)
}

// referWord notes a name that the language declares.
func (u *unit) referWord(name *ast.Name) { u.refer(name, ir.BuiltInName, nil) }

// referElement notes what the `for` of a do calls an element or its index.
func (r *resolver) referElement(name *ast.Name, sc scope) {
	for _, declared := range []*ast.Name{sc.names.Item, sc.names.Index} {
		if textOf(declared) == name.Text {
			r.refer(name, ir.ElementName, &declared.Pos)
			return
		}
	}
}
