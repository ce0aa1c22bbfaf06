package step

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// block is a compiled ir.Block, as far as it concerns what is held.
type block struct {
	reads   []func(*Step) // of fields that may be unset, in order
	effects []effect
	checks  []effect    // what is published or put into lists, as far as it may be out of range
	forget  []int       // atoms in which something is assigned
	reopen  []*Recalled // those of them whose verdicts are held
}

// effect is one assignment.
type effect struct {
	assign *ir.Assign
	node   *data.Node
	unset  bool
	absent func(*Step) bool // nil where the value is never unset
	value  func(*Step) (code int64, fits bool)
}

// block compiles b; nil where nothing of it matters.
func (c *compiler) block(b *ir.Block, arm *ir.Arm) *block {
	if b == nil {
		return nil
	}
	out := &block{}
	for _, a := range b.Assigns {
		e := effect{assign: a, node: c.t.Vars[a.Var]}
		if a.Value == nil {
			e.unset = true
		} else {
			out.read(c.touch(a.Value, arm))
			e.absent = c.absent(a.Value, arm)
			if fit, ok := a.Value.(*ir.Fit); ok {
				e.value = fitted(e.node, sentAlone(fit, b))
			} else {
				e.value = c.value(e.node, a.Value, arm)
			}
		}
		if e.node.Slot != nil || e.value != nil {
			out.effects = append(out.effects, e)
		}
	}
	for _, p := range b.Publishes {
		for _, v := range p.Values {
			out.read(c.touch(v, arm))
		}
	}
	for _, a := range c.t.Checked[b] {
		out.checks = append(out.checks, effect{assign: a, absent: c.absent(a.Value, arm), value: c.fits(a, arm)})
	}
	return out
}

func (b *block) read(f func(*Step)) {
	if f != nil {
		b.reads = append(b.reads, f)
	}
}

// value compiles the right side of an assignment to n: the code, and whether it
// lies in n's range. It is nil where n is not held and everything fits.
func (c *compiler) value(n *data.Node, e ir.Expr, arm *ir.Arm) func(*Step) (int64, bool) {
	if n.Sum != nil {
		return nil
	}
	if n.Type.Kind == ir.List {
		return c.list(n, e, arm)
	}
	lo, hi, ranged := n.Limits()
	refs := c.t.Refs(e, arm)
	checked := ranged && len(refs) == 0 && n.Type.Range != nil && !data.Within(e, lo, hi)
	for _, source := range refs {
		checked = checked || data.Narrows(source, n)
	}
	checked = (checked || data.MayOverflow(e)) &&
		(n.Type.Range == nil || !c.t.FitsByGuard(n.Type, e, arm) && (c.t.Computed(e, arm) || !c.t.FitsByFlow(n.Type, e)))
	switch {
	case !n.Valued() && !checked:
		return nil
	case !n.Valued() && len(refs) == 0 && !c.t.Computed(e, arm):
		return mayFit
	case !n.Valued() && len(refs) == 0:
		v := c.number(e, arm)
		return func(s *Step) (int64, bool) {
			code := v(s)
			return 0, lo <= code && code <= hi
		}
	case n.Domain.Sort == data.ByRegion:
		return c.regionValue(n, e, arm)
	case n.Domain.Sort == data.ByValue && c.t.Computed(e, arm):
		v := c.number(e, arm)
		return func(s *Step) (int64, bool) {
			code := v(s)
			return n.Standing(code), lo <= code && code <= hi
		}
	case n.Domain.Sort == data.ByValue && !checked:
		return func(s *Step) (int64, bool) {
			s.Guess = true
			return s.chooseCode(n), true
		}
	case n.Domain.Sort == data.ByValue:
		return mayStand(n)
	}
	return mayFit
}

// list is value for a list: its length, as far as that is told.
func (c *compiler) list(n *data.Node, e ir.Expr, arm *ir.Arm) func(*Step) (int64, bool) {
	leaves, overflows := c.t.MayLeaveLength(n.Type, e, arm), data.MayOverflow(e)
	switch {
	case !n.Valued() && !leaves && !overflows:
		return nil
	case !n.Valued() && overflows:
		return mayFit
	case c.t.Known(e, arm):
		v := c.number(e, arm)
		return func(s *Step) (int64, bool) {
			length := v(s)
			return min(length, n.Domain.Most), !leaves || n.Type.Len.Contains(length)
		}
	case !n.Valued():
		return mayFit
	case leaves:
		return mayStand(n)
	}
	return fitted(n, false)
}

// fitted is value for what comes out of a json: anything that fits. Who sends the event
// at hand chooses it, if sent; nobody knows what another json holds.
func fitted(n *data.Node, sent bool) func(*Step) (int64, bool) {
	if !n.Valued() {
		return nil
	}
	return func(s *Step) (int64, bool) {
		s.Guess = s.Guess || !sent
		return s.chooseCode(n), true
	}
}

// sentAlone reports whether fit, in the block b, reads a json of the event at hand, of
// which nothing else in b reads the same part, or a message alone does so, as the same.
func sentAlone(fit *ir.Fit, b *ir.Block) bool {
	field, keys := ir.KeysOf(fit.X)
	if field == nil {
		return false
	}
	alone := true
	apart := func(whole ir.Expr, message bool) {
		ir.Walk(whole, func(e ir.Expr) bool {
			other, isFit := e.(*ir.Fit)
			if !isFit || other == fit {
				return true
			}
			read, path := ir.KeysOf(other.X)
			n := min(len(path), len(keys))
			switch {
			case read == nil || read.Name != field.Name || !slices.Equal(path[:n], keys[:n]):
			case message && len(path) == len(keys) && other.T.String() == fit.T.String():
			default:
				alone = false
			}
			return true
		})
	}
	for _, a := range b.Assigns {
		apart(a.Value, false)
	}
	for _, p := range b.Publishes {
		for _, v := range p.Values {
			apart(v, true)
		}
	}
	return alone
}

