// Package readbeforeset finds reads of fields that a run may not have set.
package readbeforeset

import (
	_ "embed"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Rule is the record of read-before-set.
var Rule = &check.Rule{
	Name:     "read-before-set",
	Group:    check.Data,
	Severity: diag.Error,
	Summary:  "some run reads a field that it has not set, and no `is set` protects it",
	Page:     page,
	Run:      run,
	Absence:  true,
}

//go:embed page.md
var page string

// maxRelated is the most further reads that are shown beside a finding.
const maxRelated = 3

// One field is one finding, at the read that the shortest run comes to.
func run(p *check.Pass) {
	if p.Machine.Broken || p.Graph() == nil || p.Graph().Coarse {
		return // a lost name may be the effect that sets it
	}
	tracked := trackedFields(p.Machine)
	if len(tracked) == 0 {
		return
	}
	w := newWalk(p.Graph(), tracked)
	w.run()
	for _, v := range p.Machine.Fields {
		if reads := w.faults[v]; len(reads) > 0 {
			report(p, w, v, reads)
		}
	}
}

// maxTracked is the number of fields that are followed, one bit each.
const maxTracked = 64

// trackedFields are the fields that start unset, each with its bit.
func trackedFields(m *ir.Machine) map[*ir.Var]uint64 {
	bits := map[*ir.Var]uint64{}
	for _, v := range m.Fields {
		if v.Default == nil && len(bits) < maxTracked {
			bits[v] = 1 << len(bits)
		}
	}
	return bits
}

// fault is a read of an unset field.
type fault struct {
	span  token.Span
	at    int32    // the number of the node in which it is met; explore.None while the machine is entered
	input *ir.Case // the input that is judged there; nil where an activity starts
	given moment   // what comes with the input
}

func report(p *check.Pass, w *walk, v *ir.Var, reads []fault) {
	name := check.Quote(v.Name)
	f := check.Finding{
		State:   w.leafOf(reads[0]),
		Field:   v,
		Span:    reads[0].span,
		Message: "field " + name + " is read here, and some run has not set it",
		Help:    "Set it on every way that leads here, ask `" + v.Name + " is set` first, or give it a default.",
		Related: []diag.Related{{Span: v.Span, Message: name + " has no default"}},
	}
	for _, r := range reads[1:min(len(reads), maxRelated+1)] {
		f.Related = append(f.Related, diag.Related{Span: r.span, Message: "the same of this read"})
	}
	if p.MoreWitnesses() {
		f.Witness = w.witness(p, reads[0])
	}
	p.Report(f)
}
