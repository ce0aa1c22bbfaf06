package parse

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

// Handlers and activities make up most of a large machine, and participle
// takes them at 2 to 3 MB/s, an order of magnitude below what follows here: the
// same productions by hand. It only says yes or no. Whatever it does not take
// goes to the grammar of package ast, which says what is wrong and where; so
// there is one source of messages, and one grammar to read. A test parses
// everything both ways and compares the trees.

// directly wraps slow, the parser of a production, so that fast is tried first.
func (p *parser) directly(fast func(*direct) ast.Item, slow itemParser) itemParser {
	return func(lex *lexer.PeekingLexer) (ast.Item, error) {
		if p.grammarOnly && len(p.bareCalls) == 0 {
			return slow(lex)
		}
		start := lex.MakeCheckpoint()
		d := &direct{p, cursor{lex: lex}}
		if it := fast(d); !d.failed {
			return it, nil
		}
		lex.LoadCheckpoint(start)
		return slow(lex)
	}
}

// cursor takes tokens until it has failed.
type cursor struct {
	lex    *lexer.PeekingLexer
	failed bool
}

// next takes a token; after a failure it stays where it is.
func (c *cursor) next() *lexer.Token {
	if c.failed {
		return c.lex.Peek()
	}
	return c.lex.Next()
}

// punct takes the next token if it is s.
func (c *cursor) punct(s string) bool {
	if c.failed || !is(c.lex.Peek(), s) {
		return false
	}
	c.lex.Next()
	return true
}

// word takes the next token if it is that word.
func (c *cursor) word(s string) bool {
	if t := c.lex.Peek(); c.failed || t.Type != tokName || t.Value != s {
		return false
	}
	c.lex.Next()
	return true
}

// node is a node from start up to what was taken last.
func (c *cursor) node(start *lexer.Token) ast.Node { return node(c.lex, start) }

// direct parses one item. Once it has failed what it returns means nothing.
type direct struct {
	*parser
	cursor
}

func (d *direct) want(s string) {
	if !d.punct(s) {
		d.failed = true
	}
}

func (d *direct) name() *ast.Name {
	t := d.lex.Peek()
	if t.Type != tokName {
		d.failed = true
		return nil
	}
	d.next()
	return &ast.Name{Node: d.node(t), Text: t.Value}
}

func (d *direct) path() *ast.Path {
	start := d.lex.Peek()
	names := []*ast.Name{d.name()}
	for d.punct(".") {
		names = append(names, d.name())
	}
	return &ast.Path{Node: d.node(start), Names: names}
}

// literal takes a literal of one of the two types, which may be the same.
func (d *direct) literal(a, b lexer.TokenType) *ast.Literal {
	t := d.lex.Peek()
	if t.Type != a && t.Type != b {
		d.failed = true
		return nil
	}
	d.next()
	return &ast.Literal{Node: d.node(t), Text: t.Value}
}

func (d *direct) expr() ast.Expr {
	if d.failed {
		return nil
	}
	x, err := d.parser.expr(d.lex)
	if err != nil {
		d.failed = true
	}
	return x
}

// wholeMachine is like directly for a machine.
func (p *parser) wholeMachine(slow declParser) declParser {
	return func(lex *lexer.PeekingLexer) (ast.Decl, error) {
		if p.grammarOnly {
			return slow(lex)
		}
		start := lex.MakeCheckpoint()
		d := &direct{p, cursor{lex: lex}}
		if m := d.machine(); !d.failed {
			return m, nil
		}
		p.inside = nil
		lex.LoadCheckpoint(start)
		return slow(lex)
	}
}

func (d *direct) machine() *ast.Machine {
	start := d.next()
	n := &ast.Machine{Name: d.name()}
	if d.punct("(") {
		n.Params = []*ast.Param{d.param()}
		for d.punct(",") {
			n.Params = append(n.Params, d.param())
		}
		d.want(")")
	}
	n.Items = d.items()
	n.Node = d.node(start)
	return n
}

func (d *direct) param() *ast.Param {
	if d.failed {
		return nil
	}
	n, err := d.grammar.param(d.lex)
	if err != nil {
		d.failed = true
	}
	return n
}

func (d *direct) state() ast.Item {
	start := d.next()
	n := &ast.State{Name: d.name()}
	n.Items = d.items()
	n.Node = d.node(start)
	return n
}

// items takes items in braces. What is wrong with them is repaired there, so that
// none of them makes it fail.
func (d *direct) items() []ast.Item {
	d.want("{")
	var list []ast.Item
	for !d.failed && !d.punct("}") {
		it, err := d.parser.item(d.lex)
		if err != nil {
			d.failed = true // the end of the file
		}
		list = append(list, it)
	}
	return list
}

func (d *direct) do() ast.Item {
	start := d.next()
	n := &ast.Do{Activity: d.name()}
	if !d.failed && n.Activity.Text == "machine" && d.lex.Peek().Type == tokName {
		n.Machine, n.Activity = true, d.name()
	}
	bare := d.bareCalls[d.lex.Peek().Pos.Offset]
	if !bare {
		d.want("(")
	}
	for !bare && !d.failed && !d.punct(")") {
		if len(n.Args) > 0 {
			d.want(",")
		}
		n.Args = append(n.Args, d.expr())
	}
	n.Fan = d.fan()
	if d.word("as") {
		n.Label = d.name()
	}
	n.Scope = d.per()
	for l := d.limit(); l != nil; l = d.limit() {
		n.Limits = append(n.Limits, l)
	}
	n.Node = d.node(start)
	return n
}

// fan takes `for` and what stands behind it, or nothing.
func (d *direct) fan() *ast.Fan {
	t := d.lex.Peek()
	if !d.word("for") {
		return nil
	}
	n := &ast.Fan{Item: d.name()}
	if d.punct(",") {
		n.Index, n.Item = n.Item, d.name()
	}
	if !d.word("in") {
		d.failed = true
	}
	n.List = d.path()
	if d.word("limit") {
		n.Limit = d.literal(tokInt, tokInt)
	}
	n.Node = d.node(t)
	return n
}

func (d *direct) limit() *ast.Limit {
	t := d.lex.Peek()
	if !d.word("timeout") && !d.word("heartbeat") && !d.word("progress") {
		return nil
	}
	n := &ast.Limit{Name: t.Value, Value: d.literal(tokDuration, tokDuration)}
	n.Node = d.node(t)
	return n
}

// per takes `per` and a scope, or nothing.
func (d *direct) per() *ast.Scope {
	if !d.word("per") {
		return nil
	}
	t := d.lex.Peek()
	n := &ast.Scope{}
	if d.word("run") || d.word("visit") {
		n.Kind = t.Value
	} else {
		n.Target = d.path()
	}
	n.Node = d.node(t)
	return n
}
