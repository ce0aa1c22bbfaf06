package step

import (
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
	ok     bool
	fields []*data.Node // of the event, that its guards read
	held   []*data.Node // what else they read
	guards []guard.Guard
}

// byArm is that of in; it is not ok where more than the guards reads a field, or a guard is not solved; see isSolved.
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
	for _, c := range in.Choices {
		if c.Arm == nil {
			b.guards = append(b.guards, guard.Read(nil, nil))
			continue
		}
		if c.bounded || c.code.when != nil && !c.code.solved {
			return b
		}
		b.guards = append(b.guards, guard.Read(c.Arm.When, &in.Case))
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
					case n.Var == nil && !slices.Contains(b.fields, n):
						b.fields = append(b.fields, n)
					case n.Var != nil && !slices.Contains(b.held, n):
						b.held = append(b.held, n)
					}
				}
				return true
			})
		}
	}
	b.ok = !slices.ContainsFunc(b.fields, func(n *data.Node) bool { return n.Do != nil || slices.Contains(elsewhere, n) }) &&
		!slices.ContainsFunc(b.held, func(n *data.Node) bool { return n.Slot == nil || !n.Valued() })
	return b
}

// Pins are values of the fields of the event at hand for each arm that can be taken here, by
// data.Node.Index; false where not all is known of the arms. It also says how many questions that took.
func (s *Step) Pins() (pins [][]int64, questions int, ok bool) {
	if s.In == nil || s.pinned != nil {
		return nil, 0, false
	}
	b := s.byArm(s.In)
	if !b.ok {
		return nil, 0, false
	}
	before := make([]guard.Formula, 0, len(b.held)+len(b.guards))
	for _, n := range b.held {
		s.Foot.reads(n)
		before = append(before, n.Fact(s.Here, false))
	}
	for i := range len(b.guards) + 1 {
		all := slices.Clip(before)
		if i < len(b.guards) {
			before = append(before, b.guards[i].Fails)
			all = append(all, b.guards[i].Holds)
		}
		questions++
		switch a := guard.Satisfy(all...); a.Verdict {
		case guard.Sat:
			pins = append(pins, s.pin(b.fields, a.Model.Values()))
		case guard.Undecided:
			b.ok = false
			return nil, questions, false
		}
	}
	return pins, questions, true
}

// pin are the codes of fields with the values given; what is not among them may be anything.
func (s *Step) pin(fields []*data.Node, values map[string]any) []int64 {
	codes := make([]int64, len(s.have))
	for _, n := range fields {
		code, _ := n.Between()
		if n.Domain.Sort == data.ByRegion {
			code, _ = n.Codes()
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
	any := func(*data.Node) bool { return true }
	switch x := e.(type) {
	case *ir.Unary:
		return x.Op == ir.OpNot && c.isSolved(x.X, a)
	case *ir.Binary:
		if x.Op == ir.OpAnd || x.Op == ir.OpOr {
			return c.isSolved(x.X, a) && c.isSolved(x.Y, a)
		}
		if c.isPlain(x, a, any) {
			return true
		}
		return x.T.Kind == ir.Bool && !c.isFree(x, a) && c.isExact(x.X, a) && c.isExact(x.Y, a)
	}
	return c.isPlain(e, a, any)
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
