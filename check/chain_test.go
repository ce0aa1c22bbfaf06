package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
)

// TestLongChains: however many host guards a chain of arms or of requires asks, each
// arm is known to be taken, and each state to be entered.
func TestLongChains(t *testing.T) {
	for name, src := range map[string]string{
		"one guard in each of 400 arms":      chainOf(400, "%[1]s", "guard f%[1]d()", "f%d()"),
		"three joined guards in each of 200": chainOf(200, "%s && g%d() && h%d()", "guard f%[1]d()\n guard g%[1]d()\n guard h%[1]d()", "f%d()"),
		"three guards in each of 200":        chainOf(200, "%s || g%d() || h%d()", "guard f%[1]d()\n guard g%[1]d()\n guard h%[1]d()", "f%d()"),
		"one guard asked of 100 numbers": fmt.Sprintf("machine M {\n guard g(n int)\n event E\n initial S\n state S { on E when g(0) -> T\n %s\n else -> U }\n terminal T\n terminal U\n}\n",
			each(100, "\n", "else when g(1%d) -> T")),
		"a chain of 60 requires": requiresOf(60, "&&"), "of 60 others": requiresOf(60, "||"),
		"a require of 40 pairs": fmt.Sprintf("machine M {\n %s\n event E\n initial S\n state S { on E -> R }\n state R { require %s else -> T\n on E -> T }\n terminal T\n}\n",
			each(40, "\n", "guard f%[1]d()\n guard g%[1]d()"), each(40, " && ", "(f%[1]d() || g%[1]d())")),
	} {
		if got := lines(check.Run(program(t, []byte(src)), all.Rules)); strings.Contains(got, "undecided") || strings.Contains(got, "dead-arm") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

// requiresOf is a chain of n leaves that ask three host guards each before they are
// entered, and turn the run away to the next.
func requiresOf(n int, join string) string {
	return fmt.Sprintf("machine M {\n %s\n event E\n initial I\n state I { on E -> S0 }\n %s\n state S%d { on E -> T }\n terminal T\n}\n",
		each(n, "\n", "guard f%[1]d()\n guard g%[1]d()\n guard h%[1]d()"),
		each(n, "\n", "state S%[1]d { require "+strings.Join([]string{"f%[1]d()", "g%[1]d()", "h%[1]d()"}, " "+join+" ")+" else -> S%[2]d\n on E -> T }"), n)
}

// TestChainsOfLiterals: what no arm of a chain compares is known, however many values the arms do compare.
func TestChainsOfLiterals(t *testing.T) {
	t.Parallel()
	of := func(typ, when, literal string, n int) string {
		arms := each(n, "\n else ", "when "+when+" == "+literal+" -> T")
		return fmt.Sprintf("machine M {\n enum Kind { %s }\n context { n int 0..2000 = 0 }\n event E { v %s, b bool }\n event Put { n int 0..2000 }\n initial S\n state S { on Put { n = event.n }\n on E %s }\n terminal T\n after 24h -> T\n}\n",
			each(2001, ", ", "k%d"), typ, arms)
	}
	for _, c := range []struct{ name, src, gap string }{
		{"numbers, all", of("int 0..1999", "event.v", "%d", 2000), ""},
		{"numbers, all but one", of("int 0..2000", "event.v", "%d", 2000), "event.v = 2000"},
		{"values of an enum, all", of("Kind", "event.v", "Kind.k%d", 2001), ""},
		{"values of an enum, all but one", of("Kind", "event.v", "Kind.k%d", 2000), "event.v = Kind.k2000"},
		{"durations", of("duration 0s..1h", "event.v", "%ds", 2000), "event.v = 1ms"},
		{"a field", of("bool", "n", "%d", 2000), "n = 2000"},
		{"strings", of("string", "event.v", `"%d"`, 3000), `event.v = "a"`},
		{"lengths", of("[0..1400]string", "len(event.v)", "%d", 1400), "len(event.v) = 1400"},
		{"thousands of lengths", of("[0..4096]string", "len(event.v)", "%d", 4096), "len(event.v) = 4096"},
		{"two arms for each number", of("int 0..1000", "!event.b && event.v == %[1]d -> T\n else when event.b && event.v", "%[1]d", 1000), "event.b = false, event.v = 1000"},
	} {
		want := ""
		if c.gap != "" {
			want = "nothing takes \"E\" in \"S\" where " + c.gap + ": no guard holds"
		}
		var got []string
		for _, d := range check.Run(program(t, []byte(c.src)), all.Rules) {
			if d.Rule == "guard-gap" || d.Rule == "undecided" || d.Rule == "dead-arm" {
				got = append(got, d.Message)
			}
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%s: %.500q, want %q", c.name, got, want)
		}
	}
}

// TestChainMakesTheSameChoices: what an arm asks of the event is asked in each run of a step, also where a field of the
// machine alone makes it false. Else arms behind it seemed to be dead, and what they lead to unreachable.
func TestChainMakesTheSameChoices(t *testing.T) {
	src := "machine M {\n context { n int 0..1 = 0 }\n event E { s string, t string }\n event Up\n initial S\n after 1d -> T\n" +
		" state S {\n on Up -> Z { n = 1 }\n on E when event.s == \"a\" && n == 1 -> T\n %s\n else -> T\n }\n" +
		" state Z { on Up -> T }\n %s\n terminal T\n}\n"
	src = fmt.Sprintf(src, each(12, "\n", "else when event.t == \"b%[1]d\" -> B%[1]d"), each(12, "\n", "state B%d { on Up -> T }"))
	var got []string
	for _, d := range check.Run(program(t, []byte(src)), all.Rules) {
		got = append(got, d.Rule+": "+d.Message)
	}
	if want := []string{"dead-arm: this arm is never taken: its guard is false in every run"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
