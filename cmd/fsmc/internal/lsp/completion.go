package lsp

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// token before the cursor: a name, a string, or a sign.
var before = regexp.MustCompile(`"(?:\\.|[^"\\])*"?|[A-Za-z_][A-Za-z0-9_]*|[0-9][0-9a-z_.]*|->|&&|\|\||[=!<>]=|[^\s\w]`)

// completion is what may stand at the cursor, by the tokens before it: on its line, behind
// the last comment. The name at the cursor itself is not looked at; the editor filters.
func completion(_ context.Context, v *view, p proto.TextDocumentPositionParams) (any, error) {
	offset := v.offset(p.Position)
	at := v.doc.file.Pos(offset)
	line := v.doc.file.Line(at.Line)
	line = line[:min(at.Column-1, len(line))]
	tokens := before.FindAllString(line, -1)
	for i := range tokens {
		if tokens[i] == "/" && i+1 < len(tokens) && tokens[i+1] == "/" {
			return []proto.CompletionItem{}, nil
		}
	}
	if n := len(tokens); n > 0 && identifier.MatchString(tokens[n-1]) && strings.HasSuffix(line, tokens[n-1]) {
		tokens = tokens[:n-1]
	}
	c := &completer{view: v, offset: offset, m: v.machineAt(offset), seen: map[string]bool{}, items: []proto.CompletionItem{}}
	c.complete(tokens)
	return c.items, nil
}

// completer gathers what may stand at a place.
type completer struct {
	*view
	offset int
	m      *ir.Machine // around it; nil for none
	items  []proto.CompletionItem
	seen   map[string]bool
}

func (c *completer) add(kind proto.CompletionItemKind, name, detail, doc string) {
	if name != "" && !c.seen[name] {
		c.seen[name] = true
		c.items = append(c.items, proto.CompletionItem{Label: name, Kind: kind, Detail: detail, Documentation: doc})
	}
}

func (c *completer) words(words ...string) {
	for _, w := range words {
		c.add(proto.CompletionKeyword, w, "", "")
	}
}

// complete decides by the last tokens.
func (c *completer) complete(tokens []string) {
	last := func(i int) string {
		if i > len(tokens) {
			return ""
		}
		return tokens[len(tokens)-i]
	}
	opens := ""
	if len(tokens) > 0 {
		opens = tokens[0]
	}
	if c.m == nil {
		if played := c.scenarioAt(c.offset); played != nil {
			c.m = played.Machine
			c.scenario(tokens)
			return
		}
		if len(tokens) == 0 {
			c.words("import", "machine", "enum", "record", "scenario")
			c.snippet("machine", "machine ${1:Name} {\n    initial ${2:Start}\n\n    state ${2:Start} {\n        $0\n    }\n\n    terminal ${3:Done}\n}")
		}
		return
	}
	switch {
	case len(tokens) == 0:
		c.opening()
	case last(1) == ".":
		c.behindPoint(last(2), tokens)
	case (last(1) == "{" || last(1) == ",") && c.inBlock():
		c.opening()
	case opens == "activity" && slices.Contains([]string{"->", "|"}, last(1)):
		c.events()
	case opens == "activity" && (last(1) == "fails" || last(1) == "," && slices.Contains(tokens, "fails")):
		c.categories(false)
	case last(1) == "->":
		c.states()
	case inCall(tokens, "failed"):
		c.categories(true)
	case inCall(tokens, "over_budget"):
		c.costs()
		c.words("time")
	case opens == "on" && (last(1) == "on" || last(1) == ","):
		c.triggers()
	case slices.Contains([]string{"ignore", "defer"}, opens) || last(1) == "publish":
		c.events()
	case last(1) == "initial":
		c.states()
	case last(1) == "do":
		c.activities()
	case last(1) == "machine" && last(2) == "do":
		c.machines()
	case last(1) == "per":
		c.words("run", "visit")
		c.states()
	case opens == "assert" && last(1) == "done" && last(2) == "assert":
		c.activities()
	case opens == "assert" && last(1) == "assert":
		c.words("done")
		c.states()
	case opens == "assert" && slices.Contains([]string{"precedes", "to", "excludes", "|"}, last(1)):
		c.states()
	case opens == "assert":
		c.words("precedes", "leads to", "excludes", "at most")
	case last(1) == "returns" || last(1) == "in":
		c.values(false)
	case opens == "terminal":
		c.words("success", "failure", "cancelled", "returns")
	case c.wantsValue(tokens):
		c.values(true)
	case c.wantsType(tokens):
		c.types()
	default:
		c.following(opens, tokens)
	}
}

// inBlock reports whether the cursor stands in a block of effects.
func (c *completer) inBlock() bool {
	_, block := c.around().(*ast.Block)
	return block
}

// inCall reports whether the cursor stands in the parentheses of a trigger.
func inCall(tokens []string, name string) bool {
	open := len(tokens) - 1
	for open >= 0 && tokens[open] != "(" && tokens[open] != ")" {
		open--
	}
	return open > 0 && tokens[open] == "(" && tokens[open-1] == name
}

// wantsValue reports whether an expression begins or goes on at the cursor.
func (c *completer) wantsValue(tokens []string) bool {
	return slices.Contains([]string{"when", "require", "=", "==", "!=", "<", ">", "<=", ">=", "+", "-", "*", "&&", "||", "!", "(", "by", "after"}, tokens[len(tokens)-1]) && tokens[0] != "activity" && tokens[0] != "guard" ||
		tokens[len(tokens)-1] == "," && slices.Contains(tokens, "do")
}

// wantsType reports whether the cursor stands behind the name of a field or a parameter.
func (c *completer) wantsType(tokens []string) bool {
	n := len(tokens)
	if tokens[n-1] == "]" {
		return true
	}
	if !identifier.MatchString(tokens[n-1]) {
		return false
	}
	head := tokens[0] == "activity" || tokens[0] == "guard" || tokens[0] == "machine"
	if n >= 2 && head && (tokens[n-2] == "(" || tokens[n-2] == ",") {
		return true
	}
	if n >= 3 && (tokens[0] == "event" || tokens[0] == "record") && (tokens[n-2] == "{" || tokens[n-2] == ",") {
		return true
	}
	return n == 1 && c.inFields()
}

// inFields reports whether the cursor stands in a context, a record, or an event.
func (c *completer) inFields() bool {
	text := string(c.doc.file.Src[:c.offset])
	open := strings.LastIndexByte(text, '{')
	if open < 0 || strings.LastIndexByte(text, '}') > open {
		return false
	}
	words := before.FindAllString(text[strings.LastIndexByte(text[:open], '\n')+1:open], -1)
	return len(words) > 0 && slices.Contains([]string{"context", "record", "event"}, words[0])
}

// following are the words that may come behind what the line has.
func (c *completer) following(opens string, tokens []string) {
	switch opens {
	case "on", "after", "else":
		c.words("when", "->", "retry", "reject", "ignore", "else", "max", "unbounded", "per", "backoff", "factor", "jitter", "idle")
	case "do":
		c.words("as", "per", "timeout", "heartbeat", "progress", "for")
	case "activity":
		c.words("->", "fails", "cost", "limit")
	case "require":
		c.words("else")
	}
	if tokens[len(tokens)-1] == "is" {
		c.words("set", "not set")
	}
}
