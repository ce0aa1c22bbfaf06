package parse

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/lang/token"
)

// narrower are productions with what is checked besides the grammar written
// into them.
const narrower = `
File = Import* Enum? Record? Machine Enum? Scenario? .
Expect = "expect" ("refused" | "ended" | "halted" | "attempt" <int> "of" Attempt | "published" Name Payload? | "waiting" Attempt | "(" Cond ")") .
Item = Initial | State | Terminal | On | After | Do | Entry | Exit | Require | Ignore | Defer .
Machine = "machine" Name ("(" Param ("," Param)* ")")? "{" (Item | Context | Enum | Record | Event | Failures | Activity | Guard | Budget | Assert)* "}" .
Type = "int" Range? | "duration" Range? | "bool" | "json" | <name> | "[" Range? "]" Type .
Field = Name Type ("=" ("-"? <int> | "-"? <duration> | <string> | "true" | "null" | Json | <name> "." <name> | <name> "{" Name "=" "-"? <int> "}"))? .
Json = "[" (JsonValue ("," JsonValue)*)? "]" | "{" (<string> ":" JsonValue ("," <string> ":" JsonValue)* ","?)? "}" .
JsonValue = "null" | <string> | "-"? <number> | "false" | Json .
Arm = ("when" Cond)? Step .
Require = "require" Cond "else" "->" Path .
Backoff = ("by" Cond) | <duration> (".." <duration>)? ("factor" <number>)? ("jitter" <int>)? .
Cond = CondAnd ("||" CondAnd)* .
CondAnd = CondUnary ("&&" CondUnary)* .
CondUnary = "!" CondUnary | ("event" ".")? Place "is" "not"? "set" | CondSum (("==" | "<") CondSum)? .
CondSum = CondFactor (("+" | "*") CondFactor)* .
CondFactor = <int> | <string> | "[" (Cond ("," Cond)*)? "]" | "now" | <name> ("." <name>)* | "event" ("." <name>)+ | <name> "(" (Cond ("," Cond)*)? ")" | "(" Cond ")" | "-" CondFactor .
RecordLit = <name> .
Assign = Name ("." Name)* "=" ("unset" | Expr | <name> "{" (<name> "=" Expr ","?)* "}") .
Record = "record" Name "{" Param ","? (Param ","?)* "}" .
BudgetLine = "steps" <int> | "time" <duration> | Name <number> .
Assert = "assert" Path ("precedes" Path | "leads" "to" Path ("|" Path)* | "excludes" Path | "at" "most" <int>) .
After = "after" (<duration> | Place) "idle"? ("jitter" (<int> | <number>))? Arm ("else" Arm)* .
Trigger = "done" | "cancel" | (Name ".")? "failed" ("(" Name ("," Name)* ")")? | (Name ".")? Name .
Limit = "timeout" <duration> .
Do = "do" "machine"? Name "(" (Expr ("," Expr)*)? ")" Fan? ("as" Name)? ("per" Scope)? Limit? .
`

// shallow are short forms for where a sentence is deep enough.
var shallow = map[string]string{"Expr": "<int>", "Item": "Initial", "Type": `"bool"`, "Unary": "<name>", "Cond": "<int>", "CondUnary": "<name>", "JsonValue": `"null"`, "Factor": "<name>", "RecordLit": "<name>", "Step": `"reject"`, "Effect": "Assign", "Line": `"cancel"`}

var symbol = regexp.MustCompile(`"[^"]*"|<\w+>|\w+|[()|?*+]`)

// deriver derives sentences from an EBNF.
type deriver struct {
	productions map[string][]string // as symbols
	used        map[string]bool
	rng         *rand.Rand
	out         []string
	depth       int
}

func newDeriver(t *testing.T, text string) *deriver {
	t.Helper()
	d := &deriver{productions: map[string][]string{}, used: map[string]bool{}}
	for line := range strings.Lines(text + narrower) {
		if name, body, ok := strings.Cut(strings.TrimSpace(line), " = "); ok && !strings.HasPrefix(name, "//") {
			d.productions[name] = symbol.FindAllString(strings.TrimSuffix(body, " ."), -1)
		}
	}
	for name, body := range d.productions {
		for _, s := range body {
			if s[0] >= 'A' && s[0] <= 'Z' && d.productions[s] == nil {
				t.Fatalf("%s speaks of %s, which the grammar does not have", name, s)
			}
		}
	}
	return d
}

func (d *deriver) check(t *testing.T, seed uint64) {
	t.Helper()
	d.rng, d.out = rand.New(rand.NewPCG(seed, 0)), nil
	d.production("File")
	src := strings.Join(d.out, " ")
	f := token.NewFile("sentence.fsm", []byte(src))
	if tree, list := File(f); len(list) > 0 {
		t.Errorf("seed %d: %v in\n%s", seed, list, src)
	} else if problem := unsound(tree); problem != "" {
		t.Errorf("seed %d: %s in\n%s", seed, problem, src)
	}
	checkDirect(t, f)
}

// unused are the productions that no sentence used.
func (d *deriver) unused() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(d.productions)) {
		if !d.used[name] {
			names = append(names, name)
		}
	}
	return names
}

const deepest = 14

func (d *deriver) production(name string) {
	d.used[name] = true
	body := d.productions[name]
	if short, ok := shallow[name]; ok && d.depth > deepest {
		body = symbol.FindAllString(short, -1)
	}
	d.depth++
	d.alternatives(body)
	d.depth--
}

// alternatives derives one of the alternatives of body.
func (d *deriver) alternatives(body []string) {
	var list [][]string
	start, nested := 0, 0
	for i, s := range body {
		switch s {
		case "(":
			nested++
		case ")":
			nested--
		case "|":
			if nested == 0 {
				list = append(list, body[start:i])
				start = i + 1
			}
		}
	}
	list = append(list, body[start:])
	d.sequence(list[d.rng.IntN(len(list))])
}

func (d *deriver) sequence(body []string) {
	for len(body) > 0 {
		n := termLength(body)
		term := body[:n]
		body = body[n:]
		times := 1
		if len(body) > 0 && strings.Contains("?*+", body[0]) {
			times = d.times(body[0])
			body = body[1:]
		}
		for range times {
			d.term(term)
		}
	}
}

func (d *deriver) times(suffix string) int {
	switch {
	case suffix == "+":
		return 1 + d.rng.IntN(2)
	case suffix == "?" || d.depth > deepest/2:
		return d.rng.IntN(2)
	}
	return d.rng.IntN(4)
}

// termLength is how many symbols the first term of body has.
func termLength(body []string) int {
	nested := 0
	for i, s := range body {
		switch s {
		case "(":
			nested++
		case ")":
			nested--
		}
		if nested == 0 {
			return i + 1
		}
	}
	return len(body)
}

func (d *deriver) term(term []string) {
	switch s := term[0]; {
	case s == "(":
		d.alternatives(term[1 : len(term)-1])
	case s[0] == '"':
		d.out = append(d.out, strings.Trim(s, `"`))
	case s[0] == '<':
		words := map[string][]string{
			"<name>": {"a", "b", "Idle", "fetch_diff", "x1"}, "<int>": {"0", "12", "1_000"},
			"<number>": {"0.5", "12.25"}, "<duration>": {"30s", "1h30m", "1.5s"}, "<string>": {`"text"`, `"a\n"`},
		}[s]
		d.out = append(d.out, words[d.rng.IntN(len(words))])
	default:
		d.production(s)
	}
}
