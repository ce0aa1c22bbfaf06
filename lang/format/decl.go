package format

import (
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/token"
)

func (p *printer) machine(m *ast.Machine) {
	p.named("machine", m.Name)
	if len(m.Params) > 0 {
		p.params(m.Params)
	}
	p.text(" ")
	p.items(m.EndPos, m.Items)
}

// items writes the body of a machine or state, one item a line.
func (p *printer) items(end token.Pos, items []ast.Item) { body(p, end, items, p.item) }

// body writes elements in braces, each on a line of its own.
func body[T ast.Any](p *printer, end token.Pos, elems []T, print func(T)) {
	if len(elems) == 0 && !p.commentBefore(end) {
		p.text("{}")
		p.srcLine = end.Line
		return
	}
	lines(p, end, elems, print, nil, blockBraces)
}

func (p *printer) item(it ast.Item) {
	switch it := it.(type) {
	case *ast.Context:
		p.text("context ")
		braced(p, it.Pos, it.EndPos, it.Fields, (*printer).field, nil)
	case *ast.Enum:
		p.enum(it)
	case *ast.Record:
		p.record(it)
	case *ast.Event:
		p.event(it)
	case *ast.Failures:
		p.text("failures ")
		p.names(it.Pos, it.EndPos, it.Names)
	case *ast.Activity:
		p.activity(it)
	case *ast.Guard:
		p.named("guard", it.Name)
		p.params(it.Params)
	case *ast.Budget:
		p.text("budget ")
		braced(p, it.Pos, it.EndPos, it.Lines, (*printer).budgetLine, nil)
	case *ast.Assert:
		p.assert(it)
	default:
		p.member(it)
	}
}

func (p *printer) enum(e *ast.Enum) {
	p.named("enum", e.Name)
	p.text(" ")
	p.names(e.Name.Pos, e.EndPos, e.Values)
}

func (p *printer) record(r *ast.Record) {
	p.named("record", r.Name)
	p.text(" ")
	braced(p, r.Name.Pos, r.EndPos, r.Fields, (*printer).param, nil)
}

// params writes a list in parentheses.
func (p *printer) params(params []*ast.Param) {
	p.text("(")
	filled(p, params, ",", func(p *printer, f *ast.Param) {
		p.name(f.Name)
		p.text(" ")
		p.typ(f.Type)
		p.optional(f)
	})
	p.text(")")
}

// names writes a list in braces whose commas are part of the grammar.
func (p *printer) names(open, end token.Pos, names []*ast.Name) {
	braced(p, open, end, names, (*printer).name, func(int) string { return "," })
}

func (p *printer) field(f *ast.Field) {
	p.group("field")
	p.name(f.Name)
	p.cell(1)
	p.typ(f.Type)
	if f.Default != nil {
		p.text(" = ")
		p.expr(f.Default)
	}
}

func (p *printer) param(f *ast.Param) {
	p.group("field")
	p.name(f.Name)
	p.cell(1)
	p.typ(f.Type)
	p.optional(f)
}

func (p *printer) optional(f *ast.Param) {
	if f.Optional {
		p.text("?")
	}
}

func (p *printer) event(e *ast.Event) {
	p.group("event")
	p.named("event", e.Name)
	if len(e.Fields) > 0 || p.commentBefore(e.EndPos) {
		p.cell(1)
		braced(p, e.Name.Pos, e.EndPos, e.Fields, (*printer).param, nil)
	}
}

// activity writes an activity: in columns, or where it is too long for a line
// each part on one of its own.
func (p *printer) activity(a *ast.Activity) {
	head := func(p *printer) {
		p.named("activity", a.Name)
		p.params(a.Params)
	}
	parts := activityParts(a)
	whole := width(flatText(head))
	for _, part := range parts {
		if part.print != nil {
			whole += part.gap + width(flatText(part.print))
		}
	}
	broken := p.last().width()+whole > maxWidth
	if !broken {
		p.group("activity")
	}
	head(p)
	for _, part := range parts {
		switch {
		case !broken:
			p.cell(part.gap)
		case part.print != nil:
			p.breakLine(part.pos)
		}
		if part.print != nil {
			part.print(p)
		}
	}
}

// activityPart is what an activity raises, fails with or costs, or its limits; print is nil
// where it does not say.
type activityPart struct {
	gap   int // least number of blanks before it
	pos   token.Pos
	print func(*printer)
}

func activityParts(a *ast.Activity) []activityPart {
	first := min(1, len(a.Throttles)) // there is one of each kind, where nothing is wrong
	return []activityPart{
		partOf(1, a.Results, "-> ", " |", (*printer).name),
		partOf(2, a.Fails, "fails ", ",", (*printer).name),
		partOf(2, a.Costs, "cost ", ",", (*printer).cost),
		partOf(2, a.Throttles[:first], "", "", (*printer).throttle),
		partOf(1, a.Throttles[first:], "", "", (*printer).throttle),
	}
}

// partOf is the part of an activity that word begins and that has nodes in it.
func partOf[T ast.Any](gap int, nodes []T, word, separator string, print func(*printer, T)) activityPart {
	if len(nodes) == 0 {
		return activityPart{gap: gap}
	}
	return activityPart{gap, nodes[0].Span().Start, func(p *printer) {
		p.text(word)
		filled(p, nodes, separator, print)
	}}
}

func (p *printer) cost(c *ast.Cost) {
	p.name(c.Name)
	p.text(" ")
	p.literal(c.Amount)
}

func (p *printer) throttle(t *ast.Throttle) {
	p.text("limit ")
	p.literal(t.Count)
	if t.AtOnce {
		p.text(" at once")
		return
	}
	p.text(" per ")
	p.literal(t.Window)
}

func (p *printer) budgetLine(l *ast.BudgetLine) {
	p.group("budget")
	p.name(l.Name)
	p.cell(1)
	p.literal(l.Amount)
}

func (p *printer) assert(a *ast.Assert) {
	p.text("assert ")
	if a.Done != nil {
		p.named("done", a.Done)
	} else {
		p.path(a.Subject)
	}
	p.text(" " + a.Verb + " ")
	if a.N != nil {
		p.literal(a.N)
	}
	filled(p, a.Objects, " |", (*printer).path)
}

func (p *printer) typ(t *ast.Type) {
	if t.Elem != nil {
		p.token(t, "[")
		if t.Len != nil {
			p.span(t.Len)
		}
		p.text("]")
		p.typ(t.Elem)
		return
	}
	p.word(t.Pos, t.Name)
	if t.Range != nil {
		p.text(" ")
		p.span(t.Range)
	}
	p.srcLine = t.EndPos.Line
}

// span writes a range.
func (p *printer) span(r *ast.Range) {
	p.literal(r.Lo)
	p.text("..")
	p.literal(r.Hi)
}
