package step

import (
	"math/bits"
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Of a long chain of arms, or of many handlers of one input, most are false for one of two
// reasons. They compare a field of the event with another constant: which do not is looked up by
// the field's code. Or they are false in the configuration whatever comes: that is noted in the
// first run of a step, and holds in all of them. Asked one by one, n arms would be asked for each
// of n choices, in each configuration. An arm whose guard chose something must be asked in each run:
// else the runs of a step would not make the same choices.

// head is a comparison of a field of the event with a constant without which an arm does not hold.
type head struct {
	fields []*data.Node // the field, of each event that the arm handles
	holds  test         // reads the field alone; nil where there is no head
}

// head is that of a. What stands before it in the guard is not asked where it is false, so
// that must be something that can always be computed, and is no guess.
func (c *compiler) head(a *ir.Arm) head {
	for e := range ir.Conjuncts(a.When) {
		if nodes := c.compared(e, a); nodes != nil && nodes[0].Var == nil {
			return head{nodes, c.test(e, a)}
		}
		if !c.isPlain(e, a, anyNode) {
			break
		}
	}
	return head{}
}

// steady is what of a's guard depends on the configuration alone; nil for nothing. It is asked first,
// so that nothing of the event is chosen if it is false. So what stands before it in the guard must be
// something that can always be computed.
func (c *compiler) steady(a *ir.Arm) test {
	var all test
	for e := range ir.Conjuncts(a.When) {
		if !c.isPlain(e, a, anyNode) {
			break
		}
		if !c.isPlain(e, a, func(n *data.Node) bool { return n.Var != nil }) {
			continue
		}
		one, others := c.test(e, a), all
		all = one
		if others != nil {
			all = func(s *Step) bool { return others(s) && one(s) }
		}
	}
	return all
}

// compared is what e compares with a constant, if it is never absent; nil for what is anything else.
func (c *compiler) compared(e ir.Expr, a *ir.Arm) []*data.Node {
	cmp, ok := e.(*ir.Binary)
	if !ok || cmp.T.Kind != ir.Bool || cmp.Op == ir.OpAnd || cmp.Op == ir.OpOr || c.isFree(cmp, a) {
		return nil
	}
	side, _, lit := ir.ConstantSide(cmp)
	if lit == nil {
		return nil
	}
	return c.present(side, a)
}

// isPlain reports whether e is made of booleans and comparisons with constants, of what is never
// absent and fits.
func (c *compiler) isPlain(e ir.Expr, a *ir.Arm, fits func(*data.Node) bool) bool {
	var nodes []*data.Node
	switch x := e.(type) {
	case *ir.Unary:
		return x.Op == ir.OpNot && c.isPlain(x.X, a, fits)
	case *ir.Binary:
		if x.Op == ir.OpAnd || x.Op == ir.OpOr {
			return c.isPlain(x.X, a, fits) && c.isPlain(x.Y, a, fits)
		}
		nodes = c.compared(x, a)
	default:
		if c.t.Known(e, a) {
			nodes = c.present(e, a)
		}
	}
	return nodes != nil && fits(nodes[0])
}

func anyNode(*data.Node) bool { return true }

// present is what e, a field, stands for; nil where that may be absent.
func (c *compiler) present(e ir.Expr, a *ir.Arm) []*data.Node {
	nodes := c.t.Refs(e, a)
	if slices.ContainsFunc(nodes, func(n *data.Node) bool { return n.Sent != nil || n.Var != nil && n.Var.MayBeUnset() }) {
		return nil
	}
	return nodes
}

// chain is the choices of an input that has many.
type chain struct {
	field *data.Node          // over which many have a head; nil for none
	open  map[int64]choiceSet // by the code of the field, as far as it is kept: the choices that have no head that is false
}

// maxOpen is how many words the chains of a machine may take.
const maxOpen = 1 << 22

// chainOf is that of in, nil where it has one choice. Two would be asked as fast without: so small
// machines, of which oracles know everything, try it, too.
func chainOf(in *InputCode) *chain {
	if len(in.Choices) < 2 {
		return nil
	}
	heads := map[*data.Node]int{}
	var most *data.Node
	for i := range in.Choices {
		n := in.Choices[i].headField(in.Event)
		if n == nil {
			continue
		}
		if heads[n]++; most == nil || heads[n] > heads[most] {
			most = n
		}
	}
	return &chain{field: most, open: map[int64]choiceSet{}}
}

// headField is the field of event that c's head compares; nil for none.
func (c *ChoiceCode) headField(event *ir.Event) *data.Node {
	if event == nil || c.code == nil {
		return nil
	}
	for _, n := range c.code.head.fields {
		if n.Event == event {
			return n
		}
	}
	return nil
}

// quiet are the choices of an input that are false in the configuration of the step, whatever
// comes with the input.
type quiet struct {
	in     *InputCode // nil where that is not noted
	arms   choiceSet
	looked int // how often something that is chosen was read
}

// begin begins a decision about in. What is false in one run of a step is so in all of them if
// nothing was chosen before.
func (q *quiet) begin(in *InputCode, o *Oracle) {
	switch {
	case in.chain == nil || o.asked > 0:
		q.in = nil
	case o.runs == 0:
		q.in = in
		q.arms = append(q.arms[:0], make(choiceSet, wordsFor(len(in.Choices)))...)
	}
}

// nextOpen is the first choice of in from i on that may hold, as far as is known; their number
// where there is none.
func (s *Step) nextOpen(in *InputCode, i int) int {
	n := len(in.Choices)
	if in.chain == nil {
		return i
	}
	open := s.openChoices(in)
	for w := i / 64; w < wordsFor(n); w++ {
		word := ^uint64(0)
		if w == i/64 {
			word <<= i % 64
		}
		if open != nil {
			word &= open[w]
		}
		if s.quiet.in == in {
			word &^= s.quiet.arms[w]
		}
		if word != 0 {
			return min(n, w*64+bits.TrailingZeros64(word))
		}
	}
	return n
}

// openChoices are the choices of in that have no head that is false, if the field of its chain
// is chosen; else nil.
func (s *Step) openChoices(in *InputCode) choiceSet {
	c := in.chain
	if c.field == nil || !s.have[c.field.Index] {
		return nil
	}
	code := s.payloads[c.field.Index]
	open, known := c.open[code]
	if known {
		return open
	}
	open = make(choiceSet, wordsFor(len(in.Choices)))
	if s.Program.chained > maxOpen {
		s.Program.chained -= len(c.open) * len(open)
		clear(c.open)
	}
	c.open[code] = open
	s.Program.chained += len(open)
	for i := range in.Choices {
		if x := &in.Choices[i]; x.headField(in.Event) != c.field || x.code.head.holds(s) {
			open.set(i)
		}
	}
	return open
}

type choiceSet []uint64

func (b choiceSet) set(i int) { b[i/64] |= 1 << (i % 64) }

func wordsFor(n int) int { return (n + 63) / 64 }
