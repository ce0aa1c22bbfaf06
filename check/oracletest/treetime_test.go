package oracletest_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// TestTimesOfTrees holds the times of random machines that call others against random runs of
// them: none lasts longer, and in most machines one lasts as long.
func TestTimesOfTrees(t *testing.T) {
	t.Parallel()
	count, bounded, reached := *oracleCount/2, 0, 0
	for i := range count {
		seed := *oracleSeed + uint64(i)
		src := oracletest.GenerateTimedTree(rand.New(rand.NewPCG(seed, 0)))
		slowest, most, ends := timesOf(t, src)
		if !ends {
			continue
		}
		bounded++
		if slowest == most {
			reached++
		}
		if slowest > most {
			small := oracletest.Shrink(src, func(src string) bool {
				slowest, most, ends := timesOf(t, src)
				return ends && slowest > most
			})
			slowest, most, _ = timesOf(t, small)
			t.Errorf("seed %d: at most %v, and a run lasts %v\n%s", seed, most, slowest, small)
		}
	}
	if *oracleSeed == firstSeed && (bounded < count/2 || reached < count/8) {
		t.Errorf("of %d machines %d have a bound, and %d reach it", count, bounded, reached)
	}
	t.Logf("%d machines from seed %d: %d have a bound, %d reach it", count, *oracleSeed, bounded, reached)
}

// timesOf is how long a run of the machine in src lasts, and how long by the checker at most; no
// end where either does not say.
func timesOf(t *testing.T, src string) (slowest, most time.Duration, ends bool) {
	t.Helper()
	unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
	for _, d := range unit.Diags {
		if d.Severity == diag.Error {
			return 0, 0, false
		}
	}
	if len(unit.Program.Machines) == 0 {
		return 0, 0, false
	}
	m := unit.Program.Machines[0]
	s := oracletest.Unexplored(m)
	worst := checkedUpTo(m, explore.DefaultLimit).worst
	if s == nil || worst == nil || worst.Time.Amount == nil {
		return 0, 0, false
	}
	return s.Slowest(rand.New(rand.NewPCG(1, 1)), 60), time.Duration(worst.Time.Amount.Num().Int64()), true
}
