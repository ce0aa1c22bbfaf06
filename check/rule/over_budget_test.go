package rule_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check/checktest"
	overbudget "github.com/fsmc-dev/fsmc/check/rule/over-budget"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// found is the finding of the rule about the machine src.
func found(t *testing.T, src string) diag.Diagnostic {
	t.Helper()
	for _, d := range checktest.Findings("m.fsm", []byte(src)) {
		if d.Rule == overbudget.Rule.Name {
			return d
		}
	}
	t.Fatal("nothing is over the budget")
	return diag.Diagnostic{}
}

// TestRelated holds that the attempts that are named, at what each costs, add up
// to the figure.
func TestRelated(t *testing.T) {
	const activities = `
    event Again
    activity refund() cost usd 1
    activity charge() -> Again cost usd 2
    activity look() cost usd 0
    activity cheap() cost usd 1
`
	for _, c := range []struct {
		name, states, total, want string
	}{
		{"retries alone", `
    initial A
    state A { do refund() timeout 1s on done -> Done on failed retry 2 else -> Done }
`, "3", "refund 3 = 3 attempts x 1 visit"},
		{"a chain and what has none", `
    initial A
    state A { do charge() timeout 1s on Again -> B on failed retry 1 else -> B }
    state B { do refund() timeout 1s on done -> A max 1 else -> C on failed retry 2 else -> C }
    state C { do look() timeout 1s on done -> Done on failed -> Done }
`, "14", "refund 6 = 3 attempts x 2 visits, charge 4 = 2 attempts x 2 visits"},
		{"visits that are not alike", `
    initial A
    state A { do refund() timeout 1s on done -> B on failed -> B }
    state B { do refund() timeout 1s on done -> Done on failed retry 2 else -> Done }
`, "4", "refund 4 = 1 attempt x 1 visit of A + 3 attempts x 1 visit of B"},
		{"ways that exclude each other", `
    initial A
    state A { after 1s -> B  on Again -> C }
    state B { do charge() timeout 1s on Again -> Done on failed retry 2 else -> Done }
    state C { do cheap() timeout 1s on done -> Done on failed -> Done }
`, "6", "charge 3 = 3 attempts x 1 visit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := found(t, "machine M {\n    budget { usd 0.5 }"+activities+c.states+"    terminal Done\n}\n")
			if want := `the worst case of "usd" is ` + c.total + ", "; !strings.HasPrefix(d.Message, want) {
				t.Errorf("the message is %s, want %s", d.Message, want)
			}
			var got []string
			for _, r := range d.Related {
				text, ok := strings.CutPrefix(r.Message, "attempts of it in the worst run: ")
				if !ok {
					t.Errorf("a related place says %s", r.Message)
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(c.want, strings.Join(got, ", ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTimeOfTheWitness holds that the rows of the worst run add up to the time that
// the message names.
func TestTimeOfTheWitness(t *testing.T) {
	for _, c := range []struct {
		name, states, total, last string
	}{
		{"a timer that events forestall", `
    initial A
    state A { after 1d -> Done  on Go -> A max 3 else -> Done }
`, "96h", "95h59m59.997s"},
		{"one that fires at last", `
    initial A
    state A { after 1d -> Done  on Go -> B }
    state B { after 1h -> Done }
`, "25h", "24h59m59.999s"},
		{"attempts and retries", `
    initial A
    state A { do work() timeout 1h on done -> Done on failed retry 2 backoff 10m else -> Done }
`, "3h20m", "3h19m59.997s"},
		{"a timer around", `
    initial W
    state W {
        initial A
        after 1d -> Done
        state A { after 20h -> Done  on Go -> A max 3 else -> Done }
    }
`, "24h", "24h0m0s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := found(t, "machine M {\n    budget { time 1h }\n    event Go\n    activity work()\n"+c.states+"    terminal Done\n}\n")
			if want := `the worst case of "time" may be as much as ` + c.total + ", "; !strings.HasPrefix(d.Message, want) {
				t.Errorf("the message is %s, want %s", d.Message, want)
			}
			if d.Witness == nil || len(d.Witness.Path) < 2 {
				t.Fatal("it has no witness")
			}
			if got := d.Witness.Path[len(d.Witness.Path)-2].At; got != c.last {
				t.Errorf("the last row comes at %s, want %s", got, c.last)
			}
		})
	}
}
