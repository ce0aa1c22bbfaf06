package format

import "github.com/fsmc-dev/fsmc/lang/ast"

func (p *printer) member(it ast.Item) {
	switch it := it.(type) {
	case *ast.Initial:
		p.named("initial", it.Target)
	case *ast.State:
		p.state(it)
	case *ast.Terminal:
		p.terminal(it)
	case *ast.On:
		p.handler(it.Node, it.Arms, func(p *printer) { p.onHead(it) })
	case *ast.After:
		p.handler(it.Node, it.Arms, func(p *printer) { p.afterHead(it) })
	case *ast.Do:
		p.do(it)
	case *ast.Entry:
		p.text("entry ")
		p.block(it.Block)
	case *ast.Exit:
		p.text("exit ")
		p.block(it.Block)
	case *ast.Require:
		p.text("require ")
		p.condition(it.Cond)
		p.text(" else -> ")
		p.path(it.Target)
	case *ast.Ignore:
		p.text("ignore ")
		filled(p, it.Events, ",", (*printer).name)
	case *ast.Defer:
		p.text("defer ")
		filled(p, it.Events, ",", (*printer).name)
	default:
		panic(unprintable(it))
	}
}

// state writes a state: a body of one item may share the line of its name.
func (p *printer) state(s *ast.State) {
	p.named("state", s.Name)
	p.text(" ")
	if len(s.Items) == 1 {
		if _, nested := s.Items[0].(*ast.State); !nested {
			braced(p, s.Name.Pos, s.EndPos, s.Items, (*printer).item, nil)
			return
		}
	}
	p.items(s.EndPos, s.Items)
}

func (p *printer) terminal(t *ast.Terminal) {
	p.named("terminal", t.Name)
	if t.Outcome != "" {
		p.text(" " + t.Outcome)
	}
	if len(t.Returns) > 0 {
		p.text(" returns ")
		filled(p, t.Returns, ",", (*printer).name)
	}
	if t.Block != nil {
		p.text(" ")
		p.block(t.Block)
	}
}

func (p *printer) onHead(o *ast.On) {
	p.text("on ")
	filled(p, o.Triggers, ",", (*printer).trigger)
}

func (p *printer) trigger(t *ast.Trigger) {
	p.at(t.Pos)
	if t.Label != nil {
		p.name(t.Label)
		p.text(".")
	}
	if t.Name != nil {
		p.name(t.Name)
		return
	}
	p.text(t.Kind)
	if len(t.Categories) > 0 {
		p.text("(")
		separated(p, t.Categories, ", ", p.name)
		p.text(")")
	}
	p.srcLine = t.EndPos.Line
}

func (p *printer) afterHead(a *ast.After) {
	p.text("after ")
	p.expr(a.Delay)
	if a.Idle {
		p.text(" idle")
	}
	p.given(" jitter ", a.Jitter)
}

func (p *printer) do(d *ast.Do) {
	p.text("do ")
	if d.Machine {
		p.text("machine ")
	}
	p.name(d.Activity)
	p.text("(")
	filled(p, d.Args, ",", (*printer).expr)
	p.text(")")
	if d.Fan != nil {
		p.fan(d.Fan)
	}
	if d.Label != nil {
		p.part(d.Label.Pos, func(p *printer) {
			p.named("as", d.Label)
		})
	}
	if d.Scope != nil {
		p.part(d.Scope.Pos, func(p *printer) { p.scope(d.Scope) })
	}
	for _, l := range d.Limits {
		p.part(l.Pos, func(p *printer) {
			p.word(l.Pos, l.Name+" ")
			p.literal(l.Value)
		})
	}
}

// fan writes `for i, x in xs limit n`.
func (p *printer) fan(f *ast.Fan) {
	names := []*ast.Name{f.Item}
	if f.Index != nil {
		names = []*ast.Name{f.Index, f.Item}
	}
	p.part(names[0].Pos, func(p *printer) {
		p.text("for ")
		filled(p, names, ",", (*printer).name)
	})
	p.part(f.List.Pos, func(p *printer) {
		p.text("in ")
		p.path(f.List)
	})
	if f.Limit != nil {
		p.part(f.Limit.Pos, func(p *printer) {
			p.text("limit ")
			p.literal(f.Limit)
		})
	}
}

// per writes " per S", or nothing for nil.
func (p *printer) per(s *ast.Scope) {
	if s != nil {
		p.text(" ")
		p.scope(s)
	}
}

func (p *printer) scope(s *ast.Scope) {
	p.text("per ")
	if s.Target != nil {
		p.path(s.Target)
		return
	}
	p.token(s, s.Kind)
}

func (p *printer) block(b *ast.Block) {
	braced(p, b.Pos, b.EndPos, b.Effects, (*printer).effect, func(i int) string {
		return separatorBehind(b.Effects, i)
	})
}

// separatorBehind is what closes the line of effects[i]: nothing, unless the
// next one sets a field called "is", which could be read as going on with the
// value before it.
func separatorBehind(effects []ast.Effect, i int) string {
	if i+1 < len(effects) {
		if next, ok := effects[i+1].(*ast.Assign); ok && next.Name.Text == "is" {
			return ","
		}
	}
	return ""
}

func (p *printer) effect(e ast.Effect) {
	switch e := e.(type) {
	case *ast.Assign:
		p.assign(e)
	case *ast.Publish:
		p.named("publish", e.Event)
		if len(e.Fields) > 0 || p.commentBefore(e.EndPos) {
			p.text(" ")
			braced(p, e.Event.Pos, e.EndPos, e.Fields, (*printer).assign, nil)
		}
	default:
		panic(unprintable(e))
	}
}

func (p *printer) assign(a *ast.Assign) {
	p.place(a.Name, a.Inner)
	p.text(" = ")
	if a.Value == nil {
		p.text("unset")
		p.srcLine = a.EndPos.Line
		return
	}
	p.expr(a.Value)
}

func (p *printer) path(t *ast.Path) { separated(p, t.Names, ".", p.name) }
