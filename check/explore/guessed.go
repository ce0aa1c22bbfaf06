package explore

import (
	"math"

	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Unsure lists, in the order in which they are reached, leaves from which a
// terminal state is reached only if data that is not tracked has the right
// values. A way out that rests on such data counts only where every value leads
// out: of an input whose edges are guesses all must lead on, and none may be left
// to nobody. It is nil where nothing was guessed.
func (p *Product) Unsure() []*ir.State {
	if !p.Guessed {
		return nil
	}
	unsure := p.unsure(p.surelyEnding(false))
	if len(unsure) == 0 || len(p.unsure(p.surelyEnding(true))) == 0 {
		return nil
	}
	return unsure
}

// unsure lists the leaves of configurations that are neither sure to end nor
// doomed.
func (p *Product) unsure(sure []bool) []*ir.State {
	doomed := p.Doomed()
	named := map[*ir.State]bool{}
	var out []*ir.State
	for c := int32(1); int(c) < p.Configurations(); c++ {
		if s := p.Leaf(c); !sure[c] && !doomed[c] && !named[s] && s.Kind == ir.Leaf {
			named[s] = true
			out = append(out, s)
		}
	}
	return out
}

// inputIn is an input in a configuration.
type inputIn struct{ config, input int32 }

// Certain reports whether edge e rests on no guess.
func (p *Product) Certain(e int32) bool { return p.rests[e]&certain != 0 }

// rests says on what the runs of a step rest that make an edge.
type rests uint8

const (
	certain rests = 1 << iota // one of them on nothing that nobody knows
	depends                   // one of them on data that is not tracked
)

// restsOn is what this run of a step rests on. What the sender of an event
// can bring about is certain, and what else comes of the same input depends on it.
func (x *search) restsOn() rests {
	switch {
	case x.Guess:
		return depends
	case len(x.Wishes) > 0:
		return certain | depends
	}
	return certain
}

// surelyEnding marks the configurations that can finish under every value: the
// attractor of the terminals, where guesses of one input count together.
//
// Of a guess that uses up a deferred event and says that more of its name follow
// it need not be known that it leads on. A run has but so many that are deferred,
// and the guess that this was the last counts as any other. Where it leads back to
// the configuration at hand that is all. Where it leads elsewhere, as all of them
// may with usingUp, the run goes on from there with one less: by induction on how
// many are deferred it can finish if every configuration is found to be sure, and
// if no way out defers another one. Then, and only then, the answer is worth
// something.
func (p *Product) surelyEnding(usingUp bool) []bool {
	sure := make([]bool, p.Len())
	for c := int32(1); int(c) < p.Len(); c++ {
		sure[c] = p.Leaf(c).Kind == ir.Terminal
	}
	first := p.FirstOfInput(func(e int32) int32 { return p.Label(e).Input })
	spared := p.spared(usingUp)
	left := p.guessesLeft(first, spared)
	return p.Attractor(sure, func(e int32) bool {
		if p.IsCancel(e) || spared[e] || usingUp && p.defers(e) {
			return false
		}
		if p.Certain(e) {
			return true
		}
		left[first[e]]--
		return left[first[e]] <= 0
	})
}

// spared marks the guesses that need not lead on: those that use up a deferred
// event of which more follow, and lead back to where they start or, with usingUp,
// to any configuration that is not doomed.
func (p *Product) spared(usingUp bool) []bool {
	out := make([]bool, len(p.To))
	doomed := p.Doomed()
	for c, e := range p.Edges() {
		l, to := p.Label(e), p.To[e]
		if p.Certain(e) || !l.Again || l.Kind == Stayed && l.Arm == graph.None && to != c {
			continue // it is deferred again
		}
		in, _ := p.Input(e)
		out[e] = to == c || usingUp && !doomed[to] && p.program.HasEvent(p.program.Packing.Deferred, p.words(to), in.Event)
	}
	return out
}

// defers reports whether e defers an event that comes, or may.
func (p *Product) defers(e int32) bool {
	l := p.Label(e)
	if l.Kind != Stayed || l.Arm != graph.None || l.Again {
		return false
	}
	in, ok := p.Input(e)
	return ok && in.Kind == ir.CaseEvent
}

// Detours says how much less an edge is liked than one in which nothing is deferred,
// looked at again or guessed.
func (p *Product) Detours(_, e int32) int64 {
	if p.Label(e).Again || !p.Certain(e) || p.defers(e) {
		return 1000
	}
	return 1
}

// guessesLeft counts, at the first edge of each input, its guesses: so many do
// not lead on yet. Those that are spared are not among them. Of an input that some
// guess leaves to nobody there are always more.
func (p *Product) guessesLeft(first []int32, spared []bool) []int32 {
	left := make([]int32, len(p.To))
	for e, on := range p.rests {
		if on&depends != 0 && !spared[e] {
			left[first[e]]++
		}
	}
	for _, k := range p.stuck {
		for e := p.First[k.config]; e < p.First[k.config+1]; e++ {
			if p.Label(e).Input == k.input {
				left[first[e]] = math.MaxInt32
			}
		}
	}
	return left
}
