package explore

import (
	"encoding/binary"

	"github.com/fsmc-dev/fsmc/check/explore/step"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// retryOf is a retry that the elements of a fan-out make.
type retryOf struct{ do, arm int } // ir.Do.ID, ir.Arm.ID

// beginning numbers with how many elements the fan-outs of the leaf begin that was entered.
func (x *search) beginning() int32 {
	if len(x.Begun) == 0 {
		return 0
	}
	var key []byte
	for _, e := range x.Begun {
		key = binary.AppendVarint(binary.AppendVarint(key, e.Least), e.Most)
	}
	key = binary.AppendVarint(key, int64(x.Program.Packing.Leaf.Get(x.Next)))
	n, known := x.beginnings[string(key)]
	if !known {
		n = int32(len(x.begun))
		x.beginnings[string(key)] = n
		x.begun = append(x.begun, append([]step.Elements(nil), x.Begun...))
	}
	return n
}

// retriedBy is a case in which elements make a retry; plain is one that asks no guard and
// waits for no limit.
type retriedBy struct {
	input int32
	plain bool
}

// noteRetried notes that an element makes the retry of c. Of several cases in which it
// does, a plain one is preferred.
func (x *search) noteRetried(in *step.InputCode, c *step.ChoiceCode) {
	_, timed := timing.Earliest(x.Table, in.Case)
	by := retriedBy{in.ID, &in.Choices[0] == c && c.Arm.When == nil && !timed}
	key := retryOf{in.Do.ID, c.Arm.ID}
	if known, made := x.retried[key]; !made || by.plain && !known.plain {
		x.retried[key] = by
	}
}

// CountedOnEntering reports whether l is a retry that elements make and that configurations do
// not count: it is counted where its visit begins.
func (p *Product) CountedOnEntering(l Label) bool {
	if l.Kind != Retried {
		return false
	}
	d := p.Table.Case(l.Input).Do
	return d.Fan != nil && p.program.Packing.CountedOnEntering(d.State, p.Table.Machine.Arms[l.Arm])
}

// ElementRetries lists the retries of d, a fan-out, that some run makes and that are
// counted where a visit begins, and a case for each.
func (p *Product) ElementRetries(d *ir.Do) (arms []*ir.Arm, cases []ir.Case) {
	for _, a := range p.Table.Retries(d) {
		if by, made := p.retried[retryOf{d.ID, a.ID}]; made {
			arms, cases = append(arms, a), append(cases, p.Table.Case(by.input))
		}
	}
	return arms, cases
}

// retriesEach is how many retries each element of d makes at most, as far as they are
// counted where a visit begins.
func (p *Product) retriesEach(d *ir.Do) int64 {
	n := int64(0)
	arms, _ := p.ElementRetries(d)
	for _, a := range arms {
		n = graph.Sum(n, step.RetriesIn(d, a))
	}
	return n
}

// Elements is how many elements the do at place i of the leaf begins with that l enters: 1
// where it is no fan-out.
func (p *Product) Elements(l Label, i int) (least, most int64) {
	for _, e := range p.begun[l.Begun] {
		if e.Place == i {
			return e.Least, e.Most
		}
	}
	return 1, 1
}

// OpenAtMost is how many executions of the activity in place i of the leaf of configuration
// c have not ended, at most.
func (p *Product) OpenAtMost(c int32, i int) int64 {
	leaf := p.Leaf(c)
	v := &p.program.Packing.Visits[leaf.ID]
	_, most := leaf.Dos[i].Elements()
	switch {
	case v.HasEnded(p.words(c), i):
		return 0
	case v.Counts(i):
		if n, orMore := v.Open(p.words(c), i); !orMore {
			return n
		}
	}
	return most
}

// AttemptsEach is how many attempts each element of the activity d makes in a visit, as far
// as they are counted where it begins.
func (p *Product) AttemptsEach(d *ir.Do) int64 {
	if d.Fan == nil {
		return 1
	}
	return graph.Sum(1, p.retriesEach(d))
}

// anyEnd is how an element of d can end whatever the data is and whichever it is, and with no
// effects, and the arm that takes it, if any; false where there is no such end.
func (p *Product) anyEnd(d *ir.Do) (in witness.Input, a *ir.Arm, ok bool) {
	if d.Activity.Silent() {
		return witness.Input{Kind: witness.Ended, Case: ir.Case{Kind: ir.CaseDone}, Activity: d}, nil, true
	}
	for in := range p.Table.Inputs(d.State) {
		if in.Do != d || len(in.Choices) == 0 {
			continue
		}
		first := in.Choices[0].Arm
		if first == nil || (first.Kind == ir.Stay || first.Kind == ir.IgnoreArm) && flat.Guard(first.When) == flat.True {
			return arriving(in.Case, false), first, true
		}
	}
	return witness.Input{}, nil, false
}