// regionValue is value for what is held by region: constants and copies.
func (c *compiler) regionValue(n *data.Node, e ir.Expr, arm *ir.Arm) func(*Step) (int64, bool) {
	lo, hi := n.Codes()
	if lit := ir.Value(e); lit != nil {
		code := n.Domain.Code(lit)
		return func(*Step) (int64, bool) { return code, lo <= code && code <= hi }
	}
	if region := c.region(e, arm); region != nil {
		return func(s *Step) (int64, bool) {
			_, code := region(s)
			return code, lo <= code && code <= hi
		}
	}
	return func(s *Step) (int64, bool) {
		s.Guess = true
		return s.chooseRegion(n.Domain, lo, hi), true
	}
}

// apply does the effects of b at once: all right sides are read first. Where one
// of them cannot be computed the step fails.
func (s *Step) apply(b *block) {
	if b == nil || s.Failed() {
		return
	}
	for _, read := range b.reads {
		if read(s); s.Failed() {
			return
		}
	}
	asked := s.askedOf(b.forget)
	codes := s.codes[:0]
	for i := range b.effects {
		codes = append(codes, s.compute(&b.effects[i]))
		if s.Failed() {
			return
		}
	}
	for i := range b.checks {
		if s.compute(&b.checks[i]); s.Failed() {
			return
		}
	}
	for i := range b.effects {
		e := &b.effects[i]
		if e.node.Slot == nil {
			continue
		}
		s.Foot.writes(e.node)
		switch {
		case e.unset || e.absent != nil && codes[i] == noCode:
			e.node.Slot.Set(s.Next, 0)
		case !e.node.Valued():
			e.node.Slot.Store(s.Next, e.node.Slot.Base)
		default:
			e.node.Slot.Store(s.Next, codes[i])
		}
	}
	s.codes = codes
	for _, r := range b.reopen {
		s.Foot.writes(r.node)
		r.node.Slot.Set(s.Next, 0)
	}
	for _, id := range asked {
		if !s.asksTheSame(id) {
			s.verdicts[id] = unasked
		}
	}
}

// compute is the code of the value of e, noCode where that is unset. Where it cannot be computed,
// or does not fit, the step fails.
func (s *Step) compute(e *effect) int64 {
	if e.absent != nil && e.absent(s) {
		return noCode
	}
	if e.value == nil {
		return 0
	}
	code, fits := e.value(s)
	switch {
	case !s.Failed() && !fits:
		s.fail(Fault{Assign: e.assign})
	case s.Fault.overflow:
		s.Fault.Assign = e.assign
	}
	return code
}

// askedOf are those of atoms that were asked in this step: a chain may have thousands. What they read
// is kept as it is, and noted as read.
func (s *Step) askedOf(atoms []int) []int {
	s.asked = s.asked[:0]
	for _, id := range atoms {
		if s.verdicts[id] != unasked {
			s.asked = append(s.asked, id)
			for _, v := range s.Program.atoms[id].vars {
				s.Foot.reads(s.Program.Tracked.Vars[v])
			}
		}
	}
	if len(s.asked) > 0 {
		copy(s.old, s.Next)
	}
	return s.asked
}

// asksTheSame reports whether all that atom id reads has the value that it had
// before the block at hand: a host guard is asked once for the same arguments in
// a step.
func (s *Step) asksTheSame(id int) bool {
	a := &s.Program.atoms[id]
	for _, v := range a.vars {
		n := s.Program.Tracked.Vars[v]
		if n.Slot == nil {
			if v.Param {
				continue
			}
			return false
		}
		if !n.Valued() || n.Domain.Sort != data.ByValue || n.Few() || n.Slot.Get(s.old) != n.Slot.Get(s.Next) {
			return false
		}
	}
	return true
}

// fits compiles whether a, a value that is published or put into a list, lies in its
// range. Where that is not known it is a choice.
func (c *compiler) fits(a *ir.Assign, arm *ir.Arm) func(*Step) (int64, bool) {
	if !a.Var.Type.Same(a.Value.Type()) { // the items of a list that is copied
		if _, sent := a.Value.(*ir.FieldRef); sent {
			return func(s *Step) (int64, bool) { return 0, s.Oracle.Choose(2) == 0 }
		}
		return mayFit
	}
	limits := a.Var.Type.Limits()
	if limits == nil { // it may need more than 64 bits
		return mayFit
	}
	lo, hi := limits.Lo, limits.Hi
	if region := c.region(a.Value, arm); region != nil {
		least, most := &ir.Const{Kind: a.Var.Type.Kind, Int: lo}, &ir.Const{Kind: a.Var.Type.Kind, Int: hi}
		return func(s *Step) (int64, bool) {
			d, code := region(s)
			return 0, d.Holds(code, ir.OpGe, least) && d.Holds(code, ir.OpLe, most)
		}
	}
	if c.t.Known(a.Value, arm) {
		v := c.number(a.Value, arm)
		return func(s *Step) (int64, bool) {
			n := v(s)
			return 0, lo <= n && n <= hi
		}
	}
	return mayFit
}

// mayStand is any value of n, or none: nobody knows whether it is in range.
func mayStand(n *data.Node) func(*Step) (int64, bool) {
	return func(s *Step) (int64, bool) {
		if _, fits := mayFit(s); !fits {
			return 0, false
		}
		return s.chooseCode(n), true
	}
}

// mayFit is a value of which nobody knows whether it is in range.
func mayFit(s *Step) (int64, bool) {
	s.Guess = true
	return 0, s.Oracle.Choose(2) == 0
}
