package parse

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

// How errors are repaired
//
// participle stops at the first token that does not fit. What is done then
// depends on what is there, in this order:
//
//  1. A misspelt word is reported, corrected in the stream of tokens, and the
//     item is parsed again.
//  2. A word at the start of a line that opens an item was taken for a name:
//     the item before it ends early ("on Foo ->"). It becomes a Bad, and
//     parsing goes on with the word.
//  3. An element of a list in braces is taken out of the stream, and the item
//     is parsed again without it.
//  4. Else the item becomes a Bad, up to where the next one seems to begin.
//
// Each attempt leaves fewer words to correct and fewer elements, so that there
// is an end; an item with more than maxRepairs faults is given up.

const maxRepairs = 50

// attempt is one item that is being parsed and perhaps repaired.
type attempt struct {
	*parser
	lex   *lexer.PeekingLexer
	start lexer.Checkpoint
	word  string // opens the item
	last  int    // line of the last fault that was repaired
}

// repaired calls parse, which parses the item that word opens, until it goes
// well. If that is not to be, the result says what was given up.
func (p *parser) repaired(lex *lexer.PeekingLexer, word string, parse func() error) *ast.Bad {
	a := &attempt{parser: p, lex: lex, start: lex.MakeCheckpoint(), word: word}
	for range maxRepairs {
		lex.LoadCheckpoint(a.start)
		err := parse()
		if err == nil && !a.trails() {
			return nil
		}
		at := *lex.Peek()
		if err != nil {
			at.Pos = placeOf(err)
		}
		seen := a.tokensTo(at.Pos.Offset)
		found := seen[len(seen)-1]
		if !a.wantsNumber(seen) && a.correct(found) || a.correctHabit(seen) {
			continue
		}
		if err != nil && a.bareCall(seen) {
			a.blame(err, seen)
			continue
		}
		if cut := a.swallowed(seen); cut > 0 {
			if err == nil || !p.behindBad[seen[cut].Pos.Offset] {
				a.blame(err, seen[:cut+1])
			}
			return a.cutAt(seen[cut])
		}
		if err == nil {
			a.trailing(seen)
			return nil
		}
		if p.behindBad[found.Pos.Offset] {
			p.blamed[found.Pos.Offset] = true
		}
		if !a.takeOut(err, seen) && !a.repairHead(err, seen) {
			a.blame(err, seen)
			return p.skip(lex, a.start, found.Pos.Offset)
		}
	}
	return p.skip(lex, a.start, 0)
}

// bareCall reports whether the last of seen stands where the parentheses of a call without
// arguments were left out. The next try does without them.
func (a *attempt) bareCall(seen []*lexer.Token) bool {
	n := len(seen) - 2 // of what is called
	if n > 1 && seen[1].Value == "machine" {
		n--
	}
	found := seen[len(seen)-1]
	if a.word != "do" || n != 1 || found.Type != tokName || !slices.Contains(behindCalls, found.Value) {
		return false
	}
	a.bareCalls[found.Pos.Offset] = true
	return true
}

// trails reports whether what follows the item can neither end what is around
// it nor open the next one.
func (a *attempt) trails() bool {
	t := a.lex.Peek()
	return !t.EOF() && !is(t, "}") && !opensItem(t)
}

// tokensTo are the tokens of the item up to the one at offset.
func (a *attempt) tokensTo(offset int) []*lexer.Token {
	a.lex.LoadCheckpoint(a.start)
	var seen []*lexer.Token
	for {
		t := a.lex.Peek()
		seen = append(seen, t)
		if t.EOF() || t.Pos.Offset >= offset {
			return seen
		}
		a.lex.Next()
	}
}

// wantsNumber reports whether a number has to stand where the last of seen does, and no word.
func (a *attempt) wantsNumber(seen []*lexer.Token) bool {
	return len(seen) > 1 && expectedAfter[a.word][seen[len(seen)-2].Value] == anInt
}

// correct corrects t if it is a misspelt word of the item.
func (a *attempt) correct(t *lexer.Token) bool {
	word, ok := nearest(t, items[a.word].inside)
	if _, other := habits[t.Value]; !ok || other || a.blamed[t.Pos.Offset] {
		return false
	}
	if _, item := items[t.Value]; item {
		return false
	}
	a.report(misspelt(t, word))
	t.Value = word
	return true
}

// correctHabit corrects the last of seen, or the one before it that was taken
// for a name, if it is a word of another language.
func (a *attempt) correctHabit(seen []*lexer.Token) bool {
	for i := len(seen) - 1; i > 0 && i >= len(seen)-2; i-- {
		if meant, ok := habit(seen[i], a.word); ok && !a.blamed[seen[i].Pos.Offset] {
			a.report(replaced(seen[i], meant))
			replace(seen[i], meant)
			return true
		}
	}
	return false
}

// swallowed is the index of the token before the last of seen, if that was
// taken for a name but opens an item on a line of its own; 0 if not.
func (a *attempt) swallowed(seen []*lexer.Token) int {
	i := len(seen) - 2
	if i < 1 || !opensItem(seen[i]) || !firstOfLine(seen, i) || !fits(seen[i].Value, seen[i+1]) || depth(seen[:i]) > 0 {
		return 0
	}
	return i
}

func firstOfLine(seen []*lexer.Token, i int) bool { return seen[i].Pos.Line != seen[i-1].Pos.Line }

// depth is how many braces are open behind tokens.
func depth(tokens []*lexer.Token) int {
	n := 0
	for _, t := range tokens {
		switch {
		case is(t, "{"):
			n++
		case is(t, "}"):
			n--
		}
	}
	return n
}

// blame reports that the last of seen is not what was expected.
func (a *attempt) blame(err error, seen []*lexer.Token) {
	found, behind := seen[len(seen)-1], seen[len(seen)-2]
	if n := len(seen) - 3; n >= 0 && symbolOf(err) == strconv.Quote(behind.Value) {
		// What was expected had been taken for a value: `require x == else -> T`.
		what := expectedAfter[a.word][seen[n].Value]
		a.report(unexpected(behind, seen[n], cmp.Or(what, "a value"), ""))
		a.blamed[found.Pos.Offset] = true
		return
	}
	what := expectation(err, a.word, behind)
	if list := elements[a.word]; list != "" && depth(seen) > 0 && (is(behind, "{") || is(behind, ",")) {
		what = list + ` or "}"`
	}
	a.report(unexpected(found, behind, what, advice(a.word, what, seen)))
}

// cutAt ends the item before t.
func (a *attempt) cutAt(t *lexer.Token) *ast.Bad {
	a.lex.LoadCheckpoint(a.start)
	bad := &ast.Bad{Node: ast.Node{Pos: pos(a.lex.Peek().Pos)}}
	for a.lex.Peek() != t {
		a.lex.Next()
		bad.EndPos = pos(a.lex.RawPeek().Pos)
	}
	return bad
}
