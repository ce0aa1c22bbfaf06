package parse

import (
	"errors"
	"regexp"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Words for what the grammar expects.
const (
	aDuration = "a duration such as 30s"
	aNumber   = "a number"
	anInt     = "a whole number"
	aState    = "the name of a state"
	anEvent   = "the name of an event"
	anInput   = `an event, "done", "failed", "cancel" or "over_budget"`
	aReturned = "the name of a field or parameter"
)

// expectedAfter is what is expected after a word or operator in an item that
// begins with the given word; "*" speaks for all other items. It comes before
// what participle says, which knows no more than "a name".
var expectedAfter = map[string]map[string]string{
	"*": {
		"max": anInt, "retry": anInt + ` or "unbounded"`, "steps": anInt, "most": anInt,
		"timeout": aDuration, "heartbeat": aDuration, "progress": aDuration,
		"backoff": aDuration + ` or "by"`, "factor": aNumber, "jitter": aNumber,
		"->": aState, "|": aState, "..": "the upper end of a range",
		"per": `"run", "visit" or ` + aState, "as": "a label", "by": "a value", "when": "a condition",
		"else":    "what to do otherwise: \"->\", \"retry\", \"reject\", \"ignore\" or \"{\"",
		"publish": anEvent, "leads": `"to"`, "at": `"most"`, "to": aState,
		"precedes": aState, "excludes": aState,
	},
	"import":   {"import": "a path between double quotes"},
	"machine":  {"machine": "a name for the machine", "(": "a parameter: a name and a type", ",": "a parameter: a name and a type"},
	"activity": {"activity": "a name for the activity", "->": anEvent, "|": anEvent, "fails": "a category of failure", "cost": "the name of a cost", "limit": anInt, "per": "a duration such as 1m", "at": `"once"`, "(": `a parameter or ")"`},
	"guard":    {"guard": "a name for the guard", "(": `a parameter or ")"`},
	"event":    {"event": "a name for the event"},
	"record":   {"record": "a name for the record"},
	"enum":     {"enum": "a name for the enum", "{": "the name of a value", ",": "the name of a value"},
	"failures": {"{": "a category of failure", ",": "a category of failure"},
	"initial":  {"initial": aState},
	"state":    {"state": "a name for the state"},
	"terminal": {"terminal": "a name for the terminal state", "returns": aReturned, ",": aReturned},
	"on":       {"timeout": `"->", "retry", "reject", "ignore" or "{"`, "on": anInput, ",": anInput, "(": "a category of failure or a cost", ".": `an event or "failed"`},
	"after":    {"after": aDuration + " or the name of a field"},
	"do": {
		"do": "the name of an activity", "for": "a name for the element", ",": "a name for the element",
		"in": "the name of a list", "limit": anInt, "machine": "the name of a machine",
	},
	"ignore":  {"ignore": anEvent, ",": anEvent},
	"defer":   {"defer": anEvent, ",": anEvent},
	"assert":  {"assert": aState},
	"require": {"require": "a condition"},
}

// elements is what stands between the braces of an item, by the word that opens
// it.
var elements = map[string]string{
	"context": "a field", "event": "a field", "record": "a field", "budget": "a limit",
	"on": "an effect", "after": "an effect", "entry": "an effect", "exit": "an effect", "terminal": "an effect",
}

// expectedSymbol is what a production or token of the grammar is called.
var expectedSymbol = map[string]string{
	"<name>": "a name", "Name": "a name", "Path": "a name", "Param": "a name and a type", "Field": "a name and a type",
	"Type": "a type", "Literal": "a value", "Expr": "a value", "Trigger": "an event",
	"Arm": `"->", "retry", "reject", "ignore" or "{"`, "Step": `"->", "retry", "reject", "ignore" or "{"`,
	"Cost": "a cost and its amount", "Block": `"{"`, "Scope": `"run", "visit" or ` + aState,
	`"precedes"`: `"precedes", "leads to", "excludes" or "at most"`,
	`"at"`:       `"at once" or "per"`,
	`"}"`:        `"," or "}"`, `")"`: `"," or ")"`,
}

// firstSymbol is the first symbol of an EBNF expression.
var firstSymbol = regexp.MustCompile(`^\(*("[^"]+"|<\w+>|\w+)`)

// expectation says in words what err, behind the token behind, would have had
// in place of what it found. word opens the item.
func expectation(err error, word string, behind *lexer.Token) string {
	if behind.Type == tokName || behind.Type == tokPunct {
		for _, table := range []string{word, "*"} {
			if what, ok := expectedAfter[table][behind.Value]; ok {
				return what
			}
		}
	}
	symbol := symbolOf(err)
	if what, ok := expectedSymbol[symbol]; ok {
		return what
	}
	if strings.HasPrefix(symbol, `"`) {
		return symbol
	}
	// What is looked for ahead has no symbol in the error. Where no word stands
	// before it to tell, it is one of two.
	if word == "activity" || word == "budget" {
		return "its amount"
	}
	return `"="`
}

// symbolOf is the symbol of the grammar that err says was expected, empty if
// it does not say.
func symbolOf(err error) string {
	var unexpected *participle.UnexpectedTokenError
	if !errors.As(err, &unexpected) {
		return ""
	}
	const mark = " (expected "
	message := unexpected.Message()
	i := strings.LastIndex(message, mark)
	if i < 0 {
		return ""
	}
	if m := firstSymbol.FindStringSubmatch(message[i+len(mark):]); m != nil {
		return m[1]
	}
	return ""
}

// placeOf is where err found what it did not expect.
func placeOf(err error) lexer.Position {
	var perr participle.Error
	if errors.As(err, &perr) {
		return perr.Position()
	}
	return lexer.Position{}
}
