package oracletest_test

import (
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// printed are the findings that are printed of the machine: some are silent beside others.
func printed(s *oracletest.Space) diag.List {
	return check.Run(&ir.Program{Machines: []*ir.Machine{s.Machine}}, all.Rules)
}

// compareWitnesses replays every witness on the runtime, and the worst runs,
// which must take as many steps and attempts as they say.
func compareWitnesses(s *oracletest.Space, told *checked, seen map[string]int) []disagreement {
	var out []disagreement
	for _, d := range printed(s) {
		if d.Witness == nil || len(d.Witness.Path) == 0 {
			continue
		}
		seen["witness"]++
		if err := replayed(s, d.Witness, nil); err != nil && !outOfTime(s, err) {
			out = append(out, disagreement{"witness of " + d.Rule, d.Message, err.Error()})
		}
	}
	worst := func(f check.Figure, count func(r *replay) int) {
		if f.Run.Diag() == nil || !f.Exact || len(f.Run.Diag().Path) == 1 {
			return // a run of one row is taken for one that cannot start
		}
		seen["worst-run"]++
		got := 0
		err := replayed(s, f.Run.Diag(), func(r *replay) { got = count(r) })
		if err == nil && int64(got) != f.Amount.Num().Int64() {
			err = fmt.Errorf("the run takes %d", got)
		}
		if err != nil && !outOfTime(s, err) {
			out = append(out, disagreement{"worst-run of " + f.Name, f.Amount.RatString(), err.Error()})
		}
	}
	worst(told.worst.Steps, func(r *replay) int { return r.steps })
	for _, f := range told.worst.Activities {
		worst(f, func(r *replay) int { return r.attempts[f.Name] })
	}
	return out
}

// replayed plays a witness, and hands over where it ends.
func replayed(s *oracletest.Space, w *diag.Witness, end func(*replay)) error {
	r, err := newReplay(s.Machine)
	if err != nil {
		return err
	}
	if err := r.play(w); err != nil {
		return err
	}
	if end != nil {
		end(r)
	}
	return nil
}

// outOfTime reports whether a witness was refused since another timer is due
// before, or may be: which one is first is a free choice of the checker's, and
// rows tell timers of one delay apart by nothing.
func outOfTime(s *oracletest.Space, err error) bool {
	delays := map[string]bool{}
	for _, t := range s.Machine.Timers {
		if delays[t.DelayText()] {
			return true
		}
		delays[t.DelayText()] = true
	}
	return strings.Contains(err.Error(), "does not come next") || strings.Contains(err.Error(), "timer is due before")
}
