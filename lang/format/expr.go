package format

import "github.com/fsmc-dev/fsmc/lang/ast"

// Binding strengths, loosest first, as in the grammar: Expr, And, Unary,
// Compare, Sum, Term, Factor.
const (
	bindOr = iota + 1
	bindAnd
	bindNot
	bindCompare
	bindSum
	bindTerm
	bindFactor
)

// binding is how strongly e holds its operands together.
func binding(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.Binary:
		switch e.Op {
		case "||":
			return bindOr
		case "&&":
			return bindAnd
		case "+", "-":
			return bindSum
		case "*":
			return bindTerm
		}
		return bindCompare
	case *ast.Unary:
		if e.Op == "!" {
			return bindNot
		}
	case *ast.IsSet:
		return bindCompare
	}
	return bindFactor
}

// condition writes a guard. One that does not fit on the line is broken behind
// its outermost operators.
func (p *printer) condition(e ast.Expr) {
	b, ok := e.(*ast.Binary)
	flat := func(p *printer) { p.expr(e) }
	if p.flat || !ok || binding(b) > bindAnd || p.last().width()+width(flatText(flat)) <= maxWidth {
		p.expr(e)
		return
	}
	for i, x := range operands(b, b.Op) {
		switch {
		case i == 0:
		case beginsLine(x, binding(b)+1):
			p.text(" " + b.Op)
			if !p.last().closed() {
				p.continuation()
			}
		default:
			p.text(" " + b.Op + " ")
		}
		if binding(x) > binding(b) {
			p.condition(x)
		} else {
			p.operand(x, binding(b)+1)
		}
	}
}

// beginsLine reports whether e, an operand that binds at least so strongly, may
// stand at the start of a line: its text begins neither with a parenthesis nor
// with a minus.
func beginsLine(e ast.Expr, least int) bool {
	text := flatText(func(p *printer) { p.operand(e, least) })
	return text[0] != '(' && text[0] != '-'
}

// operands are the parts of a chain of op, from left to right.
func operands(e ast.Expr, op string) []ast.Expr {
	if b, ok := e.(*ast.Binary); ok && b.Op == op {
		return append(operands(b.X, op), b.Y)
	}
	return []ast.Expr{e}
}

// operand writes e, in parentheses if it binds more loosely than least.
func (p *printer) operand(e ast.Expr, least int) {
	if binding(e) < least {
		e = &ast.Paren{X: e}
	}
	p.expr(e)
}

// expr writes e. An opening parenthesis or a minus stays on the line of what
// comes before it, wherever a comment stands: at the start of a line it would
// look like the start of something new.
func (p *printer) expr(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Ident:
		p.token(e, e.Name)
	case *ast.EventField:
		p.word(e.Pos, "event.")
		p.name(e.Name)
	case *ast.Now:
		p.token(e, "now")
	case *ast.Len:
		p.word(e.Pos, "len(")
		p.expr(e.X)
		p.text(")")
	case *ast.Call:
		p.name(e.Func)
		p.text("(")
		separated(p, e.Args, ", ", p.expr)
		p.text(")")
	case *ast.Selector:
		p.name(e.X)
		p.text(".")
		p.name(e.Sel)
	case *ast.Member:
		p.expr(e.X)
		p.text(".")
		p.name(e.Sel)
	case *ast.RecordLit:
		p.name(e.Type)
		p.text(" ")
		braced(p, e.Type.Pos, e.EndPos, e.Fields, (*printer).recordValue, nil)
	case *ast.Literal:
		p.literal(e)
	case *ast.List:
		bracketed(p, e.Pos, e.EndPos, e.Items, (*printer).expr, func(i int) string {
			if i+1 < len(e.Items) {
				return ","
			}
			return ""
		}, listBrackets)
	case *ast.Object:
		bracketed(p, e.Pos, e.EndPos, e.Pairs, (*printer).pair, func(int) string { return "," }, objectBraces)
	case *ast.EmptyList:
		p.token(e, "[]")
	case *ast.Unary:
		p.text(e.Op)
		p.operand(e.X, binding(e))
	case *ast.Binary:
		p.binary(e)
	case *ast.IsSet:
		p.isSet(e)
	case *ast.Paren:
		p.text("(")
		p.expr(e.X)
		p.text(")")
	default:
		panic(unprintable(e))
	}
}

func (p *printer) binary(e *ast.Binary) {
	strength := binding(e)
	left := strength
	if strength == bindCompare {
		left++ // comparisons are not chained
	}
	p.operand(e.X, left)
	p.text(" " + e.Op + " ")
	p.operand(e.Y, strength+1)
}

func (p *printer) pair(n *ast.Pair) {
	p.literal(n.Key)
	p.text(": ")
	p.expr(n.Value)
}

func (p *printer) isSet(e *ast.IsSet) {
	if e.Event {
		p.text("event.")
	}
	p.place(e.Name, e.Inner)
	if e.Not {
		p.text(" is not set")
	} else {
		p.text(" is set")
	}
	p.srcLine = e.EndPos.Line
}

// place writes a field, and what stands behind its points.
func (p *printer) place(name *ast.Name, inner []*ast.Name) {
	separated(p, append([]*ast.Name{name}, inner...), ".", p.name)
}

func (p *printer) recordValue(v *ast.RecordValue) {
	p.name(v.Name)
	p.text(" = ")
	p.expr(v.Value)
}

// given writes text and the literal behind it, or nothing for nil.
func (p *printer) given(text string, l *ast.Literal) {
	if l != nil {
		p.text(text)
		p.literal(l)
	}
}

func (p *printer) literal(l *ast.Literal) {
	if l.Neg {
		p.text("-")
	}
	digits := l.EndPos
	digits.Offset -= len(l.Text) // l.Pos is that of the minus
	p.word(digits, l.Text)
}
