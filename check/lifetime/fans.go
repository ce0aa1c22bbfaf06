package lifetime

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// The N elements of a fan-out, of which n run at the same time, last at most
//
//	P + W                    where N <= n
//	P (N-1) / n + P + W      else
//
// with P what the attempts of one element may last together, and W its waits. For in any
// moment until the last element ends it runs, which it does for P; or it waits for a
// retry, for W; or it waits for its turn, and then n others run, which have no more than
// P (N-1) to do. Without retries they last ceil(N/n) rounds of P: if the last one started
// later each place would have taken as many elements before, and there are not so many. (The bound of list scheduling: Graham, Bounds for certain multiprocessing
// anomalies, Bell System Technical Journal 45, 1966.) It needs that whoever can start does:
// where a machine is stopped whose timeout has passed nobody can, and both are longer by that (callees.go).

// beginning is a leaf that is entered, and with how many elements.
type beginning struct{ leaf, begun int32 }

// attemptsWith is what the attempts cost that begin with l.
func (t *Times) attemptsWith(l explore.Label) int64 {
	if l.Begun == 0 {
		return t.attempt[l.Into]
	}
	key := beginning{l.Into, l.Begun}
	time, known := t.begun[key]
	if !known {
		time = t.attemptTime(t.p.Table.Machine.States[l.Into], func(i int) int64 {
			_, most := t.p.Elements(l, i)
			return most
		})
		t.begun[key] = time
	}
	return time
}

// fanTime is what n elements of d last, retries and waits included, if no attempt begins for as
// long as held.
func (t *Times) fanTime(d *ir.Do, n, held int64) int64 {
	if n == 0 {
		return 0
	}
	attempts, waits := int64(1), int64(0)
	for _, a := range t.p.Table.Retries(d) {
		wait, bounded := timing.LongestWaits(a)
		if !bounded {
			return graph.Infinite
		}
		attempts, waits = graph.Sum(attempts, *a.Max), graph.Sum(waits, wait)
	}
	limit := d.Fan.Limit
	turns := limit > 0 && n > limit
	if !turns && attempts == 1 {
		return t.limit(d)
	}
	each := graph.Times(attempts, t.runs(d))
	time := graph.Sum(graph.Sum(each, waits), held)
	if turns && attempts == 1 {
		return graph.Sum(graph.Times(each, (n-1)/limit+1), held)
	}
	if turns {
		others := graph.Times(each, n-1)
		if others == graph.Infinite {
			return graph.Infinite
		}
		time = graph.Sum(time, others/limit+min(1, others%limit))
	}
	return time
}

func hasFan(leaf *ir.State) bool {
	return slices.ContainsFunc(leaf.Dos, func(d *ir.Do) bool { return d.Fan != nil })
}
