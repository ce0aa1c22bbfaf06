package parse

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var grammarFile = filepath.Join("..", "..", "..", "docs", "grammar.ebnf")

const grammarHead = `// The grammar of the fsm language.
//
// Made from the grammar that the parser uses, by
//
//	go test ./lang/internal/parse -run TestGrammarFile -update
//
// "x" is a word or an operator, <x> a kind of token, ? * + mean at most one, any
// number, at least one. A word that stands in quotes here is still a name where
// only a name fits.

`

const grammarTail = `
// Tokens. White space, line ends and comments stand between any two.
//
//	<name>      [A-Za-z_][A-Za-z0-9_]*
//	<int>       digits, with single underscores between them
//	<number>    <int> "." <int>
//	<duration>  one or more of <int> or <number> with a unit behind it:
//	            ns us ms s m h d w
//	<string>    as in Go, in double quotes, on one line
//	comments    from // to the end of the line
//
// Checked besides:
//
//   - Context, Enum, Record, Event, Failures, Activity, Guard, Budget and Assert
//     stand in a machine, not in a state. An Enum or a Record may also stand in a file.
//   - A range stands behind "int" and "duration" alone.
//   - A default is a literal, with a minus before a number or duration perhaps,
//     or a value of an enum, a json that is made of literals and null, or a record of
//     these.
//   - A record has one field or more.
//   - No object and no RecordLit stands in the Expr behind "when", "require", "after", "by" and
//     "expect": a brace there begins what comes next.
//   - "steps" takes an <int>, "time" a <duration>, a cost an <int> or <number>.
//   - "at most" takes an <int>, the other verbs one target, "leads to" several.
//   - "after" takes a <duration> or a Place.
//   - "done" and "cancel" take neither a label nor categories.
//   - A word that opens a Line is the name of an activity before "->", "[" and "fails".
//   - Each limit of a "do" is given once.
//   - No declared name is one of: event done failed cancel now true false set unset.
`

// TestGrammarFile keeps docs/grammar.ebnf true.
func TestGrammarFile(t *testing.T) {
	golden(t, grammarFile, grammarHead+ebnf()+grammarTail)
}

var (
	literalAhead = regexp.MustCompile(`\(\?= ((?:[^()]|\([^()]*\))*)\) Literal`)
	otherAhead   = regexp.MustCompile(`\(\?= [^()]*\) `)
)

// ebnf is the grammar as participle prints it, joined with the productions that
// are parsed by hand. What is looked for ahead is written as what is there.
func ebnf() string {
	p := parsers.Get().(*parser)
	defer parsers.Put(p)
	lines := strings.Split(p.grammar.whole.String(), "\n")
	out := []string{"File = Import* (Enum | Record | Machine | Scenario)* ."}
	for _, line := range lines {
		name, _, _ := strings.Cut(line, " ")
		switch name {
		case "Productions", "Literal":
			continue
		case "Context":
			out = append(out, itemProduction(p))
		case "Goto":
			out = append(out, `Step = Goto | Retry | "reject" | "ignore" | Stay .`)
		case "Publish":
			out = append(out, "Effect = Publish | Assign .")
		}
		line = literalAhead.ReplaceAllStringFunc(line, func(s string) string {
			ahead := literalAhead.FindStringSubmatch(s)[1]
			if strings.Contains(ahead, " | ") && !strings.Contains(ahead, "(") {
				return "(" + ahead + ")"
			}
			return ahead
		})
		out = append(out, otherAhead.ReplaceAllString(line, ""))
	}
	return strings.Join(append(out, exprGrammar, scenarioGrammar), "\n") + "\n"
}

func itemProduction(p *parser) string {
	var names []string
	for _, word := range slices.Sorted(maps.Keys(p.grammar.items)) {
		names = append(names, strings.ToUpper(word[:1])+word[1:])
	}
	return "Item = " + strings.Join(names, " | ") + " ."
}

// TestEveryItemIsKnown holds the tables of items to each other.
func TestEveryItemIsKnown(t *testing.T) {
	p := parsers.Get().(*parser)
	defer parsers.Put(p)
	if got, want := slices.Sorted(maps.Keys(p.grammar.items)), itemWords; !slices.Equal(got, want) {
		t.Errorf("the grammar has the items %v, the table of words %v", got, want)
	}
}

// TestSentences derives random sentences from docs/grammar.ebnf: each must
// parse without a finding, directly and by the grammar alone to one tree.
func TestSentences(t *testing.T) {
	text, err := os.ReadFile(grammarFile)
	if err != nil {
		t.Fatal(err)
	}
	d := newDeriver(t, string(text))
	for seed := range 1000 {
		d.check(t, uint64(seed))
	}
	if missing := d.unused(); len(missing) > 0 {
		t.Errorf("no sentence has %v", missing)
	}
}
