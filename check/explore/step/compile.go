package step

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Guards and effects are compiled once, to functions of the step at hand. What
// is not tracked is a free choice, the same for the same text as long as nothing
// in it is assigned; see atom.
type (
	test   func(*Step) bool
	number func(*Step) int64
)

// atom is a comparison or a call whose truth the environment chooses.
type atom struct {
	texts []string // as written: a host guard may be asked of a constant by name, too
	host  bool     // it is a host guard: the choice is real, not for want of knowing
	guard *ir.Guard
	told  []told // what the host guard is told; nil where that is not held
	peers []int  // the atoms that may tell the same guard the same
	vars  []*ir.Var
	wish  *wish // nil where nobody can bring a verdict about

	recalled *Recalled // nil where configurations do not hold its verdict
	judged   *judged   // nil where nothing that is held can decide it
}

// compiler compiles the expressions of one machine.
type compiler struct {
	t     *data.Tracked
	atoms []atom
	known map[string]int

	recalled []*Recalled

	guesses int               // how many tests are answered for want of knowing
	uses    map[*ir.Arm][]use // nil for what stands in no arm

	inRequire *ir.State // whose `require` is compiled
}

// free is a test that the environment answers, the same wherever key is the same.
// Negated tells `a >= b` from `a < b`.
func (c *compiler) free(key string, host, negated bool, e ir.Expr, arm *ir.Arm) test {
	id, ok := c.known[key]
	if !ok {
		id = len(c.atoms)
		c.known[key] = id
		a := atom{host: host, wish: c.wishOf(e, arm)}
		if host {
			call := e.(*ir.Call)
			a.guard, a.told = call.Guard, c.toldBy(call, arm)
		} else {
			a.judged = c.judge(e, negated)
		}
		if i := slices.IndexFunc(c.recalled, func(r *Recalled) bool { return r.key == key }); !host && i >= 0 {
			a.recalled = c.recalled[i]
		}
		ir.Walk(e, func(e ir.Expr) bool {
			if ref, ok := e.(*ir.VarRef); ok && ref.Var.Always() == nil {
				a.vars = append(a.vars, ref.Var)
			}
			return true
		})
		c.atoms = append(c.atoms, a)
	} else {
		if w := c.atoms[id].wish; w != nil {
			c.atoms[id].wish = w.and(c.wishOf(e, arm))
		}
		if host {
			c.atoms[id].addTold(c.toldBy(e.(*ir.Call), arm))
		}
	}
	if !host {
		c.guesses++
	}
	if text := ir.ExprText(e); host && !slices.Contains(c.atoms[id].texts, text) {
		c.atoms[id].texts = append(c.atoms[id].texts, text)
	}
	c.uses[arm] = append(c.uses[arm], use{id, e.Span().Start.Offset, c.inRequire})
	if read := c.touch(e, arm); read != nil {
		return func(s *Step) bool {
			read(s)
			return !s.Failed() && s.ask(id) != negated
		}
	}
	return func(s *Step) bool { return s.ask(id) != negated }
}

// test compiles a condition; nil is always true.
func (c *compiler) test(e ir.Expr, arm *ir.Arm) test {
	if e == nil {
		return nil
	}
	if c := ir.Value(e); c != nil {
		return always(c.Int != 0)
	}
	switch e := e.(type) {
	case *ir.VarRef, *ir.FieldRef:
		if !c.t.Known(e, arm) {
			break // it is not held
		}
		n := c.number(e, arm)
		return func(s *Step) bool { return n(s) != 0 }
	case *ir.IsSet:
		return c.isSet(e, arm)
	case *ir.Unary:
		x := c.test(e.X, arm)
		return func(s *Step) bool { return !x(s) }
	case *ir.Binary:
		switch e.Op {
		case ir.OpAnd:
			x, y := c.test(e.X, arm), c.test(e.Y, arm)
			return func(s *Step) bool { return x(s) && y(s) }
		case ir.OpOr:
			x, y := c.test(e.X, arm), c.test(e.Y, arm)
			return func(s *Step) bool { return x(s) || y(s) }
		}
		return c.compare(e, arm)
	}
	call, host := e.(*ir.Call)
	if host {
		return c.free(questionOf(call), true, false, e, arm)
	}
	return c.free(ir.ExprText(e), false, false, e, arm)
}

