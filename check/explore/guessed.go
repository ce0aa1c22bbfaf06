package explore

import (
	"math"

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
	sure := p.surelyEnding()
	doomed := p.Doomed()
	named := map[*ir.State]bool{}
	var out []*ir.State
	for c := int32(1); int(c) < p.Len(); c++ {
		if s := p.Leaf(c); !sure[c] && !doomed[c] && !named[s] && s.Kind == ir.Leaf {
			named[s] = true
			out = append(out, s)
		}
	}
	return out
}

// key is an input in a configuration.
type key struct{ config, input int32 }

// Certain reports whether edge e rests on no guess.
func (p *Product) Certain(e int32) bool { return !p.guesses[e] }

// surelyEnding marks the configurations that can finish under every value: the
// attractor of the terminals, where guesses of one input count together.
func (p *Product) surelyEnding() []bool {
	sure := make([]bool, p.Len())
	for c := int32(1); int(c) < p.Len(); c++ {
		sure[c] = p.Leaf(c).Kind == ir.Terminal
	}
	first := firstOfInput(&p.Graph, func(e int32) int32 { return p.Label(e).Input })
	left := p.guessesLeft(first)
	return attractor(&p.Graph, sure, func(e int32) bool {
		if p.IsCancel(e) {
			return false
		}
		if p.guesses[e] {
			left[first[e]]--
			return left[first[e]] <= 0
		}
		return true
	})
}

// guessesLeft counts, at the first edge of each input, its guesses: so many do
// not lead on yet. Of an input that some guess leaves to nobody there are always
// more.
func (p *Product) guessesLeft(first []int32) []int32 {
	left := make([]int32, len(p.To))
	for e, guess := range p.guesses {
		if guess {
			left[first[e]]++
		}
	}
	for _, k := range p.idle {
		for e := p.First[k.config]; e < p.First[k.config+1]; e++ {
			if p.Label(e).Input == k.input {
				left[first[e]] = math.MaxInt32
			}
		}
	}
	return left
}
