package step

import (
	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Said is what a witness says of the step at hand: the data of its event, and what host
// guards answered, as far as either was asked for.
func (s *Step) Said() (payload map[string]any, guards map[string]bool) {
	payload, guards = map[string]any{}, map[string]bool{}
	for _, i := range s.had {
		n := s.Program.Tracked.Chosen[i]
		switch {
		case n.Event == nil || s.In == nil || n.Event != s.In.Event:
		case n.Of != nil && s.payloads[i] != 0:
			payload[n.Name] = nil
		case n.Of != nil:
			if _, said := payload[n.Name]; !said {
				payload[n.Name] = witness.Present
			}
		case n.Of == nil && n.Domain.Tells(s.payloads[i]):
			payload[n.Field.Name] = n.JSON(s.payloads[i])
		}
	}
	for id, a := range s.Program.atoms {
		if a.host && s.answers[id] != unasked {
			for _, text := range a.texts {
				guards[text] = s.answers[id] == isTrue
			}
		}
	}
	return payload, guards
}

// Values are the data of a configuration in leaf that still matter there, as far as it tells them.
func (p *Program) Values(leaf *ir.State, words []uint64) map[string]any {
	out := map[string]any{}
	p.eachValue(leaf, words, func(n *data.Node, code int64) {
		if n.Domain.Tells(code) {
			out[n.Var.Name] = n.JSON(code)
		}
	})
	return out
}

// eachValue calls f with the codes of those that are set.
func (p *Program) eachValue(leaf *ir.State, words []uint64, f func(n *data.Node, code int64)) {
	for _, n := range p.Tracked.Nodes {
		if n.Slot == nil || !n.Valued() || n.Slot.Get(p.liveAt(leaf, words)) != n.Slot.Mask {
			continue
		}
		if code, set := n.Slot.Load(words); set {
			f(n, code)
		}
	}
}

// Alike is of the numbers among Values between what those lie that a configuration does not tell
// apart.
func (p *Program) Alike(leaf *ir.State, words []uint64) map[string]ir.Range {
	out := map[string]ir.Range{}
	p.eachValue(leaf, words, func(n *data.Node, code int64) {
		if n.Type.Kind == ir.Int || n.Type.Kind == ir.Duration {
			lo, hi := n.Alike(code)
			out[n.Var.Name] = ir.Range{Lo: lo, Hi: hi}
		}
	})
	return out
}

// Params are the parameters with which a run begins, given their codes.
func (p *Program) Params(codes []int64) map[string]any {
	out := map[string]any{}
	for _, n := range p.Tracked.Nodes {
		if n.Slot != nil && n.Var.Param {
			switch {
			case codes[0] == noCode:
				out[n.Var.Asked()] = nil
			case n.Valued() && n.Domain.Tells(codes[0]):
				out[n.Var.Name] = n.JSON(codes[0])
			case n.Slot.Unset:
				out[n.Var.Asked()] = witness.Present
			}
			codes = codes[1:]
		}
	}
	for _, v := range p.Machine.Params { // what is absent is so with all that is in it
		for i, name := range v.Within {
			if x, said := out[name]; said && x == nil {
				for _, inner := range v.Within[i+1:] {
					delete(out, inner)
				}
			}
		}
	}
	return out
}