// guard compiles the guard of a. Where it compares what is free, no value may satisfy
// it all the same: then it is false, once what it reads has been read.
func (c *compiler) guard(a *ir.Arm) test {
	before := c.guesses
	when := c.logic(a.When, a, (*Step).triedAlike)
	if c.guesses == before || c.t.Loose || guard.Satisfy(guard.Read(a.When, nil).Holds).Verdict != guard.Unsat {
		return when
	}
	read := c.touch(a.When, a)
	return func(s *Step) bool {
		if read != nil {
			read(s)
		}
		return false
	}
}

// questionOf is what call asks a host guard, with constants for what is always the
// same: of a field that is always 0 and of 0 it is one question.
func questionOf(call *ir.Call) string {
	key := call.Guard.Name
	for _, arg := range call.Args {
		if k := ir.Value(arg); k != nil {
			key += "\x00" + k.Text()
		} else {
			key += "\x00" + ir.ExprText(arg)
		}
	}
	return key
}

func (c *compiler) isSet(e *ir.IsSet, arm *ir.Arm) test {
	not := e.Not
	if e.Field != nil {
		if c.ofElement(e.Field, arm) {
			comes := c.partComes(e.Field, arm)
			return func(s *Step) bool { return comes(s) != not }
		}
		refs := c.t.Refs(e.Field, arm)
		if len(refs) == 0 || !e.Field.Optional {
			return always(!not)
		}
		return func(s *Step) bool {
			_, sent := s.sent(refs)
			return sent != not
		}
	}
	n := c.t.Vars[e.Var]
	if n.Slot == nil || !n.Slot.Unset {
		return func(*Step) bool { return !not }
	}
	return func(s *Step) bool { return s.isSet(n) != not }
}

// require compiles the `require` of s, a leaf.
func (c *compiler) require(s *ir.State) test {
	c.inRequire = s
	defer func() { c.inRequire = nil }()
	return c.logic(s.Require.Cond, nil, (*Step).triedInTurn)
}

func always(holds bool) test { return func(*Step) bool { return holds } }

// compare compiles a comparison.
func (c *compiler) compare(e *ir.Binary, arm *ir.Arm) test {
	switch c.truth(e, arm) {
	case flat.True:
		return always(true)
	case flat.False:
		return always(false)
	}
	if c.isFree(e, arm) {
		return c.unknown(e, arm)
	}
	if list, op, k, ok := ir.ListLength(e); ok && c.t.Tells(list, k, arm) {
		length := c.number(list, arm)
		return func(s *Step) bool { return op.Holds(length(s), k) }
	}
	if ref, op, lit := ir.ConstantSide(e); lit != nil {
		if region := c.region(ref, arm); region != nil {
			first := c.t.Refs(ref, arm)[0].Domain // of most there is no other
			at := first.Code(lit)
			return func(s *Step) bool {
				d, code := region(s)
				if d == first {
					return d.HoldsAt(code, op, at)
				}
				return d.Holds(code, op, lit)
			}
		}
	}
	if x, y := c.names(e, arm); x != nil {
		equal := e.Op == ir.OpEq
		return func(s *Step) bool {
			_, left := x(s)
			_, right := y(s)
			return (left == right) == equal
		}
	}
	if e.X.Type().Kind == ir.Bool {
		x, y := c.test(e.X, arm), c.test(e.Y, arm)
		equal := e.Op == ir.OpEq
		return func(s *Step) bool { return (x(s) == y(s)) == equal }
	}
	if data.MayOverflow(e.X) || data.MayOverflow(e.Y) {
		return c.compareSums(e, arm)
	}
	x, y, op := c.number(e.X, arm), c.number(e.Y, arm), e.Op
	return func(s *Step) bool { return op.Holds(x(s), y(s)) }
}

// isFree reports whether nothing that is held decides e, a comparison.
func (c *compiler) isFree(e *ir.Binary, arm *ir.Arm) bool {
	if c.truth(e, arm) != flat.Unknown || e.X.Type().Kind == ir.Bool {
		return false
	}
	if list, _, k, ok := ir.ListLength(e); ok && c.t.Tells(list, k, arm) {
		return false
	}
	if ref, _, lit := ir.ConstantSide(e); lit != nil && c.region(ref, arm) != nil {
		return false
	}
	if x, _ := c.names(e, arm); x != nil {
		return false
	}
	return !c.t.KnownBeside(e.X, e.Y, arm) || !c.t.KnownBeside(e.Y, e.X, arm)
}

