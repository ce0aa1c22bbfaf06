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
	"emit": "publish", "raise": "publish", "final": "terminal", "errors": "failures", "run": "do",
	"retries": "retry", "call": "do", "invoke": "do", "perform": "do", "spawn": "do",
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

// replace puts meant in place of t.
func replace(t *lexer.Token, meant string) {
	t.Value = meant
	if meant == "->" {
		t.Type = tokPunct
	}
}

const (
	conditionFirst = "Write the condition before the arrow."
	resultOf       = `An activity raises events: write "-> Found", and "event Found { … }" with what it brings.`
)

// What stands in an order, as advice where it stands in another.
const (
	partsOfActivity = `Write the parts of an activity in this order: "->", "fails", "cost", "limit".`
	partsOfDo       = `Write the parts of a "do" in this order: "for" with its "limit", "as", "per", then the time limits.`
	partsOfRetry    = `Write the parts of a retry in this order: "retry 3 backoff 1s..1m factor 2 jitter 0.5 else -> S".`
	boundFirst      = `Write the bound behind the state, before the block: "-> S max 3 { … } else -> T".`
)

// surplus is advice about what often trails an item: by the word that opens the
// item and what stands behind it.
var surplus = map[string]map[string]string{
	"activity": {
		"retry":   `Write "on failed retry …" in each state that runs it.`,
		"timeout": `Write the time limit behind the call: "do f() timeout 5m".`,
		",":       `Write "|" between the events.`, "->": partsOfActivity, "fails": partsOfActivity, "cost": partsOfActivity,
		"returns": resultOf, "return": resultOf, "result": resultOf, "yields": resultOf, ":": resultOf,
		"{": `Leave the braces out: "activity ask(q string) -> Found fails refused cost usd 0.10".`,
	},
	"do": {
		"for": partsOfDo, "as": partsOfDo, "per": partsOfDo, "retry": `Write "on failed retry …" in the state.`,
		"limit": `How many elements run at the same time stands behind "for": "for x in xs limit 4".`,
	},
	"assert": {"||": `Write "|" between the states.`},
	"record": {"(": `Write its fields in braces, as in "record Order { id string }".`},
	"event":  {"(": `Write its fields in braces, as in "event Loaded { size int }".`},
	"guard":  {"->": "A guard always answers a bool; leave this out."},
	"terminal": {
		"fail": `Write "failure".`, "fails": `Write "failure".`, "failed": `Write "failure".`, "error": `Write "failure".`, "ok": `Write "success", or leave it out.`,
		"success": outcomeFirst, "failure": outcomeFirst, "cancelled": outcomeFirst,
		"(": `Write "returns a, b" for what a run returns.`, ":": `Leave ":" out.`,
		"returns": `Write "returns" before the block.`, "+": returnsNames, "-": returnsNames, "*": returnsNames, ".": returnsNames,
	},
	"on": {
		"when": conditionFirst, ",": `Give it an "on" of its own, or join the arms by "else".`,
		"retry": `An arm does one of the two. Write "retry … else -> …" to retry first, and to move when the retries are used up.`,
		"times": `Leave "times" out.`, "backoff": partsOfRetry, "factor": partsOfRetry, "jitter": partsOfRetry,
		"unbounded": boundFirst, "max": boundFirst,
	},
	"after": {"when": conditionFirst, "unbounded": boundFirst, "max": boundFirst, ",": `Give it an "after" of its own, or join the arms by "else".`},
}

var outcomes = []string{"success", "failure", "cancelled"}

const (
	outcomeFirst = `Write the outcome before "returns".`
	returnsNames = `A terminal returns fields and parameters. Give a field the value first, in an arm or in the block of the terminal.`
)

// trailing reports what trails the item, the last of seen, where it is known
// what was meant; else the next item does.
func (a *attempt) trailing(seen []*lexer.Token) {
	found, behind := seen[len(seen)-1], seen[len(seen)-2]
	help := surplus[a.word][found.Value]
	switch {
	case help == conditionFirst && slices.ContainsFunc(seen[:len(seen)-1], func(t *lexer.Token) bool { return t.Value == "when" }):
		help = `Write "else when …" for the next arm of the same "` + a.word + `".`
	case a.word == "initial" && behind.Value == "state" && found.Type == tokName:
		help = `Write "initial ` + found.Value + `", and the state apart: "state ` + found.Value + ` { … }".`
	case a.word == "terminal" && behind.Value == "state" && found.Type == tokName:
		help = `Write the name first: "terminal ` + found.Value + `".`
	case a.word == "terminal" && slices.Contains(outcomes, behind.Value) && found.Type == tokName:
		help = `Write the name first: "terminal ` + found.Value + " " + behind.Value + `".`
	case is(found, ",") && (isNumber(behind) || behind.Type == tokDuration):
		help = `Leave "," out.`
	}
	if help != "" {
		a.report(misplaced(found, help))
	}
}

// openers is advice about what stands where an item should begin, by what
// follows it; %s is what stands there.
var openers = map[string]string{
	"->": `Write "on %s -> …": an arrow belongs to an "on" or an "after".`,
	"(":  `Write "do %s(…)" to run an activity.`,
}

// What opens an item in other languages: a wait, and what a machine is given.
var (
	waits  = []string{"timeout", "wait", "in", "every", "sleep", "delay"}
	inputs = []string{"param", "params", "parameter", "parameters", "input", "inputs", "arg", "args"}
)

// opening is advice about t, which opens no item; behind is what follows it.
func opening(t, behind *lexer.Token) string {
	switch {
	case behind.Type == tokDuration && slices.Contains(waits, t.Value):
		return `Write "after ` + behind.Value + ` -> …".`
	case (is(behind, "{") || behind.Type == tokName) && slices.Contains(inputs, t.Value):
		return `Parameters stand behind the name of the machine: "machine M(size int)".`
	case t.Value == "publish":
		return `Publish in a block, as in "entry { publish Told { … } }".`
	case t.Value == "when" || t.Value == "else":
		return `A condition stands behind an input. In a state without activities, "on done when … -> … else -> …" chooses at once.`
	case is(t, "->"):
		return `An arrow belongs to an "on" or an "after", and stands before its block: "on E -> S { … }"; behind "retry 3" or "max 3" it is "else -> …".`
	case t.Type == tokName && openers[behind.Value] != "" && behind.Type == tokPunct:
		return fmt.Sprintf(openers[behind.Value], t.Value)
	}
	return ""
}
