package parse

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

func (d *direct) on() ast.Item {
	start := d.next()
	n := &ast.On{Triggers: []*ast.Trigger{d.trigger()}}
	for d.punct(",") {
		n.Triggers = append(n.Triggers, d.trigger())
	}
	n.Arms = d.arms()
	n.Node = d.node(start)
	return n
}

func (d *direct) trigger() *ast.Trigger {
	start := d.lex.Peek()
	name := d.name()
	n := &ast.Trigger{}
	if d.punct(".") {
		n.Label = name
		name = d.name()
	}
	if d.failed {
		return nil
	}
	switch name.Text {
	case "done", "failed", "cancel", "over_budget":
		n.Kind = name.Text
		if d.punct("(") {
			n.Categories = append(n.Categories, d.name())
			for d.punct(",") {
				n.Categories = append(n.Categories, d.name())
			}
			d.want(")")
		}
	default:
		n.Name = name
	}
	n.Node = d.node(start)
	return n
}

func (d *direct) after() ast.Item {
	start := d.next()
	n := &ast.After{Delay: d.expr(), Idle: d.word("idle")}
	if d.word("jitter") {
		n.Jitter = d.literal(tokInt, tokNumber)
	}
	n.Arms = d.arms()
	n.Node = d.node(start)
	return n
}

func (d *direct) arms() []*ast.Arm {
	list := []*ast.Arm{d.arm()}
	for d.word("else") {
		list = append(list, d.arm())
	}
	return list
}

func (d *direct) arm() *ast.Arm {
	start := d.lex.Peek()
	n := &ast.Arm{}
	if d.word("when") {
		n.When = d.expr()
	}
	n.Step = d.step()
	n.Node = d.node(start)
	return n
}

func (d *direct) step() ast.Step {
	start := d.lex.Peek()
	switch {
	case d.punct("->"):
		return d.goTo(start)
	case is(start, "{"):
		b := d.block()
		return &ast.Stay{Node: d.node(start), Block: b}
	case d.word("retry"):
		return d.retry(start)
	case d.word("reject"):
		return &ast.Reject{Node: d.node(start)}
	case d.word("ignore"):
		return &ast.IgnoreStep{Node: d.node(start)}
	}
	d.failed = true
	return nil
}

func (d *direct) goTo(start *lexer.Token) ast.Step {
	n := &ast.Goto{Target: d.path()}
	t := d.lex.Peek()
	switch {
	case d.word("unbounded"):
		n.Bound = &ast.Bound{Node: d.node(t), Unbounded: true}
	case d.word("max"):
		n.Bound = &ast.Bound{Max: d.literal(tokInt, tokInt), Scope: d.per()}
		n.Bound.Node = d.node(t)
	}
	n.Block = d.block()
	n.Node = d.node(start)
	return n
}

func (d *direct) retry(start *lexer.Token) ast.Step {
	n := &ast.Retry{}
	if d.word("unbounded") {
		n.Unbounded = true
	} else {
		n.Max, n.Scope = d.literal(tokInt, tokInt), d.per()
	}
	n.Backoff = d.backoff()
	n.Block = d.block()
	n.Node = d.node(start)
	return n
}

// backoff takes `backoff` and what it is, or nothing.
func (d *direct) backoff() *ast.Backoff {
	if !d.word("backoff") {
		return nil
	}
	start := d.lex.Peek()
	n := &ast.Backoff{}
	if d.word("by") {
		n.By = d.expr()
	} else {
		n.First = d.literal(tokDuration, tokDuration)
		if d.punct("..") {
			n.Last = d.literal(tokDuration, tokDuration)
		}
		if d.word("factor") {
			n.Factor = d.literal(tokInt, tokNumber)
		}
		if d.word("jitter") {
			n.Jitter = d.literal(tokInt, tokNumber)
		}
	}
	n.Node = d.node(start)
	return n
}

// block takes a block, or nothing.
func (d *direct) block() *ast.Block {
	start := d.lex.Peek()
	if !d.punct("{") {
		return nil
	}
	n := &ast.Block{}
	for !d.failed && !d.punct("}") {
		n.Effects = append(n.Effects, d.effect())
		d.punct(",")
	}
	n.Node = d.node(start)
	return n
}

func (d *direct) effect() ast.Effect {
	start := d.lex.Peek()
	name := d.name()
	if !d.failed && name.Text == "publish" && !is(d.lex.Peek(), "=") {
		return d.publish(start)
	}
	return d.assign(start, name)
}

func (d *direct) publish(start *lexer.Token) ast.Effect {
	n := &ast.Publish{Event: d.name()}
	if d.punct("{") {
		for !d.failed && !d.punct("}") {
			first := d.lex.Peek()
			n.Fields = append(n.Fields, d.assign(first, d.name()))
			d.punct(",")
		}
	}
	n.Node = d.node(start)
	return n
}

func (d *direct) assign(start *lexer.Token, name *ast.Name) *ast.Assign {
	n := &ast.Assign{Name: name}
	for d.punct(".") {
		n.Inner = append(n.Inner, d.name())
	}
	d.want("=")
	if !d.word("unset") {
		n.Value = d.expr()
	}
	n.Node = d.node(start)
	return n
}
