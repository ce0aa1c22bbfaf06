package explore

import (
	"math/rand/v2"
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/explore/step"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Past the limit much can be shown all the same, for one run is enough that enters a state, or
// meets a fault. Short ones are gone through breadth first. For long ones there are walks at
// random, each of which likes some steps and hardly ever takes others: so one has elements that
// nearly all fail, and another one hundreds that do not. (Swarm testing: Groce et al., 2012.)

// Part is a part of the product, with up to about limit configurations that come first, and half
// as many more that walks find, as if the others led nowhere. A path of it is one of the product. It is
// nil of a machine that is broken. It is the same each time.
func Part(t *flat.Table, limit int) *Product {
	held := data.New(t.Machine)
	held.Stays = true
	held.FewOpen = true // or a machine with long lists would hardly begin
	clocks, tooMany := step.NewClocks(t, held, step.EveryTimer)
	x := searchOf(t, limit, held, clocks)
	if x == nil {
		return nil
	}
	x.paced = !tooMany
	if x.partial = !x.goThrough(limit); x.partial {
		w := newWalker(x)
		x.most, x.work = 4*x.most, 0
		w.wander(limit / 2)
		w.arrange()
	}
	edges := int32(len(x.To))
	x.numberJunctions()
	for _, path := range x.walked {
		for i, e := range path {
			if e < graph.None {
				path[i] = edges + coded(e)
			}
		}
	}
	return x.Product
}

// weighEach is how many edges all walks together look at for each configuration of the limit: about a
// second where that is the usual one.
const weighEach = 600

// likings are how much walks like what they meet.
var likings = []float64{1, 1, 0.1, 0.001}

// walker goes on in an exploration in any order.
type walker struct {
	*search
	rand    *rand.Rand
	end     []int32           // by configuration: behind the last of its edges; None where it is not explored
	likes   map[trait]float64 // of the walk at hand
	known   []liked           // the same by label, as far as it is known
	sizes   [][4]float64      // the same by do, of lists: none, one or two, more, or all the elements that there may be
	lists   lists             // of the walk at hand
	ways    map[int32]float64 // by input: how many edges the configuration at hand has for it
	each    []float64         // how much it likes each of those
	path    []int32           // of the walk at hand
	weighed int               // edges that were looked at to choose among them
	values  values            // which it takes of those that inputs bring
	alike   bool              // the walk at hand likes the results of all activities equally, and so their failures
}

// liked is how much a walk likes a label.
type liked struct {
	each float64 // 0 where it is not known
	few  float64 // how much less, where many elements were open and few are left
}

// values says which of the values that an input brings a walk takes: edges are in their order.
type values uint8

const (
	leastValues values = iota
	mostValues
	anyValues
)

// trait is something that steps have in common: what it is of, and what it says.
type trait struct {
	do, input int32
	kind      ir.CaseKind
	few       bool // few elements are left
}

func newWalker(x *search) *walker {
	x.walked = map[any][]int32{}
	w := &walker{search: x, rand: rand.New(rand.NewPCG(1, 2)), likes: map[trait]float64{}, ways: map[int32]float64{}, lists: newLists(x.Product), sizes: make([][4]float64, len(x.Table.Machine.Dos))}
	w.end = append(slices.Clone(x.First[1:]), int32(len(x.To)))
	n := min(len(w.end), x.store.count) // there is one more if the last has been explored, and the steps were too many
	w.end, x.First = w.end[:n], x.First[:n]
	return w
}

// longest is how many steps a walk has at most: more than all elements of all fan-outs take.
func (w *walker) longest() int {
	most := 200
	for _, d := range w.Table.Machine.Dos {
		if d.Fan != nil {
			most += 4 * int(min(d.Fan.Most, 10_000))
		}
	}
	return most
}

// wander walks until limit more configurations are explored, or that many walks bring no more. Of
// a machine with many timers the zones are most of the work, and each walk makes new ones.
func (w *walker) wander(limit int) {
	longest, left, edges := w.longest(), limit, len(w.To)+16*edgesEach*limit
	for steps := 0; left > 0 && steps < 8*limit; {
		clear(w.likes)
		clear(w.known)
		clear(w.sizes)
		w.path, w.alike, w.values = w.path[:0], !w.alike, min(values(w.rand.IntN(4)), anyValues)
		for at, n := int32(0), 0; n < longest && left > 0; n++ {
			if w.Stop.Poll(); w.work > 2*maxWork || w.Tries > w.most || w.weighed > weighEach*limit || len(w.To) > edges || len(w.store.words) > maxStored {
				return
			}
			steps++
			w.way = w.path
			if w.explore(at) {
				left--
			}
			if at = w.choose(at); at == graph.None {
				break
			}
		}
	}
}

// explore adds the edges of configuration c, and reports whether it had not been explored.
func (w *walker) explore(c int32) bool {
	w.grow()
	if w.end[c] != graph.None {
		return false
	}
	w.First[c] = int32(len(w.To))
	w.expand(c)
	w.settle()
	w.grow()
	w.end[c] = int32(len(w.To))
	return true
}

// grow makes room for configurations that are new.
func (w *walker) grow() {
	for len(w.end) < w.store.count {
		w.end, w.First = append(w.end, graph.None), append(w.First, graph.None)
	}
}

// choose is where a step from c leads that the walk likes, or None.
func (w *walker) choose(c int32) int32 {
	first, end := w.First[c], w.end[c]
	w.weighed += int(end - first)
	clear(w.ways)
	for e := first; e < end; e++ {
		w.ways[w.labels[w.labelAt[e]].Input]++
	}
	all := 0.0
	w.each = w.each[:0]
	for e := first; e < end; e++ {
		w.each = append(w.each, w.like(c, e))
		all += w.each[e-first]
	}
	if all == 0 {
		return graph.None
	}
	at, chosen := w.rand.Float64()*all, graph.None
	for e := first; e < end && at >= 0; e++ {
		if like := w.each[e-first]; like > 0 {
			at, chosen = at-like, e
		}
	}
	if w.values != anyValues {
		for e := first; e < end; e++ {
			if w.labelAt[e] == w.labelAt[chosen] && w.each[e-first] > 0 {
				if chosen = e; w.values == leastValues {
					break
				}
			}
		}
	}
	w.lists.note(chosen)
	w.path = append(w.path, chosen)
	if to := w.To[chosen]; to >= 0 {
		w.keep(w.labels[w.labelAt[chosen]])
		return to
	}
	j, begin := coded(w.To[chosen]), int32(0)
	if j > 0 {
		begin = w.junctions.behind[j-1]
	}
	last := begin + w.rand.Int32N(w.junctions.behind[j]-begin)
	switch w.values {
	case leastValues:
		last = begin
	case mostValues:
		last = w.junctions.behind[j] - 1
	}
	w.path = append(w.path, coded(last))
	w.keep(w.labels[w.junctions.labels[last]])
	return w.junctions.to[last]
}

// keep keeps the walk at hand, whose last step is l, if it is the shortest with such a step. Configurations do
// not say how long lists are, so that the shortest path to one may be of lists that do not go together.
func (w *walker) keep(l Label) {
	shorter := func(to any) {
		if known, ok := w.walked[to]; !ok || len(w.path) < len(known) {
			w.walked[to] = slices.Clone(w.path)
		}
	}
	m := w.Table.Machine
	if l.Arm != graph.None {
		shorter(m.Arms[l.Arm])
	}
	if l.Kind == Started || l.Kind == Moved {
		shorter(m.States[l.Into])
	}
}

// like is how much the walk likes edge e of configuration c; 0 where its list has not so many elements,
// or has more.
func (w *walker) like(c, e int32) float64 {
	label := w.labelAt[e]
	for int(label) >= len(w.known) {
		w.known = append(w.known, liked{})
	}
	l, k := w.labels[label], &w.known[label]
	if k.each == 0 {
		w.ask(l, k)
	}
	d, more, fit := w.lists.after(e)
	if !fit {
		return 0
	}
	each := k.each / w.ways[l.Input] // an event that brings a thousand values is no likelier than one that brings none
	if d != nil && !more {
		if _, before := w.openOf(d, c); before {
			return each * k.few
		}
	}
	return each
}

// ask finds out how much the walk likes l: how its activity ends, and how long lists are, counts for
// something of its own.
func (w *walker) ask(l Label, k *liked) {
	k.each, k.few = 1, 1
	if l.Kind == Started || l.Kind == Moved {
		for _, b := range w.begun[l.Begun] {
			d := w.Table.Machine.States[l.Into].Dos[b.Place]
			size, like := 2, 1/float64(max(1, min(d.Fan.Most, data.MaxHeldElements)-3)) // one of so many sizes
			switch {
			case b.Most == 0:
				size, like = 0, 1
			case b.Most > b.Least || b.Most == d.Fan.Most:
				size, like = 3, 1
			case b.Most <= 2:
				size, like = 1, 0.5
			}
			k.each *= like * w.likeOfSize(d, size)
		}
	}
	if l.Input == graph.None {
		k.each *= w.likeOf(trait{do: l.Do, input: graph.None})
		return
	}
	in := w.Table.Case(l.Input)
	if in.Do == nil {
		k.each *= w.likeOf(trait{do: graph.None, input: l.Input})
		return
	}
	of := trait{do: int32(in.Do.ID), input: graph.None, kind: in.Kind}
	k.few = w.likeOf(trait{do: of.do, input: graph.None, few: true})
	if w.alike {
		of.do = graph.None
		k.each *= w.likeOf(of)
		return
	}
	k.each *= w.likeOf(of)
	of.input = l.Input
	k.each *= w.likeOf(of)
}

// likeOfSize is how much the walk likes lists of a size for d.
func (w *walker) likeOfSize(d *ir.Do, size int) float64 {
	like := &w.sizes[d.ID][size]
	if *like == 0 {
		*like = likings[w.rand.IntN(len(likings))]
	}
	return *like
}

// likeOf is how much the walk likes steps with a trait.
func (w *walker) likeOf(t trait) float64 {
	like, known := w.likes[t]
	if !known {
		like = likings[w.rand.IntN(len(likings))]
		if t.few {
			like *= 0.01 // else elements would hardly ever be many
		}
		w.likes[t] = like
	}
	return like
}

// arrange puts the edges in the order of the configurations that they leave. They were added in the
// order in which those were explored.
func (w *walker) arrange() {
	w.grow()
	moved := make([]int32, len(w.To))
	to, labelAt, of := make([]int32, 0, len(w.To)), make([]int32, 0, len(w.To)), make([]rests, 0, len(w.To))
	for c, end := range w.end {
		first := w.First[c]
		w.First[c] = int32(len(to))
		if end == graph.None {
			continue
		}
		for e := first; e < end; e++ {
			moved[e] = int32(len(to))
			to, labelAt, of = append(to, w.To[e]), append(labelAt, w.labelAt[e]), append(of, w.rests[e])
		}
	}
	w.To, w.labelAt, w.rests = to, labelAt, of
	w.First = append(w.First, int32(len(to)))
	lists := [][]int32{w.came, w.junctions.came}
	for _, path := range w.walked {
		lists = append(lists, path)
	}
	for _, came := range lists {
		for i, e := range came {
			if e >= 0 {
				came[i] = moved[e]
			}
		}
	}
}

// mostPaths is how many of the paths are told that a part of the product has for one question: some
// are no runs.
const mostPaths = 8

// Into are the shortest paths into state or a leaf within it.
func (p *Product) Into(state *ir.State) [][]int32 {
	paths := p.shortest(func(_, to int32) bool { leaf := p.Leaf(to); return leaf != nil && leaf.Inside(state) })
	for _, s := range p.Table.Machine.States {
		if path := p.walked[s]; path != nil && s.Inside(state) {
			paths = append(paths, path)
		}
	}
	return paths
}

// Along are the shortest paths that end with an edge of a.
func (p *Product) Along(a *ir.Arm) [][]int32 {
	paths := p.shortest(func(e, _ int32) bool { return p.Label(e).Arm == int32(a.ID) })
	if path := p.walked[a]; path != nil {
		paths = append(paths, path)
	}
	return paths
}

// shortest are the shortest paths that end with an edge that ends accepts, one for each configuration
// from which there is one.
func (p *Product) shortest(ends func(e, to int32) bool) (paths [][]int32) {
	for c := range int32(p.Len()) {
		for e := p.First[c]; e < p.First[c+1]; e++ {
			if ends(e, p.To[e]) {
				if path := append(p.PathTo(c), e); p.fitsLists(path) {
					paths = append(paths, path)
				}
				break
			}
		}
		if len(paths) == 1024 {
			break
		}
	}
	slices.SortStableFunc(paths, func(a, b []int32) int { return len(a) - len(b) })
	return paths[:min(len(paths), mostPaths)]
}
