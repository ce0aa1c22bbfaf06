package format

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

// elseReach is the column, counted from the handler, up to which `else` follows
// a step to the right; further away it would no longer be seen as its part.
const elseReach = 40

// handler writes an `on` or `after`. A chain of arms that the author wrote on
// one line stays there if it fits; else each `else` gets a line, and stands so
// far to the right that the steps are below each other, within reason:
//
//	on RateLimited -> AwaitingRetry max 5
//	          else -> Failed
func (p *printer) handler(n ast.Node, arms []*ast.Arm, head func(*printer)) {
	if len(arms) == 1 {
		if group := guardedGroup(arms[0], head); group != "" {
			p.group(group)
		}
		head(p)
		p.text(" ")
		p.arm(arms[0])
		return
	}
	chain := func(p *printer) {
		head(p)
		for i, a := range arms {
			p.text(elseWord(i) + " ")
			p.arm(a)
		}
	}
	if p.fits(n.Pos, n.EndPos, chain) {
		p.inline(chain)
		return
	}
	p.chain(arms, head)
}

// guardedGroup is the group in which the one arm of a handler is aligned:
// neighbours that share a trigger and part the cases between them by guards.
func guardedGroup(a *ast.Arm, head func(*printer)) string {
	if a.When == nil {
		return ""
	}
	return flatText(head)
}

func elseWord(i int) string {
	if i == 0 {
		return ""
	}
	return " else"
}

// chain writes the arms of a handler each on a line of its own.
func (p *printer) chain(arms []*ast.Arm, head func(*printer)) {
	first := len(p.lines) - 1
	head(p)
	p.text(" ")
	p.arm(arms[0])
	elses := make([]int, len(arms)-1) // the lines of the other arms
	for i, a := range arms[1:] {
		p.trail(arms[i].EndPos, a.Pos.Offset)
		p.indent += indentWidth
		p.lead(a.Pos.Offset)
		p.blank = false
		p.begin()
		elses[i] = len(p.lines) - 1
		p.last().indent -= indentWidth // so that comments behind all arms are one column
		p.text(pad(indentWidth) + "else ")
		p.srcLine = a.Pos.Line
		p.arm(a)
		p.indent -= indentWidth
	}
	p.straighten(first, elses, stepIndents(arms, head))
}

// stepIndents is how far each arm but the first must be indented for its step
// to stand below that of the first; nil if that is not to be.
func stepIndents(arms []*ast.Arm, head func(*printer)) []int {
	column := width(flatText(head)) + guardWidth(arms[0])
	if column > elseReach {
		return nil
	}
	indents := make([]int, len(arms)-1)
	for i, a := range arms[1:] {
		indents[i] = column - width("else") - guardWidth(a)
		if indents[i] < indentWidth {
			return nil
		}
	}
	return indents
}

// straighten indents the lines elses of a handler that begins on line first,
// unless a block among them is on several lines or the room does not suffice.
func (p *printer) straighten(first int, elses, indents []int) {
	if indents == nil || slices.ContainsFunc(p.lines[first:], func(l line) bool { return l.opens }) {
		return
	}
	for i, at := range elses {
		if p.lines[at].width()+indents[i]-indentWidth > maxWidth {
			return
		}
	}
	for i, at := range elses {
		c := &p.lines[at].cells[0]
		c.text = append([]byte(pad(indents[i]-indentWidth)), c.text...)
	}
}

// guardWidth is the width of " when …".
func guardWidth(a *ast.Arm) int {
	if a.When == nil {
		return 0
	}
	return width(flatText(func(p *printer) {
		p.text(" when ")
		p.expr(a.When)
	}))
}

func (p *printer) arm(a *ast.Arm) {
	if a.When != nil {
		p.word(a.Pos, "when ")
		p.condition(a.When)
		p.cell(1)
	}
	p.step(a.Step)
}

func (p *printer) step(s ast.Step) {
	switch s := s.(type) {
	case *ast.Goto:
		p.word(s.Pos, "-> ")
		p.path(s.Target)
		p.bound(s.Bound)
		p.stepBlock(s.Block)
	case *ast.Retry:
		p.retry(s)
	case *ast.Reject:
		p.token(s, "reject")
	case *ast.IgnoreStep:
		p.token(s, "ignore")
	case *ast.Stay:
		p.block(s.Block)
	default:
		panic(unprintable(s))
	}
}

// stepBlock writes " { … }", or nothing for nil.
func (p *printer) stepBlock(b *ast.Block) {
	if b != nil {
		p.text(" ")
		p.block(b)
	}
}

// bound writes " max N per S" or " unbounded", or nothing for nil.
func (p *printer) bound(b *ast.Bound) {
	switch {
	case b == nil:
	case b.Unbounded:
		p.text(" ")
		p.token(b, "unbounded")
	default:
		p.text(" max ")
		p.literal(b.Max)
		p.per(b.Scope)
	}
}

func (p *printer) retry(r *ast.Retry) {
	p.word(r.Pos, "retry ")
	if r.Unbounded {
		p.text("unbounded")
	} else {
		p.literal(r.Max)
		p.per(r.Scope)
	}
	p.backoff(r.Backoff)
	p.stepBlock(r.Block)
}

// backoff writes " backoff …", or nothing for nil.
func (p *printer) backoff(b *ast.Backoff) {
	if b == nil {
		return
	}
	p.text(" backoff ")
	if b.By != nil {
		p.text("by ")
		p.expr(b.By)
		return
	}
	p.literal(b.First)
	p.given("..", b.Last)
	p.given(" factor ", b.Factor)
	p.given(" jitter ", b.Jitter)
}
