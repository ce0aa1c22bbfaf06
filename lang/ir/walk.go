package ir

import "iter"

// What is whole here is not part of another expression: see Walk for what stands inside.

// Exprs yields the whole expressions of a: its guard, its wait, and those of its block.
func (a *Arm) Exprs() iter.Seq[Expr] {
	return func(yield func(Expr) bool) {
		if a.When != nil && !yield(a.When) || a.Backoff != nil && a.Backoff.By != nil && !yield(a.Backoff.By) {
			return
		}
		a.Block.Exprs()(yield)
	}
}

// Exprs yields the whole expressions of b, which may be nil.
func (b *Block) Exprs() iter.Seq[Expr] {
	return func(yield func(Expr) bool) {
		if b == nil {
			return
		}
		for _, a := range b.Assigns {
			if a.Value != nil && !yield(a.Value) {
				return
			}
		}
		for _, p := range b.Publishes {
			for _, v := range p.Values {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// Exprs yields the whole expressions of m.
func (m *Machine) Exprs() iter.Seq[Expr] {
	return func(yield func(Expr) bool) {
		more := true
		all := func(list iter.Seq[Expr]) {
			for e := range list {
				if more = more && yield(e); !more {
					return
				}
			}
		}
		for _, a := range m.Arms {
			all(a.Exprs())
		}
		for _, s := range m.States {
			all(s.Entry.Exprs())
			all(s.Exit.Exprs())
			for _, ref := range s.Returns {
				more = more && yield(ref)
			}
			if s.Require != nil && s.Require.Cond != nil {
				more = more && yield(s.Require.Cond)
			}
		}
		for _, d := range m.Dos {
			for _, arg := range d.Args {
				more = more && yield(arg)
			}
		}
	}
}

// Blocks yields the blocks of m, and of those of arms the arm.
func (m *Machine) Blocks() iter.Seq2[*Block, *Arm] {
	return func(yield func(*Block, *Arm) bool) {
		for _, s := range m.States {
			if s.Entry != nil && !yield(s.Entry, nil) || s.Exit != nil && !yield(s.Exit, nil) {
				return
			}
		}
		for _, a := range m.Arms {
			if a.Block != nil && !yield(a.Block, a) {
				return
			}
		}
	}
}

// SetBy is, by the value of an effect, what the effect sets.
func (m *Machine) SetBy() map[Expr]*Var {
	set := map[Expr]*Var{}
	for b := range m.Blocks() {
		for _, a := range b.Assigns {
			if a.Value != nil {
				set[a.Value] = a.Var
			}
		}
	}
	return set
}

// Find is the first of e and what is in it, outermost first, of which is holds; nil for none.
func Find(e Expr, is func(Expr) bool) (found Expr) {
	Walk(e, func(e Expr) bool {
		if found == nil && is(e) {
			found = e
		}
		return found == nil
	})
	return found
}

// Has reports whether is holds of e or of something in it.
func Has(e Expr, is func(Expr) bool) bool { return Find(e, is) != nil }

// Parts yields each of wholes and what is in it, outermost first.
func Parts(wholes iter.Seq[Expr]) iter.Seq[Expr] {
	return func(yield func(Expr) bool) {
		for e := range wholes {
			if Find(e, func(e Expr) bool { return !yield(e) }) != nil {
				return
			}
		}
	}
}

// PartsOf yields e and what is in it, outermost first.
func PartsOf(e Expr) iter.Seq[Expr] {
	return func(yield func(Expr) bool) { Find(e, func(e Expr) bool { return !yield(e) }) }
}

// GuardCalls are the calls of host guards in e.
func GuardCalls(e Expr) []*Call {
	var out []*Call
	for e := range PartsOf(e) {
		if call, is := e.(*Call); is && call.Guard != nil {
			out = append(out, call)
		}
	}
	return out
}

// Vars are the parameters and context fields that e reads, or asks whether they are set.
func Vars(e Expr) []*Var {
	var out []*Var
	for e := range PartsOf(e) {
		switch e := e.(type) {
		case *VarRef:
			out = append(out, e.Var)
		case *IsSet:
			if e.Var != nil {
				out = append(out, e.Var)
			}
		}
	}
	return out
}

// Sent are the fields of an event that e reads, or asks whether they are set.
func Sent(e Expr) []*FieldRef {
	var out []*FieldRef
	for e := range PartsOf(e) {
		switch e := e.(type) {
		case *FieldRef:
			out = append(out, e)
		case *IsSet:
			if e.Field != nil {
				out = append(out, e.Field)
			}
		}
	}
	return out
}

// Paths are those of states.
func Paths(states []*State) []string {
	var out []string
	for _, s := range states {
		out = append(out, s.Path)
	}
	return out
}

// Redirects yields the leaf that a move to s enters, and then those to which `require`
// sends a run on, each once. A nil one is last where a target could not be resolved.
func (s *State) Redirects() iter.Seq[*State] {
	return func(yield func(*State) bool) {
		var met map[*State]bool
		for {
			var leaf *State
			if s != nil {
				leaf = s.Leaf()
			}
			if met[leaf] || !yield(leaf) || leaf == nil || leaf.Require == nil {
				return
			}
			if met == nil {
				met = map[*State]bool{}
			}
			met[leaf] = true
			s = leaf.Require.Target
		}
	}
}
