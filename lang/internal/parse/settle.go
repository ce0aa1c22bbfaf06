package parse

import (
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// settle goes once over the tree: it attaches the comments, fills in what
// participle cannot, and checks what the grammar leaves open.
func settle(tree *ast.File, p *parser, list []comment) {
	for _, c := range list {
		tree.Comments = append(tree.Comments, c.Comment)
	}
	s := &settler{parser: p, attacher: attacher{comments: list}}
	s.node(tree)
}

type settler struct {
	*parser
	attacher
}

func (s *settler) node(n ast.Any) {
	s.fill(n)
	ast.Children(n, func(child ast.Any) {
		s.enter(n, child)
		s.node(child)
	})
	s.leave(n)
}

// fill completes n and checks it.
func (s *settler) fill(n ast.Any) {
	switch n := n.(type) {
	case *ast.Literal:
		fillLiteral(n)
	case *ast.Trigger:
		s.trigger(n)
	case *ast.Scope:
		if n.Target != nil {
			n.Kind = "state"
		}
	case *ast.After:
		s.after(n)
	case *ast.Do:
		s.do(n)
	case *ast.Budget:
		s.budget(n)
	case *ast.Type:
		s.typ(n)
	default:
		s.declaration(n)
	}
}

// declaration refuses the names that no declaration may use.
func (s *settler) declaration(n ast.Any) {
	switch n := n.(type) {
	case *ast.Machine:
		s.declared("machine", n.Name)
	case *ast.Param:
		s.declared("field", n.Name)
	case *ast.Field:
		s.declared("field", n.Name)
		s.fieldDefault(n)
	case *ast.Enum:
		s.declared("enum", n.Name)
		s.declared("value", n.Values...)
	case *ast.Record:
		s.declared("record", n.Name)
		if len(n.Fields) == 0 && len(n.Bad) == 0 {
			s.wrong(n, "a record without fields", "Give it one field or more: a name and a type.")
		}
	case *ast.Event:
		s.declared("event", n.Name)
	case *ast.Failures:
		s.declared("category", n.Names...)
	case *ast.Activity:
		s.declared("activity", n.Name)
	case *ast.Cost:
		s.declared("cost", n.Name)
	case *ast.Guard:
		s.declared("guard", n.Name)
	case *ast.State:
		s.declared("state", n.Name)
	case *ast.Terminal:
		s.declared("state", n.Name)
	}
}

func (s *settler) declared(kind string, names ...*ast.Name) {
	for _, n := range names {
		if n != nil && reserved[n.Text] {
			s.report(fault{
				rule: "duplicate-name", span: n.Span(),
				message: fmt.Sprintf("%s called %q, a word that the language keeps for itself", diag.Article(kind), n.Text),
				help:    "Choose another name.",
			})
		}
	}
}

// fillLiteral tells the kind of n by its text.
func fillLiteral(n *ast.Literal) {
	if n.Text != "" && n.Text[0] == '-' {
		n.Neg, n.Text = true, n.Text[1:]
	}
	switch c := n.Text[0]; {
	case c == '"':
		n.Kind = ast.String
	case !isDigit(c):
		n.Kind = ast.Bool
	default:
		switch kind, _ := classify(n.Text); kind {
		case tokInt:
			n.Kind = ast.Int
		case tokNumber:
			n.Kind = ast.Number
		default:
			n.Kind = ast.Duration
		}
	}
}

func (s *settler) trigger(n *ast.Trigger) {
	if n.Name != nil {
		n.Kind = "event"
		return
	}
	if n.Kind == "over_budget" { // where it is an event it may have a label
		return
	}
	if n.Kind != "failed" && (n.Label != nil || n.Categories != nil) {
		help := "Write the word alone."
		if n.Kind == "done" && n.Label != nil { // "done" is of all activities of a state
			help = fmt.Sprintf("\"done\" comes when all activities of the state have ended. If the end of %s alone matters, declare an event that it raises, such as Loaded, and write `on %[1]s.Loaded`.", n.Label.Text)
		}
		s.wrong(n, fmt.Sprintf("%q takes neither a label nor categories", n.Kind), help)
	}
}

func (s *settler) after(n *ast.After) {
	message, help := `"after" takes a duration or the name of a field`, "Compute the time into a field first."
	switch d := n.Delay.(type) {
	case *ast.Ident, *ast.Selector, *ast.BadExpr:
		return
	case *ast.Member:
		if placeNames(d) != nil && !ofEvent(d) {
			return
		}
	case *ast.Literal:
		if fillLiteral(d); d.Kind == ast.Duration {
			return
		}
		message = fmt.Sprintf("expected a duration or the name of a field, found %q", d.Text)
		help = "Write a duration such as 30s, or the name of a field."
		if d.Kind == ast.Int {
			help = "Write a unit behind the number, as in " + d.Text + "s."
		}
	}
	s.wrong(n.Delay, message, help)
	n.Delay = &ast.BadExpr{Node: *n.Delay.Base()}
}

func (s *settler) do(n *ast.Do) {
	s.declared("label", n.Label)
	if n.Fan != nil {
		s.declared("name of an element", n.Fan.Index, n.Fan.Item)
	}
	for i, l := range n.Limits {
		for _, other := range n.Limits[:i] {
			if other.Name == l.Name {
				s.wrong(l, fmt.Sprintf("a second %q", l.Name), "Each limit can be given once; take one out.")
				break
			}
		}
	}
}

func (s *settler) budget(n *ast.Budget) {
	for _, l := range n.Lines {
		fillLiteral(l.Amount)
		want, ok := "a number", l.Amount.Kind == ast.Int || l.Amount.Kind == ast.Number
		switch l.Name.Text {
		case "steps":
			want, ok = "a whole number", l.Amount.Kind == ast.Int
		case "time":
			want, ok = "a duration", l.Amount.Kind == ast.Duration
		}
		if !ok {
			s.wrong(l.Amount, fmt.Sprintf("expected %s after %q, found %q", want, l.Name.Text, l.Amount.Text), "")
		}
	}
}

func (s *settler) typ(n *ast.Type) {
	if e := n.Elem; e != nil && e.Range != nil && hasNoRange(e) {
		s.wrong(e.Range, fmt.Sprintf("a range on the type %q", e.Name), `The length of a list stands between its brackets, as in "[0..20]`+e.Name+`".`)
		e.Range = nil
	}
	if n.Range != nil && hasNoRange(n) {
		s.wrong(n.Range, fmt.Sprintf("a range on the type %q", n.Name), `Only "int" and "duration" have ranges.`)
		n.Range = nil
	}
}

// hasNoRange reports whether n is a built-in type without ranges. Whether another name is
// one of a type is not known here.
func hasNoRange(n *ast.Type) bool {
	return slices.Contains([]string{"bool", "float", "string", "time", "json"}, n.Name)
}

// fieldDefault makes a literal of the default of n.
func (s *settler) fieldDefault(n *ast.Field) {
	if n.Default == nil {
		return
	}
	switch n.Default.(type) {
	case *ast.List, *ast.Object:
		if x := unlikeLiteral(n.Default); x != nil {
			s.wrong(x, "a default that is not a literal", "Write numbers, durations, strings, true, false, null, lists and objects in it.")
			n.Default = &ast.BadExpr{Node: *n.Default.Base()}
		}
		return
	}
	literal, wrong := constant(n.Default)
	if wrong == nil {
		n.Default = literal
		return
	}
	help := "Write a number, a duration, a string, true, false, [], a value of an enum, or a record of these."
	if d, ok := n.Default.(*ast.Ident); ok && n.Type != nil && n.Type.Name != "" && !builtinTypes[n.Type.Name] {
		help = fmt.Sprintf("Write a value of an enum with the name of the enum, as in %s.%s.", n.Type.Name, d.Name)
	}
	s.wrong(wrong, "a default that is not a literal", help)
	n.Default = &ast.BadExpr{Node: *n.Default.Base()}
}

// unlikeLiteral is the first part of x, a json, that is none of its literals; nil
// where there is none.
func unlikeLiteral(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.Literal, *ast.EmptyList:
		return nil
	case *ast.Ident:
		if x.Name == "null" {
			return nil
		}
	case *ast.Unary:
		if number, ok := x.X.(*ast.Literal); ok && x.Op == "-" {
			if fillLiteral(number); number.Kind != ast.String && number.Kind != ast.Bool {
				return nil
			}
		}
	case *ast.List:
		for _, item := range x.Items {
			if other := unlikeLiteral(item); other != nil {
				return other
			}
		}
		return nil
	case *ast.Object:
		for _, pair := range x.Pairs {
			if other := unlikeLiteral(pair.Value); other != nil {
				return other
			}
		}
		return nil
	}
	return x
}

// constant is x with a literal in place of a minus before a number, or the part of x that
// is no literal.
func constant(x ast.Expr) (literal, wrong ast.Expr) {
	switch x := x.(type) {
	case *ast.Selector, *ast.BadExpr:
		return x, nil
	case *ast.Unary:
		if number, ok := x.X.(*ast.Literal); ok && unlikeLiteral(x) == nil {
			return &ast.Literal{Node: x.Node, Text: "-" + number.Text}, nil
		}
	case *ast.RecordLit:
		for _, f := range x.Fields {
			literal, wrong := constant(f.Value)
			if wrong != nil {
				return nil, wrong
			}
			f.Value = literal
		}
		return x, nil
	}
	if other := unlikeLiteral(x); other != nil { // also of a json in a record
		return nil, other
	}
	return x, nil
}
