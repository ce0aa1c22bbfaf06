package explore_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/guard"
)

// TestMeet: what the ranges allow and no run has is refuted; what a run has
// comes with the data of that run; a bound counts as it stands there.
func TestMeet(t *testing.T) {
	p := product(t, `machine M(limit int 0..9) {
    context { n int 0..9 = 0, seen duration 0s..1h = 0s }
    event Go { k int 0..9 }
    event Set { k int 0..4, wait duration 0s..1h }
    initial S
    after 1d -> Done
    state S {
        on Set { n = event.k, seen = event.wait }
        on Go when n > 4 -> Done
            else when n == 3 && limit < 2 && event.k > n -> S max 1
            else when seen > 30m && n == 3 -> Done
            else reject
    }
    terminal Done
}
`)
	leaf := p.Table.Machine.States[1]
	for in := range p.Table.Inputs(leaf) {
		if in.Event == nil || in.Event.Name != "Go" {
			continue
		}
		for _, c := range []struct {
			want     []explore.Stance
			possible guard.Verdict
			met      guard.Verdict
		}{
			{[]explore.Stance{explore.Applies, explore.Any, explore.Any, explore.Any}, guard.Sat, guard.Unsat},
			{[]explore.Stance{explore.False, explore.Applies, explore.Any, explore.Any}, guard.Sat, guard.Sat},
			{[]explore.Stance{explore.False, explore.Applies, explore.False, explore.Any}, guard.Sat, guard.Sat},
			{[]explore.Stance{explore.Applies, explore.Applies, explore.Any, explore.Any}, guard.Unsat, guard.Unsat},
			{[]explore.Stance{explore.False, explore.Passed, explore.Applies, explore.Any}, guard.Sat, guard.Sat},
			{[]explore.Stance{explore.False, explore.False, explore.False, explore.False}, guard.Unsat, guard.Unsat},
		} {
			if got := explore.Possible(in, c.want).Verdict; got != c.possible {
				t.Errorf("%v: possible is %s, want %s", c.want, got, c.possible)
			}
			m := p.Meet(leaf, in, c.want)
			if m.Verdict != c.met {
				t.Errorf("%v: met is %s, want %s", c.want, m.Verdict, c.met)
			}
			if m.Verdict != guard.Sat {
				continue
			}
			if w, sure := p.RunMeeting(m, in, nil); !sure || w.Values["n"] != int64(3) {
				t.Errorf("%v: the run has n = %v, sure is %t", c.want, w.Values["n"], sure)
			}
		}
	}
}
