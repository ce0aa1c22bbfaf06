package step

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// An event that sets many flags, each with `flag = flag || event.flag`, leads from a
// configuration to one for each set of those that are not set yet: n flags make 3^n edges.
// But where the event leaves the run where it is, and can come again at once, it may as
// well bring one of them after the other: the same configurations are reached, from each
// the same ones, and none of the paths that are left out is longer. So in a machine that is not
// small the event brings none of them, one, or all. (It is a partial-order reduction of
// the choices of one step.)

// fewestFlags is from how many flags on an event brings them one by one.
const fewestFlags = 4

// plain is an input that does nothing but set flags, and leaves the run where it is,
// whatever the configuration is. It can come again at once.
type plain struct {
	flags  []*data.Node // that it sets if the event says so, each for itself
	always *data.Node   // the flag that it sets, or negates; nil where there is none
	turns  bool         // it negates it
	moves  bool         // the state is entered again
	more   bool         // it sets others, too
}

// plainOf is in, in leaf, if it is plain; else nil.
func (p *Program) plainOf(leaf *ir.State, in *InputCode) *plain {
	code := &p.States[leaf.ID]
	if in.Kind != ir.CaseEvent || len(in.Choices) == 0 || len(p.Kept) > 0 || len(p.Enforced) > 0 ||
		code.choice || code.require != nil || len(code.fans) > 0 || len(code.Instant) > 0 || code.timerReads != nil {
		return nil
	}
	a := in.Choices[0].Arm
	if a == nil || a.When != nil || a.Max != nil || a.Block == nil || len(a.Block.Publishes) > 0 || len(a.Handler.Triggers) != 1 {
		return nil
	}
	out := &plain{}
	switch {
	case a.Kind == ir.Goto && a.Target == leaf && leaf.Entry == nil && leaf.Exit == nil:
		out.moves = true
	case a.Kind != ir.Stay:
		return nil
	}
	sent := map[string]bool{}
	for _, set := range a.Block.Assigns {
		n := p.Tracked.Vars[set.Var]
		if n.MayBeUnset() || n.Type.Kind != ir.Bool || set.Value == nil {
			return nil
		}
		name, turns := setsFlag(set)
		switch {
		case name == "" || sent[name]:
			return nil
		case n.Slot == nil || !n.Valued(): // nobody reads it
		case name != sets:
			sent[name] = true
			out.flags = append(out.flags, n)
		case len(a.Block.Assigns) == 1:
			out.always, out.turns = n, turns
		case turns:
			return nil
		default:
			out.more = true
		}
	}
	return out
}

// sets stands for the name of a field where a flag is set whatever the event says.
const sets = "="

// setsFlag is the name of the field that sets the flag that a assigns, if it is true, or
// sets; empty where a does something else. Turns says that it negates the flag.
func setsFlag(a *ir.Assign) (name string, turns bool) {
	isFlag := func(e ir.Expr) bool {
		ref, ok := e.(*ir.VarRef)
		return ok && ref.Var == a.Var
	}
	if c := ir.Value(a.Value); c != nil && c.Int != 0 {
		return sets, false
	}
	switch e := a.Value.(type) {
	case *ir.Unary:
		if e.Op == ir.OpNot && isFlag(e.X) {
			return sets, true
		}
	case *ir.Binary:
		x, y := e.X, e.Y
		if isFlag(y) {
			x, y = y, x
		}
		if ref, ok := y.(*ir.FieldRef); ok && e.Op == ir.OpOr && isFlag(x) && !ref.Optional {
			return ref.Name, false
		}
	}
	return "", false
}

// BringsOneByOne reports whether in is an event that brings its flags one by one.
func (s *Step) BringsOneByOne(in *InputCode) bool {
	return s.Program.Tracked.OneByOne && s.Program.Clocks == nil && in.plain != nil && len(in.plain.flags) >= fewestFlags && !s.Again
}

// brought is how many of the flags of the event at hand it brings.
type brought int8

const (
	noneYet brought = iota
	oneOnly
	allOfThem
)

// bringsFlag chooses whether the event at hand brings a flag.
func (s *Step) bringsFlag() int64 {
	switch s.brought {
	case oneOnly:
		return 0
	case allOfThem:
		return 1
	}
	s.flagsAsked++
	ways := 2
	if s.flagsAsked == 1 {
		ways = 3
	}
	if s.brought = brought(s.Oracle.Choose(ways)); s.brought == noneYet {
		return 0
	}
	return 1
}

// LeastFrom is how many flags plain inputs can set, one by one, from the configuration in
// words, in leaf, and be told apart there: each set of them is a configuration. Edges is how
// many edges of those inputs each of these has on average, at least.
func (p *Program) LeastFrom(leaf *ir.State, words []uint64) (flags int, edges float64) {
	var found []*data.Node
	for i := range p.States[leaf.ID].Inputs {
		in := &p.States[leaf.ID].Inputs[i]
		if in.plain == nil {
			continue
		}
		for _, n := range in.plain.flags {
			if p.opens(leaf, n, words) {
				edges += 0.5
				found = append(found, n)
			}
		}
		n := in.plain.always
		if n != nil && p.liveInAll(leaf, n) && (in.plain.turns || p.opens(leaf, n, words)) {
			edges += 0.5
			found = append(found, n)
		}
		switch {
		case n != nil && (in.plain.moves || in.plain.turns):
			edges += 0.5 // the flag is set, or not, already
		case in.plain.moves:
			edges++ // it leads back where it sets nothing
		}
	}
	for _, t := range timing.TimersAround(leaf) {
		if t.Budget || len(t.Arms) == 0 {
			continue
		}
		if a := t.Arms[0]; a.When == nil && a.Max == nil && a.Kind == ir.Goto {
			edges++ // one of them fires
			break
		}
	}
	slices.SortFunc(found, func(a, b *data.Node) int { return a.Var.Index - b.Var.Index })
	return len(slices.Compact(found)), edges
}

// opens reports whether the flag n is told apart in leaf, and not set yet.
func (p *Program) opens(leaf *ir.State, n *data.Node, words []uint64) bool {
	code, _ := n.Slot.Load(words)
	return code == 0 && p.liveInAll(leaf, n)
}

// liveInAll reports whether n matters in leaf, whatever the other data is.
func (p *Program) liveInAll(leaf *ir.State, n *data.Node) bool {
	for kind := range p.apart.kinds {
		if n.Slot.Get(p.live[p.apart.mask(leaf, kind)]) != n.Slot.Mask {
			return false
		}
	}
	return true
}
