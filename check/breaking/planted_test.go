package breaking_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/breaking"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// corpus are the machines of the examples, by their files.
func corpus(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, s := range langtest.Sources(t, "../../examples/*/*.fsm") {
		out[s.Name] = string(s.Src)
	}
	return out
}

// plants are changes that somebody notices: what is looked for in a text, and what takes its
// place.
var plants = []struct {
	what string
	find *regexp.Regexp
	put  func(m []string) string
}{
	{"a bound is lower", regexp.MustCompile(`(max|retry) ([2-9])\b`), func(m []string) string { return m[1] + " 1" }},
	{"a timer is shorter", regexp.MustCompile(`\bafter (\d+)([hmsd]) `), func(m []string) string {
		return "after 1" + map[string]string{"d": "h", "h": "m", "m": "s", "s": "ms"}[m[2]] + " "
	}},
	{"an outcome is another", regexp.MustCompile(`(terminal \w+) failure`), func(m []string) string { return m[1] + " cancelled" }},
	{"a range is smaller", regexp.MustCompile(`0\.\.([1-9]\w*)`), func(m []string) string { return "0..1" + strings.TrimLeft(m[1], "0123456789_") }},
	{"an event is another", regexp.MustCompile(`\b(StartReview|DocumentRequested|FeedbackGiven|PaymentReceived|StartResearch|Submit|Claimed|Accept)\b`), func(m []string) string { return m[1] + "Again" }},
	{"an activity is another", regexp.MustCompile(`(activity \w+\()(\w+) string`), func(m []string) string { return m[1] + m[2] + " json" }},
	{"a parameter is new", regexp.MustCompile(`(?m)^(machine \w+\()`), func(m []string) string { return m[1] + "region string, " }},
	{"nothing is published", regexp.MustCompile(`publish \w+ \{[^}]*\}`), func([]string) string { return "" }},
	{"a terminal has another name", regexp.MustCompile(`\b(Completed|Complete|Failed|Expired|Cancelled|Done)\b`), func(m []string) string { return m[1] + "Now" }},
	{"an attempt has another limit", regexp.MustCompile(`(timeout|heartbeat|progress) (\d+[smh])`), func(m []string) string { return m[1] + " 9" + m[2] }},
	{"an attempt has no limit", regexp.MustCompile(` (heartbeat|progress) \d+[smh]`), func([]string) string { return "" }},
	{"an attempt is told something else", regexp.MustCompile(`(\n +do \w+\()(document|pr|task|order|topic|question)\b`), func(m []string) string { return m[1] + `"another"` }},
	{"a message says something else", regexp.MustCompile(`= "([^"]+)"`), func(m []string) string { return `= "not ` + m[1] + `"` }},
}

// deep are the changes for which 150 pairs are too few, with what is enough: one is a message that
// comes after five rounds, the other one that comes after all have declined. No step before differs.
var deep = map[string]int{
	`documentagent.fsm: a message says something else: "= \"no outline after five rounds\""`: 2000,
	`tasklifecycle.fsm: a message says something else: "= \"declined by all\""`:              5000,
}

// TestPlanted: of each change that is planted in an example it is said what it changes.
func TestPlanted(t *testing.T) {
	planted, missed, met := 0, []string{}, map[string]bool{}
	for file, src := range corpus(t) {
		old := lang.Load([]lang.Source{{Name: "old.fsm", Src: []byte(src)}}).Program
		for _, p := range plants {
			for n, at := range p.find.FindAllStringSubmatchIndex(src, -1) {
				m := p.find.FindStringSubmatch(src[at[0]:at[1]])
				changed := src[:at[0]] + p.put(m) + src[at[1]:]
				if strings.HasPrefix(p.what, "an event") || strings.HasPrefix(p.what, "a terminal") {
					changed = regexp.MustCompile(`\b`+m[1]+`\b`).ReplaceAllString(src, p.put(m))
				}
				unit := lang.Load([]lang.Source{{Name: "new.fsm", Src: []byte(changed)}})
				if unit.Diags.HasErrors() || n > 1 || withoutComments(changed) == withoutComments(src) {
					continue
				}
				planted++
				found := breaking.Compare(old, unit.Program, breaking.Options{Limit: 150})
				what := fmt.Sprintf("%s: %s: %q", filepath.Base(file), p.what, src[at[0]:at[1]])
				if undecided(found) && deep[what] > 0 {
					met[what] = true
					found = breaking.Compare(old, unit.Program, breaking.Options{Limit: deep[what]})
				}
				if undecided(found) {
					missed = append(missed, what+": "+strings.Join(describe(found), "; "))
				}
			}
		}
	}
	if planted < 80 || len(missed) > 0 {
		t.Errorf("of %d planted changes nothing certain was said of %d:\n%s", planted, len(missed), strings.Join(missed, "\n"))
	}
	for what := range deep {
		if !met[what] {
			t.Errorf("%s: so few pairs are enough for it now", what)
		}
	}
}

// undecided reports whether nothing is said, or only that it is not known.
func undecided(found *breaking.Result) bool {
	return !slices.ContainsFunc(names(found), func(n string) bool { return n != "behaviour-undecided" })
}

// TestEqual: nothing is said where declarations are in another order, comments are others,
// and names that nobody sees have changed.
func TestEqual(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pairs := 0
	for file, src := range corpus(t) {
		old := load(t, "old.fsm", src)
		for range 20 {
			changed := machineText.ReplaceAllStringFunc(src, func(m string) string { return oracletest.Shuffle(r, m) })
			for _, name := range typeName.FindAllStringSubmatch(src, -1) {
				changed = regexp.MustCompile(`\b`+name[1]+`\b`).ReplaceAllString(changed, name[1]+"Renamed")
			}
			changed = fanned.ReplaceAllStringFunc(changed, func(line string) string {
				name := fanned.FindStringSubmatch(line)[1]
				return regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(line, name+"_renamed")
			})
			changed = "// Another comment.\n" + strings.ReplaceAll(changed, "\n    state ", "\n    // It waits.\n    state ")
			unit := lang.Load([]lang.Source{{Name: "new.fsm", Src: []byte(changed)}})
			if unit.Diags.HasErrors() {
				continue // the text was torn
			}
			pairs++
			found := compare(old, unit.Program)
			if len(found.Points) > 0 || found.Paired != len(old.Machines) {
				t.Errorf("%s: of %d machines that mean the same: %v", file, found.Paired, describe(found))
				return
			}
		}
	}
	if pairs < 60 {
		t.Errorf("%d pairs, and not 60", pairs)
	}
}

var machineText = regexp.MustCompile(`(?ms)^machine .*?^}\n`)

// Names that no JSON has: of types, and of the element that a do runs for.
var (
	typeName = regexp.MustCompile(`(?m)\b(?:enum|record) (\w+)`)
	fanned   = regexp.MustCompile(`(?m)^ *do .*\bfor (\w+) in.*$`)
)

func withoutComments(src string) string { return regexp.MustCompile(`//.*`).ReplaceAllString(src, "") }
