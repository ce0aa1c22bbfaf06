// Package missingrange finds fields on which a path depends and which can take
// any number of values.
package missingrange

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of missing-range.
var Rule = &check.Rule{
	Name:     "missing-range",
	Group:    check.Data,
	Severity: diag.Error,
	Summary:  "a guard reads an unranged int or duration that an effect computes",
	Run:      run,
	Absence:  true,
}

// Of an int or a duration that is only copied and compared with constants the
// checker tells apart the regions between those constants. One that is computed
// from itself has no such regions, and without a range no end of values either.
// So every field that is computed and unranged is reported where a guard reads
// it, itself or through fields into which effects put it.
func run(p *check.Pass) {
	computed := computations(p)
	if len(computed) == 0 {
		return
	}
	read := guardReads(p)
	for _, v := range p.Machine.Fields {
		effect, reader := computed[v], read[v]
		if effect == nil || reader == nil {
			continue
		}
		by := "a guard reads it here"
		if reader.through != v {
			by = "a guard reads " + check.Quote(reader.through.Name) + " here, which depends on it"
		}
		p.Report(check.Finding{
			Field:   v,
			Span:    v.Span,
			Message: "field " + check.Quote(v.Name) + " has no range, but an effect computes it and a path depends on it",
			Help:    "Declare its range, such as `" + example(v) + "`.",
			Related: []diag.Related{
				{Span: effect.Span, Message: "it is computed here"},
				{Span: reader.guard.Span(), Message: by},
			},
		})
	}
}

// unranged reports whether v is an int or a duration without a range.
func unranged(v *ir.Var) bool {
	return !v.Param && v.Type.Range == nil && (v.Type.Kind == ir.Int || v.Type.Kind == ir.Duration)
}

func example(v *ir.Var) string {
	if v.Type.Kind == ir.Duration {
		return v.Name + " duration 0s..1h"
	}
	return v.Name + " int 0..100"
}

// computations gives for each unranged field the first effect that computes
// it, of those that some run may reach.
func computations(p *check.Pass) map[*ir.Var]*ir.Assign {
	first := map[*ir.Var]*ir.Assign{}
	for _, a := range assigns(p) {
		if first[a.Var] == nil && unranged(a.Var) && computes(a.Value) {
			first[a.Var] = a
		}
	}
	return first
}

// computes reports whether e makes a new value of others than constants.
func computes(e ir.Expr) bool {
	operator, variable := false, false
	for e := range ir.PartsOf(e) {
		switch e := e.(type) {
		case *ir.Binary:
			operator = operator || e.Op == ir.OpAdd || e.Op == ir.OpSub || e.Op == ir.OpMul
		case *ir.Unary:
			operator = operator || e.Op == ir.OpSub
		case *ir.Call:
			operator = operator || e.Builtin != ""
		case *ir.VarRef, *ir.FieldRef, *ir.Now:
			variable = true
		}
	}
	return operator && variable
}
