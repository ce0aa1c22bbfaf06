package oracletest_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/oracletest"
)

// A large machine is judged by other means than a small one: see check.SmallProduct, and
// the limit. This test judges small ones by those means, so that brute force can
// tell whether the answers are right, and whether a question passes in silence.

// TestBruteForceLarge: what is asked of the control graph first has the same
// answers, and past the limit what is not proved is undecided.
func TestBruteForceLarge(t *testing.T) {
	during(t, &check.SmallProduct, 0)
	everything := func(string) bool { return true }
	t.Run("below the limit", func(t *testing.T) { past(t, explore.DefaultLimit, everything) })
	t.Run("past the limit", func(t *testing.T) { past(t, 1, everything) })
}

// TestBruteForceEarly: what is found past the limit in the configurations that come first is so.
func TestBruteForceEarly(t *testing.T) {
	during(t, &check.SmallProduct, 12)
	oneRun := map[string]bool{}
	for _, r := range all.Rules {
		oneRun[r.Name] = r.OneRun
	}
	t.Run("past the limit", func(t *testing.T) { past(t, 12, func(rule string) bool { return oneRun[rule] }) })
}

// past compares what the rules say that are asked about, where a machine has more than limit
// configurations.
func past(t *testing.T, limit int, asked func(rule string) bool) {
	t.Parallel()
	told := map[string]bool{}
	for i := range *oracleCount / 2 {
		seed := *oracleSeed + uint64(i)
		for _, generate := range []func(*rand.Rand) string{oracletest.GenerateFlat, oracletest.Generate} {
			src := generate(rand.New(rand.NewPCG(seed, 0)))
			for _, d := range differsPast(src, limit) {
				if told[d.question] || !asked(d.question) {
					continue
				}
				told[d.question] = true
				bad := func(src string) bool {
					for _, other := range differsPast(src, limit) {
						if other.question == d.question {
							return true
						}
					}
					return false
				}
				t.Errorf("seed %d: %s\n%s", seed, d, oracletest.Shrink(src, bad))
			}
		}
	}
}

// differsPast are the rules of which something must be said, and that the checker
// neither says nor leaves open, or that it says though it is not so, and the time where
// some run takes longer.
func differsPast(src string, limit int) (out []disagreement) {
	s, _ := brute(src)
	if s == nil {
		return nil
	}
	free := s.Free() || s.Timed()
	told := checkedUpTo(s.Machine, limit)
	all, open := told.found(s.Machine), told.open
	for _, c := range comparisons {
		brute, found := c.brute(s), all[c.rule]
		halts := func(rule string) bool { return len(all[rule]) > 0 || open[rule] }
		if c.rule == "no-way-to-finish" && (halts("unhandled-done") || halts("read-before-set")) {
			continue // that a run is halted there is said: one fault
		}
		tooMuch := !found.within(brute) && !s.Cut && !((free || limit == 1) && mayExceed[c.rule])
		part := 1 < limit && limit < explore.DefaultLimit && len(found) > 0 // the rest may be past the limit
		tooLittle := !part && !found.covers(brute) && !open[c.rule] && !open["unreachable-state"] && !(free && mayPass[c.rule])
		if tooLittle && mayPass[c.rule] && halts("read-before-set") {
			continue // what lies behind a step that halts each run counts as entered: see control.SurelyEntered
		}
		if !tooMuch && !tooLittle {
			continue
		}
		out = append(out, disagreement{c.rule, found.String(), brute.String()})
	}
	return append(out, compareTime(s, told.worst.Time, map[string]int{})...)
}
