package step

import (
	"iter"
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// An event of twelve fields, which a chain of arms compares with constants, comes in millions of
// ways. Where guards alone read the fields, all that follows from them is which arm is taken.
// So of a step that has many runs the solver of guards is asked for each arm: which values of the fields, with the data
// of the configuration, lead to it? One run with those values is all of them.

// byArm is what that needs of an input.
type byArm struct {
	asks   int          // questions about it; 0 where it cannot be asked
	fields []*data.Node // of the event, that its guards read
	also   []alsoRead   // those of them that something else reads, too
	held   []*data.Node // what else they read
	arms   []guardedArm
}

// guardedArm is one of an input with its guard.
type guardedArm struct {
	guard.Guard
	bound *ChoiceCode // the arm, if it has one; else nil
}

// alsoRead is a field of an event with a place where a guard reads it.
type alsoRead struct {
	n   *data.Node
	ref *ir.FieldRef
}

// mostWays is in how many ways the fields may come that something else reads, too: each is asked about.
const mostWays = 256

// byArm is that of in; it cannot be asked where more than the guards reads a field, or a guard is not solved; see isSolved.
func (s *Step) byArm(in *InputCode) *byArm {
	if in.byArm != nil {
		return in.byArm
	}
	b := &byArm{}
	in.byArm = b
	if in.Event == nil || s.BringsOneByOne(in) {
		return b
	}
	var elsewhere []*data.Node
	bounds := 0
	refs := map[*data.Node]*ir.FieldRef{}
	for i, c := range in.Choices {
		if c.Arm == nil {
			b.arms = append(b.arms, guardedArm{Guard: guard.Read(nil, nil)})
			if c.Defer {
				elsewhere = append(elsewhere, s.Program.kept[in.Event.Index].fields...)
			}
			continue
		}
		if c.bounded && s.guessesBound(&c) || c.code.when != nil && !c.code.solved {
			return b
		}
		arm := guardedArm{Guard: guard.Read(c.Arm.When, &in.Case)}
		if c.bounded {
			arm.bound = &in.Choices[i]
			bounds++
		}
		b.arms = append(b.arms, arm)
		for whole := range c.Arm.Exprs() {
			ir.Walk(whole, func(e ir.Expr) bool {
				if ir.Value(e) != nil {
					return false
				}
				for _, n := range s.Program.Tracked.Refs(e, c.Arm) {
					switch {
					case n.Var == nil && n.Event != in.Event:
					case whole != c.Arm.When:
						elsewhere = append(elsewhere, n)
					case n.Var == nil && refs[n] == nil:
						b.fields = append(b.fields, n)
						refs[n], _ = e.(*ir.FieldRef)
					case n.Var != nil && !slices.Contains(b.held, n):
						b.held = append(b.held, n)
					}
				}
				return true
			})
		}
	}
	ways := 1
	for _, n := range b.fields {
		if slices.Contains(elsewhere, n) && ways <= mostWays {
			b.also = append(b.also, alsoRead{n, refs[n]})
			ways *= len(s.ways(n))
		}
	}
	if len(b.also) < len(b.fields) && ways <= mostWays && !slices.ContainsFunc(b.fields, func(n *data.Node) bool { return n.Do != nil }) &&
		!slices.ContainsFunc(b.held, func(n *data.Node) bool { return n.Slot == nil || !n.Valued() }) {
		b.asks = ways * (len(b.arms) + 1 + bounds)
	}
	return b
}

// ways are the codes with which n comes, if a guard can say each of them; else none.
func (s *Step) ways(n *data.Node) (codes []int64) {
	if k := n.Type.Kind; k != ir.Bool && k != ir.EnumKind && k != ir.Int {
		return nil
	}
	return n.FewCodes(mostWays)
}

// Questions is how many questions Pins asks about the input at hand; 0 where it cannot answer, or has.
func (s *Step) Questions() int {
	if s.In == nil || s.pinned != nil || s.keeps() {
		return 0
	}
	return s.byArm(s.In).asks
}

// Pins are values of the fields of the event at hand for each arm that can be taken here, by
// data.Node.Index; false where not all is known of the arms.
func (s *Step) Pins() (pins [][]int64, ok bool) {
	b := s.byArm(s.In)
	before := make([]guard.Formula, 0, len(b.held)+len(b.arms))
	for _, n := range b.held {
		s.Foot.reads(n)
		before = append(before, n.Fact(s.Here, false))
	}
	for codes := range s.eachWay(b.also, make([]int64, len(s.have))) {
		known := slices.Clip(before)
		for _, x := range b.also {
			lo, hi := x.n.Alike(codes[x.n.Index])
			known = append(known, data.Between(x.ref, lo, hi, &s.In.Case))
		}
		for _, all := range s.arms(b, known) {
			switch a := guard.Satisfy(all...); a.Verdict {
			case guard.Sat:
				pins = append(pins, s.pin(b, codes, a.Model.Values()))
			case guard.Undecided:
				b.asks = 0
				return nil, false
			}
		}
	}
	return pins, true
}

// arms are what holds where each arm is taken, and where none is: of that there is one for each arm whose bound
// is used up, if it is the last whose guard holds, since a bound without an `else` is then the fault.
func (s *Step) arms(b *byArm, known []guard.Formula) (all [][]guard.Formula) {
	var spent []guard.Guard
	for _, arm := range b.arms {
		if arm.bound != nil && arm.bound.spent(s.Here) {
			spent = append(spent, arm.Guard)
			continue
		}
		all = append(all, append(slices.Clone(known), arm.Holds))
		known = append(slices.Clip(known), arm.Fails)
	}
	for i := len(spent) - 1; i >= 0; i-- {
		all = append(all, append(slices.Clone(known), spent[i].Holds))
		known = append(slices.Clip(known), spent[i].Fails)
	}
	return append(all, known)
}

// eachWay goes through all ways in which list comes; codes are by data.Node.Index.
func (s *Step) eachWay(list []alsoRead, codes []int64) iter.Seq[[]int64] {
	return func(yield func([]int64) bool) {
		if len(list) == 0 {
			yield(codes)
			return
		}
		for _, code := range s.ways(list[0].n) {
			codes[list[0].n.Index] = code
			for way := range s.eachWay(list[1:], codes) {
				if !yield(way) {
					return
				}
			}
		}
	}
}

// pin are the codes of the fields of b with the values given, but of those that are known; what is not
// among them may be anything.
func (s *Step) pin(b *byArm, known []int64, values map[string]any) []int64 {
	codes := slices.Clone(known)
	for _, n := range b.fields {
		if slices.ContainsFunc(b.also, func(x alsoRead) bool { return x.n == n }) {
			continue
		}
		code, _ := n.Codes()
		if n.Domain.Sort == data.ByRegion {
			code = n.Domain.Filled(code, code+1)[0]
		}
		if v, said := values["event."+n.Field.Name]; said {
			code = n.CodeOf(v)
		}
		codes[n.Index] = code
	}
	return codes
}

// Pin has the fields of the event at hand that guards read come with codes; nil for any.
func (s *Step) Pin(codes []int64) { s.pinned = codes }

// isSolved reports whether the solver of guards and the steps mean the same by e, a guard of a: it
// is made of booleans, comparisons with constants, and comparisons of numbers that are all told apart.
func (c *compiler) isSolved(e ir.Expr, a *ir.Arm) bool {
	switch x := e.(type) {
	case *ir.Unary:
		return x.Op == ir.OpNot && c.isSolved(x.X, a)
	case *ir.Binary:
		if x.Op == ir.OpAnd || x.Op == ir.OpOr {
			return c.isSolved(x.X, a) && c.isSolved(x.Y, a)
		}
		if c.isPlain(x, a, anyNode) {
			return true
		}
		return x.T.Kind == ir.Bool && !c.isFree(x, a) && c.isExact(x.X, a) && c.isExact(x.Y, a)
	}
	return c.isPlain(e, a, anyNode)
}

// isExact reports whether e is a sum of constants, and of numbers whose codes are their values.
func (c *compiler) isExact(e ir.Expr, a *ir.Arm) bool {
	if ir.Value(e) != nil {
		return true
	}
	if x, is := e.(*ir.Binary); is && (x.Op == ir.OpAdd || x.Op == ir.OpSub) {
		return c.isExact(x.X, a) && c.isExact(x.Y, a)
	}
	nodes := c.present(e, a)
	return len(nodes) > 0 && !slices.ContainsFunc(nodes, func(n *data.Node) bool { return n.Domain.Sort != data.ByValue || n.Few() })
}
