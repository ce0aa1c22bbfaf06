package explore

import (
	"github.com/fsmc-dev/fsmc/check/explore/step"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// LeftOut marks those of the inputs given that some configuration of configs leaves to
// nobody, drops, or whose step it cannot compute.
func (p *Product) LeftOut(configs []int32, inputs map[InputAt]bool) map[InputAt]bool {
	x := p.teller()
	guessed := p.Guessed
	out := map[InputAt]bool{}
	for _, c := range configs {
		if len(out) == len(inputs) {
			break
		}
		if p.Leaf(c).Kind == ir.Leaf {
			x.stand(c)
			x.leftOut(inputs, out)
		}
	}
	p.Guessed = guessed
	return out
}

// leftOut is LeftOut of the configuration at hand.
func (x *search) leftOut(inputs, out map[InputAt]bool) {
	try := func(in *step.InputCode, take func()) {
		at := InputAt{x.From, in.ID}
		if !inputs[at] || out[at] {
			return
		}
		x.sought = &sought{unmet: in.ID, lost: true}
		if take(); x.sought.found {
			out[at] = true
		}
	}
	x.inputs(x.From, func(in *step.InputCode) { try(in, func() { x.take(in) }) })
	code := &x.Program.States[x.From.ID]
	for at, i := range code.Takes {
		if i >= 0 && x.Program.Packing.Pending.Has(x.Here, at) {
			try(&code.Inputs[i], func() { x.lookAgain(code) })
		}
	}
}
