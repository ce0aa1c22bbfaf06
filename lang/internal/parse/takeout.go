package parse

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

// takeOut takes the element in which the last of seen stands out of the stream,
// and reports whether there is such an element.
func (a *attempt) takeOut(err error, seen []*lexer.Token) bool {
	found := seen[len(seen)-1]
	open := innermost(seen)
	if open < 0 || !a.divisible() {
		return false
	}
	from, to := a.element(seen, open)
	unfinished := to != nil
	switch {
	case unfinished:
	case from < len(seen)-1 && found.Type == tokName && firstOfLine(seen, len(seen)-1):
		to = found
	default:
		to = a.elementEnd(found, depth(seen[from:len(seen)-1]))
	}
	if seen[from] == to {
		return false
	}
	line := seen[from].Pos.Line
	if line > a.last {
		if unfinished {
			a.blameUnfinished(seen, to)
		} else {
			a.blame(err, seen)
		}
	}
	a.last = line
	a.erase(seen[from], to)
	return true
}

// blameUnfinished reports that an element breaks off before the token to.
func (a *attempt) blameUnfinished(seen []*lexer.Token, to *lexer.Token) {
	behind := seen[slices.Index(seen, to)-1]
	what := "a value"
	switch {
	case is(behind, ".."):
		what = "the upper end of a range"
	case behind.Type == tokName || is(behind, "]"):
		what = "a type"
	}
	a.report(unexpected(to, behind, what, ""))
}

// innermost is the index of the brace in which the last of seen stands, -1 if
// there is none.
func innermost(seen []*lexer.Token) int {
	var open []int
	for i, t := range seen[:len(seen)-1] {
		switch {
		case is(t, "{") && (isPublish(seen[:i]) || isObject(seen[:i])):
			open = append(open, -1)
		case is(t, "{"):
			open = append(open, i)
		case is(t, "}") && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	for i := len(open) - 1; i >= 0; i-- {
		if open[i] >= 0 {
			return open[i]
		}
	}
	return -1
}

// isPublish reports whether tokens end in `publish Name`.
func isPublish(tokens []*lexer.Token) bool {
	n := len(tokens)
	return n > 1 && tokens[n-1].Type == tokName && tokens[n-2].Type == tokName && tokens[n-2].Value == "publish"
}

// isObject reports whether a brace behind tokens begins an object of a json.
func isObject(tokens []*lexer.Token) bool {
	if len(tokens) == 0 {
		return false
	}
	t := tokens[len(tokens)-1]
	return holdsValues(t) || is(t, "[") || is(t, ":")
}

// divisible reports whether braces in the item hold elements that a Bad can
// stand for.
func (a *attempt) divisible() bool {
	switch a.word {
	case "enum", "failures", "budget", "machine", "state":
		return false
	}
	return true
}

// element finds the element of the list that opens at seen[open] in which the
// last of seen stands: the index at which it begins, and the token before which
// it ends if that is one of seen. An element that breaks off is it, too: what
// comes behind it was read as its rest, and so on up to the last of seen.
func (a *attempt) element(seen []*lexer.Token, open int) (from int, end *lexer.Token) {
	starts := []int{open + 1}
	nested := 0
	for i := open + 1; i < len(seen)-1; i++ {
		t := seen[i]
		switch {
		case is(t, "{") || is(t, "(") || is(t, "["):
			nested++
		case is(t, "}") || is(t, ")") || is(t, "]"):
			nested--
		case nested > 0:
		case is(t, ","):
			starts = append(starts, i+1)
		case t.Type == tokName && i > open+1 && firstOfLine(seen, i) && starts[len(starts)-1] != i:
			starts = append(starts, i)
		}
	}
	for i, from := range starts[1:] {
		if from < len(seen) && a.unfinished(seen, starts[i], from) {
			return starts[i], seen[from]
		}
	}
	return starts[len(starts)-1], nil
}

// unfinished reports whether the element from seen[i] up to seen[j] breaks off,
// so that what begins at seen[j] was taken for its rest.
func (a *attempt) unfinished(seen []*lexer.Token, i, j int) bool {
	if j >= len(seen)-1 || !firstOfLine(seen, j) {
		return false
	}
	before := seen[j-1]
	switch a.word {
	case "context", "event", "record":
		return is(before, "=") || is(before, "..") || is(before, "]") && (is(seen[j-2], "[") && !is(seen[j-3], "=") || is(seen[j-3], "..")) ||
			(j-i)%2 == 1 && allNames(seen[i:j]) // a name without a type
	}
	return is(seen[j+1], "=") && before.Type == tokPunct && !is(before, ")") && !is(before, "]") && !is(before, "}")
}

func allNames(tokens []*lexer.Token) bool {
	return !slices.ContainsFunc(tokens, func(t *lexer.Token) bool { return t.Type != tokName })
}

// elementEnd is the token before which the element that holds t, the next
// token, ends; as many braces are open in it already.
func (a *attempt) elementEnd(t *lexer.Token, braces int) *lexer.Token {
	parens := 0
	line := t.Pos.Line
	for next := a.lex.Peek(); !next.EOF(); next = a.lex.Peek() {
		switch {
		case is(next, "{"):
			braces++
		case is(next, "}"):
			if braces == 0 {
				return next
			}
			braces--
		case is(next, "(") || is(next, "["):
			parens++
		case is(next, ")") || is(next, "]"):
			parens = max(0, parens-1)
		case braces > 0:
		case is(next, ",") && parens == 0:
			a.lex.Next()
			return a.lex.Peek()
		case next.Type == tokName && next.Pos.Line != line && (parens == 0 || is(second(a.lex), "=")):
			return next
		}
		line = next.Pos.Line
		a.lex.Next()
	}
	return a.lex.Peek()
}

// repairHead repairs the head of a machine or state, so that what it holds is not
// lost: a name that is missing becomes an empty one, and parameters are taken
// out.
func (a *attempt) repairHead(err error, seen []*lexer.Token) bool {
	if a.word != "machine" && a.word != "state" {
		return false
	}
	found := seen[len(seen)-1]
	a.lex.LoadCheckpoint(a.start)
	a.lex.Next()
	switch raw := a.lex.RawPeek(); {
	case len(seen) == 2 && is(found, "{") && raw.Type == tokSpace:
		a.blame(err, seen)
		raw.Type = tokName
		return true
	case len(seen) > 3 && is(seen[2], "("):
		for t := a.lex.Peek(); !is(t, "{"); t = a.lex.Peek() {
			if t.EOF() || is(t, "}") {
				return false
			}
			a.lex.Next()
		}
		a.blame(err, seen)
		a.erase(seen[2], a.lex.Peek())
		return true
	}
	return false
}

// erase makes white space of the tokens from from up to before to.
func (a *attempt) erase(from, to *lexer.Token) {
	a.lex.LoadCheckpoint(a.start)
	for a.lex.Peek() != from {
		a.lex.Next()
	}
	bad := &ast.Bad{Node: ast.Node{Pos: pos(from.Pos)}}
	for t := a.lex.Peek(); t != to && !t.EOF(); t = a.lex.Peek() {
		comma := is(t, ",")
		a.lex.Next()
		if !comma {
			bad.EndPos = pos(a.lex.RawPeek().Pos)
		}
		blank(t)
	}
	if bad.EndPos.Offset > bad.Pos.Offset {
		a.deleted = append(a.deleted, bad)
	}
}
