package parse

import (
	"maps"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/diag"
)

// reserved are the names that no declaration may use.
var reserved = set("event", "done", "failed", "cancel", "now", "true", "false", "set", "unset")

// builtinTypes are the types that no enum declares.
var builtinTypes = set("bool", "int", "float", "string", "duration", "time", "json")

// stepWords begin a step or another arm: no expression goes on behind them.
var stepWords = set("else", "retry", "reject", "ignore")

// itemWord says what is known about a word that opens an item before the item
// is parsed.
type itemWord struct {
	declaration bool     // it stands in a machine, not in a state
	inside      []string // words that may stand within the item or follow it
}

var (
	armWords = []string{"when", "else", "retry", "reject", "ignore", "max", "unbounded", "per", "backoff", "factor", "jitter", "publish"}

	items = map[string]itemWord{
		"context":  {declaration: true},
		"enum":     {declaration: true},
		"record":   {declaration: true},
		"event":    {declaration: true},
		"failures": {declaration: true},
		"activity": {declaration: true, inside: []string{"fails", "cost", "limit", "at", "once", "per"}},
		"guard":    {declaration: true},
		"budget":   {declaration: true},
		"assert":   {declaration: true, inside: []string{"precedes", "leads", "excludes", "at", "to", "most"}},
		"initial":  {},
		"state":    {},
		"terminal": {inside: []string{"success", "failure", "cancelled", "returns", "publish"}},
		"on":       {inside: armWords},
		"after":    {inside: append([]string{"idle"}, armWords...)},
		"do":       {inside: []string{"for", "in", "limit", "as", "per", "timeout", "heartbeat", "progress"}},
		"entry":    {inside: []string{"publish"}},
		"exit":     {inside: []string{"publish"}},
		"require":  {inside: []string{"else"}},
		"ignore":   {},
		"defer":    {},
	}

	itemWords = slices.Sorted(maps.Keys(items))

	// later are the words that open what a later version of the language has.
	later = map[string]string{
		"region": "regions", "history": "history states",
	}
)

func set(words ...string) map[string]bool {
	s := map[string]bool{}
	for _, w := range words {
		s[w] = true
	}
	return s
}

// opensItem reports whether t is a word that opens an item, or a later one.
func opensItem(t *lexer.Token) bool {
	if t.Type == tokFold {
		return true
	}
	if t.Type != tokName {
		return false
	}
	_, item := items[t.Value]
	_, later := later[t.Value]
	return item || later || t.Value == "machine" || t.Value == "import" || t.Value == "scenario"
}

// fits reports whether next may stand behind a word that opens an item.
func fits(word string, next *lexer.Token) bool {
	switch word {
	case "context", "failures", "entry", "exit":
		return is(next, "{")
	case "budget":
		return is(next, "{") || isNumber(next)
	case "import", "scenario":
		return next.Type == tokString
	case "after":
		return next.Type == tokName || next.Type == tokDuration || next.Type == tokInt
	case "require":
		return !is(next, "=") && !is(next, "{") && !is(next, "}")
	}
	return next.Type == tokName && next.Value != "else"
}

// nearest is the word among words that t was most likely meant to be. One letter is a name.
func nearest(t *lexer.Token, words []string) (string, bool) {
	if t.Type != tokName || len(t.Value) == 1 {
		return "", false
	}
	return diag.Nearest(t.Value, words)
}
