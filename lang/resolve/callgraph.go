package resolve

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// called resolves the machines of imported files that others call, and looks at all calls:
// they form no cycle, and what calls a machine about which something is wrong is not known
// as a whole either.
func (u *unit) called(all []*resolver) {
	for i := 0; i < len(u.outside); i++ {
		u.outside[i].members()
	}
	g := &callGraph{index: map[*resolver]int{}, low: map[*resolver]int{}}
	for _, r := range slices.Concat(all, u.outside) {
		g.visit(r)
	}
}

// callGraph finds the strongly connected components of calls (Tarjan, "Depth-first search
// and linear graph algorithms", 1972), those that are called first.
type callGraph struct {
	index, low map[*resolver]int // index is from 1 on, and -1 once the component is known
	stack      []*resolver
}

func (g *callGraph) visit(r *resolver) {
	if g.index[r] != 0 {
		return
	}
	n := len(g.index) + 1
	g.index[r], g.low[r] = n, n
	g.stack = append(g.stack, r)
	for _, c := range r.inOrder() {
		g.visit(c.callee)
		if g.index[c.callee] > 0 {
			g.low[r] = min(g.low[r], g.low[c.callee])
		}
	}
	if g.low[r] != n {
		return
	}
	at := len(g.stack) - 1
	for g.stack[at] != r {
		at--
	}
	together := slices.Clone(g.stack[at:])
	g.stack = g.stack[:at]
	within := make(map[*resolver]bool, len(together))
	for _, r := range together {
		g.index[r] = -1
		within[r] = true
	}
	breakCycles(together, within)
	for _, r := range together {
		r.noteBroken()
		r.noteDepth()
	}
}

// maxCalls is how deep machines may call each other. A child has the id of its parent in its
// own, which has an end before that; and the figures of a tree are of all its machines.
const maxCalls = 64

// noteDepth notes how deep the machines are that r calls, and reports where they are too deep.
func (r *resolver) noteDepth() {
	for _, c := range r.inOrder() {
		r.depth = max(r.depth, c.callee.depth+1)
		if r.depth > maxCalls && !r.m.Broken {
			r.report("syntax", c.do.Span(), "machines call each other more than "+strconv.Itoa(maxCalls)+" deep",
				"Call fewer machines one below the other.")
		}
	}
}

// inOrder are the calls of r by name.
func (r *resolver) inOrder() []*call {
	var out []*call
	for _, name := range slices.Sorted(maps.Keys(r.calls)) {
		out = append(out, r.calls[name])
	}
	return out
}

// breakCycles reports machines of a component that call each other, at one call, and takes the calls
// between them out.
func breakCycles(together []*resolver, within map[*resolver]bool) {
	round := shortestRound(together[0], within)
	if round == nil {
		return
	}
	names := make([]string, len(round)+1)
	for i, c := range round {
		names[i+1] = c.callee.m.Name
	}
	names[0] = names[len(round)]
	first := together[0]
	message := "machine " + quote(first.m.Name) + " calls itself, and each run starts another one: " + strings.Join(names, " -> ")
	d := first.report(unboundedLoop, round[0].do.Span(), message, "Take one of these calls out: a loop stands in one machine, with a bound.")
	for _, c := range round[1:] {
		d.Related = append(d.Related, related(c.do.Span(), "machine "+quote(c.callee.m.Name)+" is called here"))
	}
	for _, r := range together {
		r.m.Broken = true
		for _, c := range r.calls {
			if within[c.callee] {
				c.activity.Machine, c.activity.Circular = nil, true
			}
		}
	}
}

// shortestRound is the shortest cycle of calls from first back to it, among the machines
// within one component; nil where there is none.
func shortestRound(first *resolver, within map[*resolver]bool) []*call {
	ways := map[*resolver][]*call{first: nil}
	for next := []*resolver{first}; len(next) > 0; next = next[1:] {
		for _, c := range next[0].inOrder() {
			way := append(slices.Clone(ways[next[0]]), c)
			if c.callee == first {
				return way
			}
			if _, met := ways[c.callee]; !met && within[c.callee] {
				ways[c.callee] = way
				next = append(next, c.callee)
			}
		}
	}
	return nil
}

// noteBroken notes that r calls what is not known as a whole. Of an imported file that is
// said at the import.
func (r *resolver) noteBroken() {
	for _, c := range r.inOrder() {
		m := c.callee.m
		if !m.Broken && !m.Incomplete {
			continue
		}
		r.m.Broken = true
		if c.by != nil {
			r.file.noteFaults(c.by.Span, c.callee.file, nil)
			r.file.out.Broken = true
		}
	}
}
