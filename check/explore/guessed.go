package explore

import "github.com/fsmc-dev/fsmc/lang/ir"

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
// attractor of the terminals, backwards, where guesses of one input count
// together.
func (p *Product) surelyEnding() []bool {
	sure := make([]bool, p.Len())
	left := map[key]int{} // guesses of an input that do not lead on yet
	for e := range p.guesses {
		left[p.keyOf(e)]++
	}
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
				k := p.keyOf(e)
				left[k]--
				if left[k] > 0 || p.idle[k] {
					continue
				}
			}
			sure[from] = true
			work = append(work, from)
		}
	}
	return sure
}

func (p *Product) keyOf(e int32) key { return key{p.source(e), p.Label(e).Input} }
