package check_test

import (
	"math/big"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// TestFactors says how figures are taken apart.
func TestFactors(t *testing.T) {
	twice := `machine Twice {
    event Found
    event Next
    activity search() -> Found cost usd 0.1
    initial A
    state A {
        do search() as a timeout 1m
        do search() as b timeout 1m
        on a.Found, b.Found ignore
        on a.failed, b.failed retry 1 backoff 1s jitter 0 else ignore
        on done -> B
    }
    state B {
        do search() timeout 2m
        on Found, failed -> C
    }
    state C {
        on Next -> B max 2 else -> Done
        after 1h -> Done
    }
    terminal Done
}`
	got := map[string]string{}
	for _, src := range []string{kept(t, "patch.fsm"), twice} {
		m := program(t, []byte(src)).Machines[0]
		for _, limit := range []int{1, explore.DefaultLimit} {
			for _, f := range figuresOf(check.Bounds(m, limit)) {
				got[m.Name+" "+strconv.Itoa(limit)+" "+f.Name] = f.Factors
			}
		}
	}
	full := strconv.Itoa(explore.DefaultLimit)
	for figure, want := range map[string]string{
		"Patch " + full + " steps":       `13 moves (3 by "-> Work.Draft max 3") + 8 retries of write_patch`,
		"Patch " + full + " time":        `25m of attempts in Work.Draft + 4 x 10m of attempts in Work.Test + 4 x 2m of attempts in Work.Review + 24h by "after 24h" in Human`,
		"Patch " + full + " cost":        `12 write_patch x 4 + 4 run_tests x 1 + 4 review x 2`,
		"Patch " + full + " write_patch": `3 attempts x 4 visits`,
		"Patch 1 steps":                  `14 moves + 8 retries of write_patch`,
		"Patch 1 write_patch":            `3 attempts x 4 visits of Work.Draft`,
		"Patch 1 time":                   `4 visits of Work.Draft x 6m15s + 4 visits of Work.Test x 10m + 4 visits of Work.Review x 2m + 1 visit of Human x 24h`,
		"Twice " + full + " search":      `3 attempts in 1 visit of A + 1 attempt x 3 visits of B`,
		"Twice " + full + " usd":         `6 search x 0.1`,
		"Twice 1 search":                 `2 attempts x 1 visit of A + 2 attempts x 1 visit of A + 1 attempt x 3 visits of B`,
	} {
		if got[figure] != want {
			t.Errorf("%s\n got %s\nwant %s", figure, got[figure], want)
		}
	}
}

// TestFactorsAddUp works out the text of the factors of every figure of the
// examples and of random machines: it is the figure.
func TestFactorsAddUp(t *testing.T) {
	var sources []string
	for _, s := range langtest.Sources(t, "../examples/*/*.fsm") {
		sources = append(sources, string(s.Src))
	}
	for i := range 300 {
		sources = append(sources, oracletest.Generate(rand.New(rand.NewPCG(uint64(i), 7))))
	}
	held := map[string]int{}
	for _, src := range sources {
		unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
		for _, m := range unit.Program.Machines {
			for _, limit := range []int{1, explore.DefaultLimit} {
				for _, f := range figuresOf(check.Bounds(m, limit)) {
					if f.Amount == nil || f.Amount.Sign() == 0 {
						continue
					}
					sum, whole := workOut(t, f)
					if !whole {
						continue // too many terms to be written out
					}
					held[kindOf(f)]++
					if sum.Cmp(f.Amount) != 0 {
						t.Errorf("%s is %s, and its factors make %s: %s\n%s", f.Name, f.Amount.RatString(), sum.RatString(), f.Factors, src)
					}
				}
			}
		}
	}
	for _, kind := range []string{"steps", "time", "others"} {
		if held[kind] < 100 {
			t.Errorf("only %d figures for %s were worked out", held[kind], kind)
		}
	}
}

func kindOf(f check.Figure) string {
	if f.Name == "steps" || f.Name == "time" {
		return f.Name
	}
	return "others"
}

func figuresOf(w *check.Worst) []check.Figure {
	if w == nil {
		return nil
	}
	return append(append([]check.Figure{w.Steps, w.Time}, w.Costs...), w.Activities...)
}

var (
	inBrackets = regexp.MustCompile(`\([^)]*\)|"[^"]*"`)
	attemptsIn = regexp.MustCompile(`^(\d+) attempts? in \d+ visits?`)
	number     = regexp.MustCompile(`^[0-9.]+$`)
)

// workOut is the value of the factors of f, and whether all terms are there.
func workOut(t *testing.T, f check.Figure) (*big.Rat, bool) {
	total := new(big.Rat)
	for _, term := range strings.Split(inBrackets.ReplaceAllString(f.Factors, ""), " + ") {
		if strings.HasSuffix(term, " more") {
			return nil, false
		}
		if in := attemptsIn.FindStringSubmatch(term); in != nil {
			term = in[1]
		}
		product := big.NewRat(1, 1)
		for _, factor := range strings.Split(term, " x ") {
			word, _, _ := strings.Cut(factor, " ")
			n, ok := new(big.Rat).SetString(word)
			if !ok || !number.MatchString(word) {
				d, err := time.ParseDuration(word)
				if err != nil {
					t.Fatalf("%s: what is %q in %q?", f.Name, word, f.Factors)
				}
				n = new(big.Rat).SetInt64(int64(d))
			}
			product.Mul(product, n)
		}
		total.Add(total, product)
	}
	return total, true
}
