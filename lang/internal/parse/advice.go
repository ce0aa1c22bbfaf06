package parse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// advice is what to do about the last of seen, which stands in an item that word opens, where what was
// expected.
func advice(word, what string, seen []*lexer.Token) string {
	found, behind := seen[len(seen)-1], seen[len(seen)-2]
	help := ""
	switch word {
	case "on", "after":
		help = inArm(what, seen)
	case "do":
		help = inDo(what, found, behind)
	case "state":
		switch {
		case found.Value == "max":
			help = `Write the bound behind each arrow that leads there: "-> ` + behind.Value + ` max 3 else -> …".`
		case what == `"{"`:
			help = `A state is its name and a block, which may be empty: "state ` + behind.Value + ` { }".`
		}
	case "terminal":
		if (behind.Value == "return" || behind.Value == "returns") && found.Type == tokName && depth(seen) > 0 {
			open := slices.IndexFunc(seen, func(t *lexer.Token) bool { return is(t, "{") })
			help = fmt.Sprintf("Write `%s returns %s` in front of the block.", words(seen[:open]), found.Value)
		} else if what == `"="` && slices.Contains(outcomes, behind.Value) {
			help = `Write the outcome behind the name: "terminal T ` + behind.Value + `".`
		}
	case "activity":
		switch {
		case what == anEvent && (is(found, "(") || is(found, "{")):
			help = resultOf
		case behind.Value == "cost" && isNumber(found):
			help = `Write the amount behind the name of the cost: "cost usd ` + found.Value + `".`
		}
	}
	switch {
	case help != "":
		return help
	case what == "a type":
		return noType(word, found, behind)
	case word == "budget" && what == `"{"`:
		return `Write the limits in braces, as in "budget { usd 2.00, time 1h }".`
	case word == "failures" && what == `"{"`:
		return `Write the categories in braces, as in "failures { transient, auth }".`
	case is(found, "=") && (word == "machine" || word == "activity" || word == "event"):
		return `Only a field of the context has a default. What may be left out has a "?" behind its type.`
	}
	return hint(what, found, behind)
}

// words are tokens as they may be written on one line.
func words(tokens []*lexer.Token) string {
	var out []string
	for _, t := range tokens {
		out = append(out, t.Value)
	}
	return strings.Join(out, " ")
}

func isNumber(t *lexer.Token) bool { return t.Type == tokInt || t.Type == tokNumber }

// inArm is advice about what stands in an "on" or an "after".
func inArm(what string, seen []*lexer.Token) string {
	found, behind := seen[len(seen)-1], seen[len(seen)-2]
	inBlock := depth(seen[:len(seen)-1]) > 0
	if what == `"="` && behind.Type == tokName && inBlock {
		switch {
		case is(found, "}") || is(found, ","):
			return fmt.Sprintf(`Give it a value: "%s = event.%[1]s".`, behind.Value)
		case found.Type == tokName:
			return `Leave "` + behind.Value + `" out: an effect is "` + found.Value + ` = …".`
		}
	}
	if inBlock || slices.ContainsFunc(seen, func(t *lexer.Token) bool { return t.Value == "when" }) {
		return ""
	}
	switch {
	case is(found, "*"):
		return `Name the events, as in "on A, B"; "on failed" takes every failure.`
	case behind.Type != tokName:
		return ""
	case found.Value == "else":
		return `Begin with a condition, and join the arms by "else": "on ` + behind.Value + ` when … -> … else -> …".`
	case found.Value == "max":
		return `Write the bound behind the state: "-> … max 3 else -> …".`
	case is(found, "[") || is(found, "&&") || found.Value == "and":
		return `Write the condition behind "when": "on ` + behind.Value + ` when … -> …".`
	case is(found, "("):
		return `An arm takes fields in its block: "on ` + behind.Value + ` -> … { a = event.a }".`
	}
	return ""
}