// names reads the strings that e compares, which are held so that they can be; nil where they are not.
func (c *compiler) names(e *ir.Binary, arm *ir.Arm) (x, y func(*Step) (*data.Domain, int64)) {
	if refs := c.t.Refs(e.X, arm); len(refs) == 0 || !refs[0].Domain.Named() {
		return nil, nil
	}
	if x, y = c.region(e.X, arm), c.region(e.Y, arm); x == nil || y == nil {
		return nil, nil
	}
	return x, y
}

// unknown is a comparison that is free. The six operators come down to == and <.
func (c *compiler) unknown(e *ir.Binary, arm *ir.Arm) test {
	key, negated := atomOf(e)
	return c.free(key, false, negated, e, arm)
}

// atomOf is what e, a comparison, asks, or denies.
func atomOf(e *ir.Binary) (key string, negated bool) {
	x, y := ir.ExprText(e.X), ir.ExprText(e.Y)
	if x > y && (e.Op == ir.OpEq || e.Op == ir.OpNe) {
		x, y = y, x
	}
	switch e.Op {
	case ir.OpEq, ir.OpNe:
		return x + " == " + y, e.Op == ir.OpNe
	case ir.OpLt, ir.OpGe:
		return x + " < " + y, e.Op == ir.OpGe
	}
	return y + " < " + x, e.Op == ir.OpLe
}

// region reads data that is held by region; nil where e is none.
func (c *compiler) region(e ir.Expr, arm *ir.Arm) func(*Step) (*data.Domain, int64) {
	refs := c.t.Refs(e, arm)
	for _, n := range refs {
		if n.Domain.Sort != data.ByRegion {
			return nil
		}
	}
	switch {
	case len(refs) == 0:
		return nil
	case refs[0].Var != nil:
		n := refs[0]
		if !n.Valued() {
			return nil
		}
		return func(s *Step) (*data.Domain, int64) { return n.Domain, s.load(n, e.Span()) }
	}
	field := e.(*ir.FieldRef)
	return func(s *Step) (*data.Domain, int64) {
		n, code := s.read(refs, field)
		return n.Domain, code
	}
}

// number compiles an expression over what is held by value: of booleans 0 and
// 1, of enums the index. Who calls it has asked known, or it is a reference.
func (c *compiler) number(e ir.Expr, arm *ir.Arm) number {
	if k := ir.Value(e); k != nil {
		value := k.Int
		return func(*Step) int64 { return value }
	}
	switch e := e.(type) {
	case *ir.VarRef:
		n := c.t.Vars[e.Var]
		return func(s *Step) int64 { return s.load(n, e.At) }
	case *ir.FieldRef:
		if lo, hi, part := c.t.PartSpan(e, arm); part { // nothing tells elements apart
			return func(s *Step) int64 {
				s.Guess = true
				s.quiet.looked++
				return lo + int64(s.Oracle.Choose(int(hi-lo)+1))
			}
		}
		refs := c.t.Refs(e, arm)
		return func(s *Step) int64 {
			_, code := s.read(refs, e)
			return code
		}
	case *ir.Len:
		if e.X.Type().Kind == ir.List {
			return c.number(e.X, arm)
		}
	case *ir.Unary:
		if e.Op == ir.OpSub {
			return c.arithmetic(e.Op, func(*Step) int64 { return 0 }, c.number(e.X, arm))
		}
	case *ir.Binary:
		x, y := e.X, e.Y
		if e.T.Kind == ir.List {
			list, item := c.number(x, arm), c.touch(y, arm)
			return func(s *Step) int64 {
				n := list(s) + 1
				if item != nil {
					item(s)
				}
				return n
			}
		}
		if e.T.Kind != ir.Bool {
			return c.arithmetic(e.Op, c.number(x, arm), c.number(y, arm))
		}
	case *ir.Call:
		if e.Guard == nil {
			x, y := c.number(e.Args[0], arm), c.number(e.Args[1], arm)
			if e.Builtin == "min" {
				return func(s *Step) int64 { return min(x(s), y(s)) }
			}
			return func(s *Step) int64 { return max(x(s), y(s)) }
		}
	}
	truth := c.test(e, arm)
	return func(s *Step) int64 {
		if truth(s) {
			return 1
		}
		return 0
	}
}

// The step's arithmetic: what does not fit into 64 bits cannot be computed.
