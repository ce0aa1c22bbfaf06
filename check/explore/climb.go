package explore

import (
	"iter"
	"slices"
	"sync"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Of a sum with too many values to be told apart, the first step that adds to it may leave its range as
// far as anybody knows, and no values make that a run. A run that does leave it adds again and again. It is
// looked for along a longest path, or round a cycle, with the payloads that add most; and
// since guards may end that before, also with those that first reach what the sum is compared with.

// Adding is a product in which a sum is not held: its paths say how much is added.
type Adding struct {
	*Product
	sum *data.Sum
	fit func() bool
}

// TryAdding explores t without v, whatever guards say of it. It is nil where v is no sum, and where there are more
// than limit configurations.
func TryAdding(t *flat.Table, v *ir.Var, limit int) *Adding {
	s := data.SumOf(t.Machine, v)
	if s == nil {
		return nil
	}
	p := tryAdding(t, []*data.Sum{s}, true, limit)
	if p == nil {
		return nil
	}
	return &Adding{p, s, sync.OnceValue(func() bool { return p.fits(s) })}
}

// Fits reports whether the sum surely stays in its range.
func (a *Adding) Fits() bool { return a.fit() }

// Climbs are paths on which assign leaves the range of the sum, and which may be runs: each has at most so many steps.
func (a *Adding) Climbs(assign *ir.Assign, most int) iter.Seq[*witness.Witness] {
	return func(yield func(*witness.Witness) bool) {
		for arm := range a.sum.Adds {
			if !slices.Contains(arm.Block.Assigns, assign) {
				continue
			}
			for _, sign := range []int64{1, -1} {
				c := a.climb(arm, sign, most)
				c.leaves = true
				if _, up := c.adds(arm); up > 0 && !c.each(yield) {
					return
				}
			}
		}
	}
}

// PathsTo are paths that end with a step of arm, behind which the sum stands at the end of its range or at what it is compared
// with, and which may be runs.
func (a *Adding) PathsTo(arm *ir.Arm, most int) iter.Seq[*witness.Witness] {
	return func(yield func(*witness.Witness) bool) {
		for _, sign := range []int64{1, -1} {
			if !a.climb(arm, sign, most).each(yield) {
				return
			}
		}
	}
}

// climb is the search for a run in which a sum leaves its range at one end, or comes so far that an arm is taken.
type climb struct {
	p      *Product
	sum    *data.Sum
	arm    *ir.Arm
	leaves bool  // the step of arm leaves the range; else it is to be taken
	sign   int64 // -1 where the lower end is meant: all amounts are turned round then
	most   int   // steps

	way   []int32
	lap   []int32           // that follows way, as often as it takes
	tails map[int32][]int32 // see tail
}

func (a *Adding) climb(arm *ir.Arm, sign int64, most int) *climb {
	return &climb{p: a.Product, sum: a.sum, arm: arm, sign: sign, most: most, tails: map[int32][]int32{}}
}

// each yields the runs for all targets, until it gives false.
func (c *climb) each(yield func(*witness.Witness) bool) bool {
	c.find()
	for _, target := range c.targets() {
		if w := c.run(target); w != nil && !yield(w) {
			return false
		}
	}
	return true
}

// adds is the least and the most that arm adds.
func (c *climb) adds(arm *ir.Arm) (least, most int64) {
	a := c.sum.Adds[arm]
	if c.sign < 0 {
		return -a.Hi, -a.Lo
	}
	return a.Lo, a.Hi
}

// end is the end of the range that is meant.
func (c *climb) end() int64 {
	r := c.sum.Var.Type.Limits()
	if c.sign < 0 {
		return -r.Lo
	}
	return r.Hi
}

// find looks for the path that adds most, and on which the arm may be taken.
func (c *climb) find() {
	p := c.p
	var last []int32 // where arm is taken
	for from, e := range p.Edges() {
		if c.takes(e) {
			last = append(last, from)
		}
	}
	leads := p.Reverse().Reach(last...)
	sets := func(e int32) bool { return c.sum.Sets[p.Arm(e)] }
	kept := p.keeping(func(e int32) bool { return leads[p.To[e]] && !sets(e) && !p.Label(e).Again })
	w := &Weigher{p: p, weights: make([]int64, len(p.labels))}
	for i, l := range p.labels {
		if l.Arm != graph.None && l.Input != graph.None {
			_, most := c.adds(p.Table.Machine.Arms[l.Arm])
			w.weights[i] = max(most, 0)
		}
	}
	if c.round(kept, w) {
		return
	}
	longest := kept.all(w)
	start, before := int32(0), []int32(nil)
	for from, e := range p.Edges() {
		if to := p.To[e]; sets(e) && leads[to] && from < int32(p.Len()) && longest.Length(to) > longest.Length(start) {
			start, before = to, append(p.PathTo(from), e)
		}
	}
	c.way = append(before, longest.Path(start)...)
}

// round looks for the step on a cycle that adds most, of the arm that is meant if it can be; false where there is
// none.
func (c *climb) round(kept *kept, w *Weigher) bool {
	p, best := c.p, int32(graph.None)
	var from int32
	better := func(a, b int32) bool {
		if b == graph.None || c.takes(a) != c.takes(b) {
			return b == graph.None || c.takes(a)
		}
		return w.Of(graph.None, a) > w.Of(graph.None, b)
	}
	for v, e := range p.Edges() {
		if kept.of[v] == kept.of[p.To[e]] && w.Of(v, e) > 0 && kept.keep(e) && better(e, best) {
			best, from = e, v
		}
	}
	if best == graph.None {
		return false
	}
	part := kept.of[from]
	inside := func(e int32) bool { return kept.of[p.To[e]] == part && kept.keep(e) }
	first := from
	if from >= int32(p.Len()) { // a junction: configurations have lower numbers
		first = int32(slices.Index(kept.of, part))
		c.lap = p.ShortestPath(first, inside, func(v int32) bool { return v == from })
	}
	c.way, c.lap = p.PathTo(first), p.Round(first, append(c.lap, best), inside)
	return true
}

// targets are the amounts at which a run may have to stand before it leaves the range: the end
// of it, and what comparisons of the sum leave room for.
func (c *climb) targets() []int64 {
	out := []int64{c.end()}
	for e := range ir.Parts(c.p.Table.Machine.Exprs()) {
		b, ok := e.(*ir.Binary)
		if !ok || b.T.Kind != ir.Bool || !slices.Contains(ir.Vars(b), c.sum.Var) {
			continue
		}
		for _, side := range []ir.Expr{b.X, b.Y} {
			if ref, is := side.(*ir.VarRef); !is || ref.Var != c.sum.Var { // the side with which it is compared
				n := c.sign * data.Nearest(side, c.sign*c.end())
				out = append(out, n-1, n, n+1)
			}
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	slices.Reverse(out)
	return slices.DeleteFunc(out, func(n int64) bool { return n > c.end() })
}

// run is the run that adds most until the sum stands at target, and from there leaves the range or takes the arm; nil where
// there is none.
func (c *climb) run(target int64) *witness.Witness {
	p, n := c.p, c.sign*c.sum.Most
	if c.sum.Var.Default != nil {
		n = c.sign * c.sum.Var.Default.Int
	}
	given := map[int]map[string]any{} // payloads by place in the path
	var path []int32
	at, config := int32(0), int32(0)
	before := n - 1 // the lap
	_, last := c.adds(c.arm)
	for len(path) < c.most {
		if at < int32(p.Len()) {
			config = at
		}
		if c.leaves && n+last > c.end() || !c.leaves && n >= target {
			tail := c.tail(at)
			switch {
			case tail == nil:
			case c.leaves:
				given[len(path)+len(tail)-1], _ = c.gives(c.arm, last)
				return c.into(append(path, tail...), config, given)
			default:
				return c.into(append(path, tail...), p.To[tail[len(tail)-1]], given)
			}
		}
		e := int32(graph.None)
		switch i := len(path) - len(c.way); {
		case i < 0:
			e = c.way[len(path)]
		case len(c.lap) == 0, i%len(c.lap) == 0 && n == before:
			return nil
		default:
			if e = c.lap[i%len(c.lap)]; i%len(c.lap) == 0 {
				before = n
			}
		}
		arm := p.Arm(e)
		if _, adds := c.sum.Adds[arm]; adds {
			least, most := c.adds(arm)
			data, gives := c.gives(arm, max(least, min(most, target-n)))
			if given[len(path)] = data; gives > c.end()-n {
				return nil
			}
			n += gives
		} else if c.sum.Sets[arm] {
			n = c.set(arm, n)
		}
		path, at = append(path, e), p.To[e]
	}
	return nil
}

// tail are the edges by which the arm is taken from vertex at on: the last one takes it, and those before it add nothing. They
// lead elsewhere only if the arm is not to leave the range. It is nil where there are none.
func (c *climb) tail(at int32) []int32 {
	if _, known := c.tails[at]; !known {
		c.tails[at] = c.tailFrom(at)
	}
	return c.tails[at]
}

// tailFrom is tail, and looks for it.
func (c *climb) tailFrom(at int32) []int32 {
	if e := c.taken(at); e != graph.None {
		return []int32{e}
	}
	idle := func(e int32) bool {
		if c.p.IsWithin(e) {
			return true
		}
		_, adds := c.sum.Adds[c.p.Arm(e)]
		return !c.leaves && !adds && !c.p.Label(e).Again && !c.sum.Sets[c.p.Arm(e)]
	}
	path := c.p.ShortestPath(at, idle, func(v int32) bool { return c.taken(v) != graph.None })
	if path == nil {
		return nil
	}
	return append(path, c.taken(c.p.To[path[len(path)-1]]))
}

// taken is the edge by which the arm is taken at vertex at; None where there is none.
func (c *climb) taken(at int32) int32 {
	for e := c.p.First[at]; e < c.p.First[at+1]; e++ {
		if c.takes(e) {
			return e
		}
	}
	return graph.None
}

// takes reports whether the arm is taken along e, with a payload of its own.
func (c *climb) takes(e int32) bool { return c.p.Arm(e) == c.arm && !c.p.Label(e).Again }

// into is the run along path, which ends in config: that is where it was, if its last step cannot be computed.
func (c *climb) into(path []int32, config int32, given map[int]map[string]any) *witness.Witness {
	r := c.p.recorder(false)
	r.given = given
	r.take(path, -1)
	r.at = config
	w, _ := r.finish()
	return w
}

// set is what arm sets the sum to, where that is a constant, and else n.
func (c *climb) set(arm *ir.Arm, n int64) int64 {
	for _, a := range arm.Block.Assigns {
		if a.Var == c.sum.Var && a.Value != nil && ir.Value(a.Value) != nil {
			n = c.sign * ir.Value(a.Value).Int
		}
	}
	return n
}

// gives is the payload with which arm adds want, or what comes next to it, and what it adds.
func (c *climb) gives(arm *ir.Arm, want int64) (payload map[string]any, adds int64) {
	a := c.sum.Adds[arm]
	sign := c.sign
	if a.Less {
		sign = -sign
	}
	if c.sum.Var.Type.Kind == ir.List {
		return nil, 1 // an item
	}
	payload = map[string]any{}
	return payload, sign * solve(a.By, sign*want, payload)
}

// solve puts into payload what lets e be want, or as near to it as its parts can be made so one by one, and is what e is
// then. Of what it does not know how to steer it takes it that it is as wanted.
func solve(e ir.Expr, want int64, payload map[string]any) int64 {
	if v := ir.Value(e); v != nil {
		return v.Int
	}
	r := e.Type().Range
	switch e := e.(type) {
	case *ir.FieldRef:
		if r != nil {
			want = max(r.Lo, min(r.Hi, want))
		}
		payload[e.Name] = (&ir.Const{Kind: e.T.Kind, Int: want}).JSONValue()
	case *ir.Binary:
		x, y := e.X, e.Y
		switch by := ir.Value(y); {
		case e.Op == ir.OpAdd:
			rest := solve(x, want-data.Nearest(y, 0), payload)
			return rest + solve(y, want-rest, payload)
		case e.Op == ir.OpSub:
			rest := solve(x, want+data.Nearest(y, 0), payload)
			return rest - solve(y, rest-want, payload)
		case e.Op == ir.OpMul && by != nil && by.Int != 0:
			return by.Int * solve(x, want/by.Int, payload)
		}
	}
	return want
}
