//go:build unix && cgo

package reliability

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// account is what was used, by the name of the cost.
type account map[string]*big.Rat

func (a account) add(cost, amount string) {
	n, ok := new(big.Rat).SetString(amount)
	if !ok {
		panic("no amount: " + amount)
	}
	a[cost] = n.Add(n, a.of(cost))
}

func (a account) of(cost string) *big.Rat {
	if n := a[cost]; n != nil {
		return n
	}
	return new(big.Rat)
}

func (a account) clone() account {
	c := maps.Clone(a) // amounts do not change
	if c == nil {
		c = account{}
	}
	return c
}

func (a account) all(costs []machine.Cost) {
	for _, c := range costs {
		a.add(c.Name, c.Amount)
	}
}

func least(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// says notes what a record says that an attempt, or a child, has used.
func (w *walk) says(r *machine.Record) {
	in := &r.Input
	if in.Queued {
		return // it was counted as it came
	}
	w.below.all(in.Below)
	if in.Key == "" {
		return
	}
	id := attemptOf(in.Key, in.Attempt)
	w.dos[id] = in.Do
	if len(in.Cost) > 0 && w.in.said[id] == nil {
		w.in.said[id] = account{}
	}
	w.in.said[id].all(in.Cost)
	if in.Kind == machine.ResultInput && in.Worker != "" {
		w.in.results[id] = in.Worker
	}
}

// spent holds what the run counts against the ledger:
//
//   - no attempt has said that it has used more than it has;
//   - what it had said with an acknowledged checkpoint, and all that the call had used whose
//     result was taken, is in history;
//   - the run counts what was said, and for what has begun and said nothing no more than it
//     declares;
//   - a call that was killed before it could say anything counts what it has used, up to what
//     it declares: what a killed process has used beyond, no one can know.
func (w *walk) spent(s *machine.Snapshot) {
	costs := s.Spent
	for _, a := range w.m.Definition().Activities {
		costs = append(slices.Clone(costs), a.Costs...)
	}
	names := map[string]bool{}
	for _, c := range costs {
		names[c.Name] = true
	}
	calls := map[string][]*call{} // of the attempts of the run
	for i := range w.in.e.calls {
		if c := &w.in.e.calls[i]; c.run == w.row.Run {
			id := attemptOf(c.key, c.attempt)
			calls[id] = append(calls[id], c)
		}
	}
	for cost := range names {
		w.spentOf(s, calls, cost)
	}
}

func (w *walk) spentOf(s *machine.Snapshot, calls map[string][]*call, cost string) {
	in := w.in
	floor, said, may := w.attemptsOf(s, calls, cost)
	counted := account{}
	counted.all(s.Spent)
	own := new(big.Rat).Sub(counted.of(cost), w.below.of(cost))
	if own.Cmp(said) < 0 || own.Cmp(may) > 0 {
		in.fault("run %q counts %s %s of its own, and its attempts have said %s, and may have used %s by what they declare",
			w.row.Run, own.RatString(), cost, said.RatString(), may.RatString())
	}
	if own.Cmp(floor) < 0 {
		in.fault("run %q counts %s %s of its own, and its activities have used no less than %s", w.row.Run, own.RatString(), cost, floor.RatString())
	}
}

// attemptsOf sums of the attempts of the run what they must have counted for at least, what they
// have said, and that with what those that have begun declare.
func (w *walk) attemptsOf(s *machine.Snapshot, calls map[string][]*call, cost string) (floor, said, may *big.Rat) {
	in := w.in
	floor, said, may = new(big.Rat), new(big.Rat), new(big.Rat)
	for id, do := range w.dos {
		declared, of := account{}, calls[id]
		if w.m.Callee(do) == "" {
			declared.all(w.m.Definition().Activities[w.m.Definition().Dos[do].Activity].Costs)
		}
		all, sure := new(big.Rat), new(big.Rat)
		for _, c := range of {
			known := c.acked.of(cost)
			if in.ends(id, of) == c {
				known = c.used.of(cost)
			}
			all.Add(all, c.used.of(cost))
			sure.Add(sure, known)
			switch {
			case known.Sign() > 0:
				floor.Add(floor, known)
			case w.m.Begins(s, do) && over(s, c):
				floor.Add(floor, least(c.used.of(cost), declared.of(cost)))
			}
		}
		has := in.said[id].of(cost)
		if has.Cmp(all) > 0 {
			in.fault("attempt %s says that it has used %s %s, and it has used %s", id, has.RatString(), cost, all.RatString())
		}
		if has.Cmp(sure) < 0 {
			in.fault("attempt %s has said that it has used %s %s, and history has %s", id, sure.RatString(), cost, has.RatString())
		}
		said.Add(said, has)
		may.Add(may, has)
		may.Add(may, new(big.Rat).Mul(declared.of(cost), big.NewRat(int64(in.begun[id]), 1)))
	}
	return floor, said, may
}

// ends is the call whose result has ended the attempt: the last that its worker made.
func (in *inspection) ends(id string, calls []*call) (last *call) {
	for _, c := range calls {
		if c.worker != "" && in.results[id] == c.worker {
			last = c
		}
	}
	return last
}

// over reports whether the attempt of a call is over, and what it counts for known.
func over(s *machine.Snapshot, c *call) bool {
	is := func(t machine.Task) bool { return t.Key == c.key && t.Attempt == c.attempt }
	return !slices.ContainsFunc(s.Tasks, is) && !slices.ContainsFunc(s.Stopping, is)
}

// finish is a commit by which a run finishes, or that what a run has that has finished.
type finish struct {
	run, lines string
	done       bool // it was acknowledged; else it is about to be tried
}

// finishOf gives what notes a commit by which a run finishes; nothing for another.
func finishOf(c *store.Commit) func(l *ledger, what string) {
	if c.Run.Status != runtime.Finished || len(c.History) == 0 {
		return func(*ledger, string) {}
	}
	lines := fmt.Sprintf("%d-%d", c.History[0].Seq, c.Run.Seq)
	return func(l *ledger, what string) { l.note(what, c.Run.Run, lines) }
}

// has reports whether the commit has a line of the history of a run.
func (f *finish) has(run string, line int64) bool {
	var first, last int64
	if _, err := fmt.Sscanf(f.lines, "%d-%d", &first, &last); err != nil {
		panic(err)
	}
	return f.run == run && first <= line && line <= last
}

// order looks that the end of a parent was not acknowledged before that of its child was tried.
// Times do not come into that: the ledger has its lines in the order in which they were written.
func (in *inspection) order(child, parent *walk) {
	if child.end == 0 || parent.end == 0 || parent.row.Status != runtime.Finished {
		return
	}
	tried := slices.IndexFunc(in.e.finishes, func(f finish) bool { return !f.done && f.has(child.row.Run, child.end) })
	done := slices.IndexFunc(in.e.finishes, func(f finish) bool { return f.done && f.has(parent.row.Run, parent.end) })
	if done >= 0 && (tried < 0 || tried > done) {
		in.fault("the end of run %q was acknowledged before that of its child %q was tried", parent.row.Run, child.row.Run)
	}
}
