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

// Certain reports whether edge e rests on no guess.
func (p *Product) Certain(e int32) bool { return !p.guesses[e] }

// surelyEnding marks the configurations that can finish under every value: the
// attractor of the terminals, backwards (McNaughton, Infinite games played on
// finite graphs, 1993), where guesses of one input count together. It is linear
// in the edges.
func (p *Product) surelyEnding() []bool {
	sure := make([]bool, p.Len())
	first := p.firstOfInput()
	left := p.guessesLeft(first)
	back := newBackward(&p.Graph)
	var work []int32
	for c := int32(1); int(c) < p.Len(); c++ {
		if p.Leaf(c).Kind == ir.Terminal {
			sure[c] = true
			work = append(work, c)
		}
	}
	for len(work) > 0 {
		c := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range back.edges[back.First[c]:back.First[c+1]] {
			from := back.from[e]
			if sure[from] || p.IsCancel(e) {
				continue
			}
			if p.guesses[e] {
				left[first[e]]--
				if left[first[e]] > 0 {
					continue
				}
			}
			sure[from] = true
			work = append(work, from)
		}
	}
	return sure
}

// firstOfInput is for each edge the first one of its input in its configuration.
// Edges of one input stand side by side.
func (p *Product) firstOfInput() []int32 {
	first := make([]int32, len(p.To))
	for c := range int32(p.Len()) {
		for e := p.First[c]; e < p.First[c+1]; e++ {
			first[e] = e
			if e > p.First[c] && p.Label(e).Input == p.Label(e-1).Input {
				first[e] = first[e-1]
			}
		}
	}
	return first
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
