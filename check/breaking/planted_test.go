package breaking_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/breaking"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/lang"
)

// corpus are the machines of the examples, by their files.
func corpus(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../examples/*/*.fsm")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	out := map[string]string{}
	for _, f := range files {
		if !lang.InFolder(f) {
			continue // scenarios
		}
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[f] = string(src)
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
	{"a message says something else", regexp.MustCompile(`= "([^"]+)"`), func(m []string) string { return `= "not ` + m[1] + `"` }},
}

// TestPlanted: of each change that is planted in an example something is said. With so few
// pairs a few of the larger machines are undecided.
func TestPlanted(t *testing.T) {
	planted, told, missed := 0, 0, []string{}
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
				if slices.ContainsFunc(names(found), func(n string) bool { return n != "behaviour-undecided" }) {
					told++
				} else if len(found.Points) == 0 {
					missed = append(missed, fmt.Sprintf("%s: %s: %q", file, p.what, src[at[0]:at[1]]))
				}
			}
		}
	}
	if told < 60 || told < planted*9/10 || len(missed) > 0 {
		t.Errorf("of %d planted changes %d were told, and nothing was said of:\n%s", planted, told, strings.Join(missed, "\n"))
	}
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