// noType is advice about what stands where the type of a field or a parameter was expected.
func noType(word string, found, behind *lexer.Token) string {
	switch {
	case is(found, ":"):
		return `Leave ":" out: the type stands right behind the name.`
	case behind.Type == tokName && builtinTypes[behind.Value] && word == "context":
		return `A field is a name and one type, as in "size int"; without a default it starts unset.`
	case behind.Type == tokName && builtinTypes[behind.Value]:
		return `A field is a name and one type, as in "size int"; "?" behind the type says that it may be absent.`
	case found.Type == tokInt && behind.Type == tokName:
		return `Write the type before its range, as in "` + behind.Value + ` int ` + found.Value + `..100".`
	case is(found, ",") || is(found, ")") || is(found, "}"):
		return `Each has a type of its own, as in "` + behind.Value + ` string".`
	}
	return ""
}

// behindCalls are the words that may stand behind a call.
var behindCalls = []string{"for", "limit", "as", "per", "timeout", "heartbeat", "progress", "on", "after", "do", "ignore", "defer", "exit", "entry", "require"}

// inDo is advice about what stands between the name of an activity or a machine and
// its arguments, or among these.
func inDo(what string, found, behind *lexer.Token) string {
	switch {
	case is(found, "=") || is(found, ":"):
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
	case found.Value == "in":
		return `Compare with each: "a == 1 || a == 2".`
	case is(found, "?"):
		return `No value depends on a condition: write an arm for each case.`
	case is(found, "(") && behind.Type == tokName:
		return `Declare it as a host guard, and write "when ` + behind.Value + `(…)".`
	case found.Value == "is":
		return `Ask "is set" or "is not set".`
	case behind.Type == tokName && behind.Value == "not":
		return `Write "!" for "not".`
	}
	return ""
}

// hint is advice for mistakes that many make.
func hint(what string, found, behind *lexer.Token) string {
	if strings.HasPrefix(what, `"->"`) {
		if help := inGuard(found, behind); help != "" {
			return help
		}
	}
	switch {
	case what == `"="` && (is(found, "+") || is(found, "-") || is(found, "*")):
		return fmt.Sprintf(`Write it out: "%s = %[1]s %s …".`, behind.Value, found.Value)
	case behind.Value == "timeout" && strings.HasPrefix(what, `"->"`) && found.Type == tokDuration:
		return "Write \"after " + found.Value + "\" for a wait, and \"on failed(timeout)\" for an activity that takes too long."
	case behind.Type == tokInt && unitWords[found.Value] != "":
		return `Write the unit behind the number, without a blank: "` + behind.Value + unitWords[found.Value] + `".`
	case found.Type == tokInt && (what == aDuration || what == aDuration+` or "by"`):
		return "Write a unit behind the number, as in " + found.Value + "s."
	case found.Type == tokName && what == aDuration+` or "by"`:
		return `Write "backoff by ` + found.Value + `…": "by" takes the wait from data.`
	case is(behind, "[") && is(found, "..") || is(found, "]") && (what == `".."` || is(behind, "..")):
		return `Write both ends of the length, as in "[0..20]".`
	case what == `".."`:
		return `A range is written with two points, as in "0..20".`
	case (is(found, "<") || is(found, "[")) && strings.HasPrefix(what, `"," or `):
		return `A list is written "[]string", or "[0..8]string" with the range of its length.`
	case is(found, ":"):
		return `Leave ":" out.`
	case is(found, "?"):
		return `A "?" stands once, at the end of the type of an event's field or of a parameter. A field of the context without a default starts unset.`
	case is(found, "-") || is(found, ">"):
		return `An arrow is written "->".`
	case is(behind, "(") && is(found, ")"):
		return "Leave out parentheses with nothing in them."
	case found.Type == tokName && reserved[found.Value] && !strings.HasPrefix(what, `"`):
		return "This word cannot be a name: the language reserves it."
	}
	return ""
}
