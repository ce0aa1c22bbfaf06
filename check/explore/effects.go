package explore

import (
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// block is a compiled ir.Block, as far as it concerns what is held.
type block struct {
	reads   []func(*step) // of fields that may be unset, in order
	effects []effect
	checks  []effect // what is published, as far as it may be out of range
	forget  []int    // atoms in which something is assigned
}

// effect is one assignment.
type effect struct {
	assign *ir.Assign
	node   *node
	unset  bool
	value  func(*step) (code int64, fits bool)
}

// block compiles b; nil where nothing of it matters.
func (c *compiler) block(b *ir.Block, arm *ir.Arm) *block {
	if b == nil {
		return nil
	}
	out := &block{}
	for _, a := range b.Assigns {
		e := effect{assign: a, node: c.t.vars[a.Var]}
		if a.Value == nil {
			e.unset = true
		} else {
			out.read(c.touch(a.Value, arm))
			e.value = c.value(e.node, a.Value, arm)
		}
		if e.node.slot != nil || e.value != nil {
			out.effects = append(out.effects, e)
		}
	}
	for _, p := range b.Publishes {
		for _, v := range p.Values {
			out.read(c.touch(v, arm))
		}
		for _, a := range c.t.published[p] {
			out.checks = append(out.checks, effect{assign: a, value: c.fits(a, arm)})
		}
	}
	return out
}

func (b *block) read(f func(*step)) {
	if f != nil {
		b.reads = append(b.reads, f)
	}
}

// value compiles the right side of an assignment to n: the code, and whether it
// lies in n's range. It is nil where n is not held and everything fits.
func (c *compiler) value(n *node, e ir.Expr, arm *ir.Arm) func(*step) (int64, bool) {
	lo, hi, ranged := n.limits()
	refs := c.t.refs(e, arm)
	checked := ranged && len(refs) == 0 && n.typ.Range != nil && !within(e, lo, hi) && !c.t.granted(n, e, arm)
	for _, source := range refs {
		checked = checked || narrows(source, n)
	}
	checked = checked || mayOverflow(e) && (n.typ.Range == nil || !c.t.granted(n, e, arm))
	switch {
	case !n.valued() && !checked:
		return nil
	case !n.valued() && len(refs) == 0:
		return mayFit
	case n.dom.sort == byRegion:
		return c.regionValue(n, e, arm)
	case n.dom.sort == byLength:
		v := c.number(e, arm)
		return func(s *step) (int64, bool) { return min(v(s), n.dom.most), true }
	case n.dom.sort == byValue && c.t.known(e, arm):
		v := c.number(e, arm)
		return func(s *step) (int64, bool) {
			code := v(s)
			return code, lo <= code && code <= hi
		}
	case n.dom.sort == byValue:
		values := int(hi-lo) + 1
		return func(s *step) (int64, bool) {
			s.guessed = true
			if checked {
				k := s.oracle.choose(values + 1)
				return lo + int64(k), k < values
			}
			return lo + int64(s.oracle.choose(values)), true
		}
	case checked:
		return mayFit
	}
	return func(s *step) (int64, bool) { return 0, true }
}

// regionValue is value for what is held by region: constants and copies.
func (c *compiler) regionValue(n *node, e ir.Expr, arm *ir.Arm) func(*step) (int64, bool) {
	lo, hi := n.codes()
	if lit := ir.Value(e); lit != nil {
		code := n.dom.code(lit)
		return func(*step) (int64, bool) { return code, lo <= code && code <= hi }
	}
	if region := c.region(e, arm); region != nil {
		return func(s *step) (int64, bool) {
			_, code := region(s)
			return code, lo <= code && code <= hi
		}
	}
	return func(s *step) (int64, bool) {
		s.guessed = true
		return s.chooseRegion(n.dom, lo, hi), true
	}
}

// chooseRegion is a free choice of a region from lo to hi.
func (s *step) chooseRegion(d *domain, lo, hi int64) int64 {
	n := 0
	for code := lo; code <= hi; code++ {
		if !d.empty(code) {
			n++
		}
	}
	k := s.oracle.choose(n)
	if d.kind == ir.Duration {
		k = n - 1 - k // long waits first: a timer of 0s would come before what a witness shows
	}
	for code := lo; code <= hi; code++ {
		if d.empty(code) {
			continue
		}
		if k == 0 {
			return code
		}
		k--
	}
	return lo
}

// apply does the effects of b at once: all right sides are read first. Where one
// of them cannot be computed the step fails.
func (s *step) apply(b *block) {
	if b == nil || s.failed() {
		return
	}
	for _, read := range b.reads {
		if read(s); s.failed() {
			return
		}
	}
	if len(b.forget) > 0 {
		copy(s.before, s.next)
		s.readAll(b.forget)
	}
	codes := s.codes[:0]
	for i := range b.effects {
		e := &b.effects[i]
		code := int64(0)
		if e.value != nil {
			var fits bool
			code, fits = e.value(s)
			if s.failed() {
				s.overflows(e.assign)
				return
			}
			if !fits {
				s.fail(fault{why: outOfRange, assign: e.assign})
				return
			}
		}
		codes = append(codes, code)
	}
	for i := range b.checks {
		check := &b.checks[i]
		if _, fits := check.value(s); s.failed() {
			s.overflows(check.assign)
			return
		} else if !fits {
			s.fail(fault{why: outOfRange, assign: check.assign})
			return
		}
	}
	for i := range b.effects {
		e := &b.effects[i]
		if e.node.slot == nil {
			continue
		}
		s.foot.writes(e.node)
		switch {
		case e.unset:
			e.node.slot.set(s.next, 0)
		case !e.node.valued():
			e.node.slot.store(s.next, e.node.slot.base)
		default:
			e.node.slot.store(s.next, codes[i])
		}
	}
	s.codes = codes
	for _, id := range b.forget {
		if !s.asksTheSame(id) {
			s.verdicts[id] = unasked
		}
	}
}

// overflows notes in which assignment a value does not fit into 64 bits, if that is
// the fault.
func (s *step) overflows(a *ir.Assign) {
	if s.fault.why == overflow {
		s.fault.assign = a
	}
}

// readAll notes that what the atoms given read is read.
func (s *step) readAll(atoms []int) {
	for _, id := range atoms {
		for _, v := range s.p.atoms[id].vars {
			s.foot.reads(s.p.tracked.vars[v])
		}
	}
}

// asksTheSame reports whether all that atom id reads has the value that it had
// before the block at hand: a host guard is asked once for the same arguments in
// a step.
func (s *step) asksTheSame(id int) bool {
	a := &s.p.atoms[id]
	for _, v := range a.vars {
		n := s.p.tracked.vars[v]
		if n.slot == nil {
			if v.Param {
				continue
			}
			return false
		}
		if !n.valued() || n.dom.sort != byValue || n.slot.get(s.before) != n.slot.get(s.next) {
			return false
		}
	}
	return true
}
