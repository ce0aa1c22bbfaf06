package parse

import (
	"fmt"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// habits are what people write who think in another language, and what they
// mean.
var habits = map[string]string{
	"then": "->", "goto": "->", "if": "when", "otherwise": "else",
	"emit": "publish", "raise": "publish", "final": "terminal",
}

// unitsInWords are what durations are written in, as people write them out.
var unitsInWords = map[string]string{
	"ms": "ms", "s": "s", "m": "m", "h": "h", "d": "d", "w": "w",
	"sec": "s", "second": "s", "seconds": "s", "min": "m", "minute": "m", "minutes": "m",
	"hour": "h", "hours": "h", "day": "d", "days": "d", "week": "w", "weeks": "w",
}

// habit is what the word t was meant to be, if that may stand in an item that
// begins with word.
func habit(t *lexer.Token, word string) (string, bool) {
	meant, ok := habits[t.Value]
	if !ok || t.Type != tokName {
		return "", false
	}
	if meant == "->" {
		return meant, word == "on" || word == "after"
	}
	return meant, slices.Contains(items[word].inside, meant)
}

// replaced is the fault that meant should stand in place of found.
func replaced(found *lexer.Token, meant string) fault {
	return fault{
		span: span(found), message: "unexpected " + describe(found),
		help: `Write "` + meant + `" instead.`,
	}
}

// replace puts meant in place of t.
func replace(t *lexer.Token, meant string) {
	t.Value = meant
	if meant == "->" {
		t.Type = tokPunct
	}
}

// What stands in an order, as advice where it stands in another.
const (
	partsOfActivity = `Write the parts of an activity in this order: "->", "fails", "cost", "limit".`
	partsOfDo       = `Write the parts of a "do" in this order: "for" with its "limit", "as", "per", then the time limits.`
)

// surplus is advice about what often trails an item: by the word that opens the
// item and what stands behind it.
var surplus = map[string]map[string]string{
	"activity": {
		",": `Write "|" between the events.`, "->": partsOfActivity, "fails": partsOfActivity, "cost": partsOfActivity,
	},
	"do": {
		"as": partsOfDo, "per": partsOfDo, "retry": `Write "on failed retry …" in the state.`,
		"limit": `How many elements run at the same time stands behind "for": "for x in xs limit 4".`,
	},
	"assert": {"||": `Write "|" between the states.`},
	"record": {"(": `Write its fields in braces, as in "record Order { id string }".`},
	"event":  {"(": `Write its fields in braces, as in "event Loaded { size int }".`},
	"guard":  {"->": "A guard always answers a bool; leave this out."},
	"terminal": {
		"fail": `Write "failure".`, "fails": `Write "failure".`, "ok": `Write "success", or leave it out.`,
		"success": outcomeFirst, "failure": outcomeFirst, "cancelled": outcomeFirst,
		"returns": `Write "returns" before the block.`, "+": returnsNames, "-": returnsNames, "*": returnsNames, ".": returnsNames,
	},
	"on": {
		"when": "Write the condition before the arrow.", ",": `Give it an "on" of its own, or join the arms by "else".`,
		"retry": `An arm does one of the two. Write "retry … else -> …" to retry first, and to move when the retries are used up.`,
		"times": `Leave "times" out.`,
	},
	"after": {"when": "Write the condition before the arrow.", ",": `Give it an "after" of its own, or join the arms by "else".`},
}

const (
	outcomeFirst = `Write the outcome before "returns".`
	returnsNames = `A terminal returns fields and parameters. Give a field the value first, in an arm or in the block of the terminal.`
)

// trailing reports what trails the item where it is known what was meant; else
// the next item does.
func (a *attempt) trailing(found *lexer.Token) {
	if help := surplus[a.word][found.Value]; help != "" {
		a.report(fault{span: span(found), message: "unexpected " + describe(found), help: help})
	}
}

// openers is advice about what stands where an item should begin, by what
// follows it; %s is what stands there.
var openers = map[string]string{
	"->": `Write "on %s -> …": an arrow belongs to an "on" or an "after".`,
	"(":  `Write "do %s(…)" to run an activity.`,
}

// opening is advice about t, which opens no item; behind is what follows it.
func opening(t, behind *lexer.Token) string {
	switch {
	case t.Value == "when" || t.Value == "else":
		return `A condition stands behind an input. In a state without activities, "on done when … -> … else -> …" chooses at once.`
	case is(t, "->"):
		return `An arrow belongs to an "on" or an "after"; behind "retry 3" or "max 3" it is "else -> …".`
	case t.Type == tokName && openers[behind.Value] != "" && behind.Type == tokPunct:
		return fmt.Sprintf(openers[behind.Value], t.Value)
	}
	return ""
}

// misplaced is advice where the parts of an item stand in another order or form than
// the language has. what was expected in the item that word opens.
func misplaced(word, what string, found, behind *lexer.Token) string {
	number := found.Type == tokInt || found.Type == tokNumber
	switch {
	case word == "budget" && what == `"{"` && (number || found.Type == tokName || found.Type == tokDuration):
		return `Write the limits in braces, as in "budget { usd 2.00, time 1h }".`
	case word == "activity" && behind.Value == "cost" && number:
		return `Write the amount behind the name of the cost: "cost usd ` + found.Value + `".`
	case is(found, "=") && (word == "machine" || word == "activity" || word == "event"):
		return `Only a field of the context has a default. What may be left out has a "?" behind its type.`
	case word == "on" && found.Value == "else" && behind.Type == tokName:
		return `Begin with a condition, and join the arms by "else": "on ` + behind.Value + ` when … -> … else -> …".`
	case word == "on" && found.Value == "max" && behind.Type == tokName:
		return `Write the bound behind the state: "-> … max 3 else -> …".`
	case what != "a type" || behind.Type != tokName || !builtinTypes[behind.Value]:
		return ""
	case word == "context":
		return `A field is a name and one type, as in "size int"; without a default it starts unset.`
	default:
		return `A field is a name and one type, as in "size int"; "?" behind the type says that it may be absent.`
	}
}

// behindCalls are the words that may stand behind a call.
var behindCalls = []string{"for", "limit", "as", "per", "timeout", "heartbeat", "progress", "on", "after", "do", "ignore", "defer", "exit", "entry", "require"}

// inDo is advice about what stands between the name of an activity or a machine and
// its arguments, or among these.
func inDo(what string, found, behind *lexer.Token) string {
	switch {
	case is(found, "="):
		return "Arguments have no names: write them in the order of the parameters."
	case what != `"("` || behind.Type != tokName || behind.Pos.Line != found.Pos.Line:
		return ""
	case is(found, "{"):
		return "Write the arguments in parentheses, in the order of the parameters."
	case is(found, "."):
		return "Write the name alone: an import makes it known as it is."
	case found.Type == tokName && slices.Contains(behindCalls, found.Value):
		return `Write "` + behind.Value + `()": the parentheses stand there also where there are no arguments.`
	case found.Type == tokName && behind.Value != "do":
		return `Write "do machine ` + found.Value + `(…)" to run a machine, or "do ` + behind.Value + `(…)" to run an activity.`
	}
	return ""
}

// inGuard is advice about what stands where a condition was thought to have
// ended.
func inGuard(found, behind *lexer.Token) string {
	switch {
	case is(found, "="):
		return `Write "==" to compare.`
	case is(found, "|") || found.Value == "or":
		return `Write "||" for "or".`
	case found.Value == "and":
		return `Write "&&" for "and".`
	case found.Value == "is":
		return `Ask "is set" or "is not set".`
	case behind.Type == tokName && behind.Value == "not":
		return `Write "!" for "not".`
	}
	return ""
}
