package guard_test

import "github.com/fsmc-dev/fsmc/check/guard"

// The questions that rules ask, put together from what the package offers.

// overlap asks whether a and b can hold at once.
func overlap(a, b guard.Guard) guard.Answer { return guard.Satisfy(a.Holds, b.Holds) }

// gap asks whether all guards of chain can compute to false at once.
func gap(chain ...guard.Guard) guard.Answer { return guard.Satisfy(fails(chain)...) }

// reach asks whether g can hold where all guards before it in a chain compute to false.
func reach(before []guard.Guard, g guard.Guard) guard.Answer {
	return guard.Satisfy(append(fails(before), g.Holds)...)
}

func fails(guards []guard.Guard) []guard.Formula {
	out := make([]guard.Formula, len(guards), len(guards)+1)
	for i, g := range guards {
		out[i] = g.Fails
	}
	return out
}

// counter asks for values for which f holds and g does not.
func counter(f, g guard.Formula) guard.Answer { return guard.Satisfy(f, guard.Not(g)) }

// stuck holds where g cannot be computed.
func stuck(g guard.Guard) guard.Formula { return guard.And(guard.Not(g.Holds), guard.Not(g.Fails)) }

// notHeld holds where g computes to false or cannot be computed.
func notHeld(g guard.Guard) guard.Formula { return guard.Not(g.Holds) }
