package oracletest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/lang"
)

// decisionTable is a machine whose event has several fields, which a chain of arms compares with constants,
// with each other, and with what the run has.
func decisionTable(r *rand.Rand) string {
	cond := func() string {
		op := []string{"==", "!=", "<", "<=", ">", ">="}[r.IntN(6)]
		switch r.IntN(11) {
		case 0:
			return "event.flag"
		case 1:
			return fmt.Sprintf("event.kind %s Kind.%c", op[:1]+"=", "abc"[r.IntN(3)])
		case 2:
			return fmt.Sprintf("event.rate %s %d.5", op, r.IntN(2))
		case 3:
			return fmt.Sprintf("event.note %s \"%c\"", op[:1]+"=", "xy"[r.IntN(2)])
		case 4:
			return fmt.Sprintf("n %s %d", op, r.IntN(4))
		case 5:
			return fmt.Sprintf("event.x %s event.y", op)
		case 6:
			return fmt.Sprintf("event.y - event.x %s 1", op)
		case 7:
			return fmt.Sprintf("event.y + 1 %s n", op)
		}
		return fmt.Sprintf("event.%c %s %d", "pq"[r.IntN(2)], op, r.IntN(6))
	}
	fix := strings.NewReplacer("<= Kind", "!= Kind", ">= Kind", "== Kind", "<= \"", "!= \"", ">= \"", "== \"")
	guard := func() string {
		text := cond()
		for range r.IntN(4) {
			part := cond()
			if r.IntN(2) == 0 {
				part = "(" + part + " || " + cond() + ")"
			}
			if r.IntN(5) == 0 {
				part = "!(" + part + ")"
			}
			text += " && " + part
		}
		return fix.Replace(text)
	}
	effect := func() string {
		return []string{"", "", " { n = min(n + 1, 3) }", " { n = event.n }", " { got = event.flag }", " { last = event.p }"}[r.IntN(6)]
	}
	chain := func(states string) string {
		var arms []string
		for range 2 + r.IntN(3) {
			arms = append(arms, fmt.Sprintf("when %s -> %c%s", guard(), states[r.IntN(len(states))], effect()))
		}
		end := []string{"", " else reject", " else -> T", " else -> A max 2 else reject"}[r.IntN(4)]
		return strings.Join(arms, " else ") + end
	}
	return fmt.Sprintf(`machine Table {
    enum Kind { a, b, c }
    context { n int 0..3 = 0, got bool = false, last int 0..5 = 0 }
    event E { flag bool, kind Kind, rate float, note string, n int 0..3, p int 0..5, q int, x int 0..2, y int 0..2 }
    event Go
    initial A
    state A { on E %s
              on Go -> B max 2 else -> T }
    state B { on E %s
              on Go when got && last > %d -> T else -> A max 2 else reject }
    state C { on E when %s -> A max 1 else -> T
              on Go -> T }
    terminal T
}
`, chain("ABC"), chain("ABT"), r.IntN(6), guard())
}

// TestArmsAreAsked compares what is said of machines where each way in which an event comes is
// tried, and where the solver of guards is asked for one for each arm.
func TestArmsAreAsked(t *testing.T) {
	compared := 0
	for seed := range uint64(1000) {
		generate := []func(*rand.Rand) string{decisionTable, decisionTable, oracletest.GenerateFlat, oracletest.GenerateWide}[seed%4]
		src := generate(rand.New(rand.NewPCG(seed, 13)))
		unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
		if unit.Diags.HasErrors() {
			continue
		}
		findings := func(cost int) string {
			during(t, &explore.CostOfQuestion, cost)
			diags, worsts := check.Analyze(unit.Program, all.Rules, 2_000_000, false)
			var said []string
			for _, d := range diags {
				at := strings.Split(fmt.Sprint(d.Span), ":")[1]
				if d.Rule == "unbounded-loop" { // of several cycles one is shown
					at = ""
				}
				said = append(said, fmt.Sprintln(d.Rule, at))
			}
			for _, w := range worsts {
				if w != nil {
					said = append(said, fmt.Sprintln(w.Steps.Amount, w.Steps.Exact))
				}
			}
			looped := func(line string) bool { return strings.HasPrefix(line, "unbounded-loop") }
			if slices.ContainsFunc(said, looped) { // it silences dead arms beside it
				said = slices.DeleteFunc(said, func(line string) bool { return strings.HasPrefix(line, "dead-arm") })
			}
			slices.Sort(said)
			return strings.Join(said, "")
		}
		tried, asked := findings(1<<30), findings(0)
		if compared++; tried != asked {
			t.Errorf("%s\n--- each way tried:\n%s--- asked by arm:\n%s", src, tried, asked)
		}
	}
	if compared < 900 {
		t.Errorf("%d machines compared, want at least 900", compared)
	}
}

// TestBruteForceByArm holds the same against brute force.
func TestBruteForceByArm(t *testing.T) {
	during(t, &explore.CostOfQuestion, 0)
	for name, generate := range map[string]func(*rand.Rand) string{"flat": oracletest.GenerateFlat, "wide": plainWide, "all": oracletest.Generate} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			(&machines{generate: generate, count: *oracleCount / 8, larger: *oracleCount / 80}).compare(t)
		})
	}
}
