package parse

import (
	"math"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

// productions names the parts of the grammar of which participle makes a
// parser each. It is never parsed as a whole: parser.item chooses among the
// items and repairs what is wrong with them, parser.step among the steps, and
// parser.expr parses expressions. What stands in between is in the struct tags
// of package ast.
type productions struct {
	Import   *ast.Import   `parser:"  @@"`
	Machine  *ast.Machine  `parser:"| @@"`
	Context  *ast.Context  `parser:"| @@"`
	Enum     *ast.Enum     `parser:"| @@"`
	Record   *ast.Record   `parser:"| @@"`
	Event    *ast.Event    `parser:"| @@"`
	Failures *ast.Failures `parser:"| @@"`
	Activity *ast.Activity `parser:"| @@"`
	Guard    *ast.Guard    `parser:"| @@"`
	Budget   *ast.Budget   `parser:"| @@"`
	Assert   *ast.Assert   `parser:"| @@"`
	Initial  *ast.Initial  `parser:"| @@"`
	State    *ast.State    `parser:"| @@"`
	Terminal *ast.Terminal `parser:"| @@"`
	On       *ast.On       `parser:"| @@"`
	After    *ast.After    `parser:"| @@"`
	Do       *ast.Do       `parser:"| @@"`
	Entry    *ast.Entry    `parser:"| @@"`
	Exit     *ast.Exit     `parser:"| @@"`
	Require  *ast.Require  `parser:"| @@"`
	Ignore   *ast.Ignore   `parser:"| @@"`
	Defer    *ast.Defer    `parser:"| @@"`
	Goto     *ast.Goto     `parser:"| @@"`
	Retry    *ast.Retry    `parser:"| @@"`
	Stay     *ast.Stay     `parser:"| @@"`
	Param    *ast.Param    `parser:"| @@"`
	Publish  *ast.Publish  `parser:"| @@"`
	Assign   *ast.Assign   `parser:"| @@"`
}

func init() {
	// participle gives up on lists of more than a million elements, which a
	// large file may have. The size of the file is the limit here.
	participle.MaxIterations = math.MaxInt
}

type (
	declParser   func(*lexer.PeekingLexer) (ast.Decl, error)
	itemParser   func(*lexer.PeekingLexer) (ast.Item, error)
	stepParser   func(*lexer.PeekingLexer) (ast.Step, error)
	effectParser func(*lexer.PeekingLexer) (ast.Effect, error)
)

// grammar is the parsers that participle made, one for each production.
type grammar struct {
	whole   *participle.Parser[productions]
	param   func(*lexer.PeekingLexer) (*ast.Param, error)
	decls   map[string]declParser // by the word that opens the declaration
	items   map[string]itemParser // likewise
	goTo    stepParser
	retry   stepParser
	stay    stepParser
	assign  effectParser
	publish effectParser
}

// newGrammar makes a grammar whose items, steps and expressions p parses.
// It looks no token ahead but where a tag says so: then the place of an error
// is the first token that does not fit, and nothing is parsed twice.
func newGrammar(p *parser) *grammar {
	whole := participle.MustBuild[productions](
		participle.Lexer(definition{}),
		participle.ParseTypeWith[ast.Item](p.item),
		participle.ParseTypeWith[ast.Step](p.step),
		participle.ParseTypeWith[ast.Expr](p.expr),
		participle.ParseTypeWith[ast.Effect](p.effect),
		participle.UseLookahead(0),
	)
	return &grammar{
		whole: whole,
		param: production[ast.Param](whole),
		decls: map[string]declParser{
			"import":  as[ast.Decl, ast.Import](whole),
			"enum":    as[ast.Decl, ast.Enum](whole),
			"record":  as[ast.Decl, ast.Record](whole),
			"machine": p.wholeMachine(as[ast.Decl, ast.Machine](whole)),
		},
		items: map[string]itemParser{
			"context":  as[ast.Item, ast.Context](whole),
			"enum":     as[ast.Item, ast.Enum](whole),
			"record":   as[ast.Item, ast.Record](whole),
			"event":    as[ast.Item, ast.Event](whole),
			"failures": as[ast.Item, ast.Failures](whole),
			"activity": as[ast.Item, ast.Activity](whole),
			"guard":    as[ast.Item, ast.Guard](whole),
			"budget":   as[ast.Item, ast.Budget](whole),
			"assert":   as[ast.Item, ast.Assert](whole),
			"initial":  as[ast.Item, ast.Initial](whole),
			"state":    p.directly((*direct).state, as[ast.Item, ast.State](whole)),
			"terminal": as[ast.Item, ast.Terminal](whole),
			"on":       p.directly((*direct).on, as[ast.Item, ast.On](whole)),
			"after":    p.directly((*direct).after, as[ast.Item, ast.After](whole)),
			"do":       p.directly((*direct).do, as[ast.Item, ast.Do](whole)),
			"entry":    as[ast.Item, ast.Entry](whole),
			"exit":     as[ast.Item, ast.Exit](whole),
			"require":  as[ast.Item, ast.Require](whole),
			"ignore":   as[ast.Item, ast.Ignore](whole),
			"defer":    as[ast.Item, ast.Defer](whole),
		},
		goTo:    as[ast.Step, ast.Goto](whole),
		retry:   as[ast.Step, ast.Retry](whole),
		stay:    as[ast.Step, ast.Stay](whole),
		assign:  as[ast.Effect, ast.Assign](whole),
		publish: as[ast.Effect, ast.Publish](whole),
	}
}

// production is the parser of one production. It stops behind it, whatever
// follows.
func production[T any](whole *participle.Parser[productions]) func(*lexer.PeekingLexer) (*T, error) {
	sub, err := participle.ParserForProduction[T](whole)
	if err != nil {
		panic(err) // a production that productions does not name
	}
	trailing := participle.AllowTrailing(true)
	return func(lex *lexer.PeekingLexer) (*T, error) { return sub.ParseFromLexer(lex, trailing) }
}

// as is production for what participle takes for an I, such as an item.
func as[I, T any](whole *participle.Parser[productions]) func(*lexer.PeekingLexer) (I, error) {
	parse := production[T](whole)
	return func(lex *lexer.PeekingLexer) (I, error) {
		n, err := parse(lex)
		return any(n).(I), err
	}
}
