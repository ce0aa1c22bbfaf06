package readbeforeset

import (
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// What an input carries and what host guards answer is for the environment to
// choose. outcomes tries, for the fields and the guards that stand in the
// conditions in question, the values that can make a difference: those next to
// the constants written there. Where some choice makes an arm certain, whatever
// the fields of the run hold, a run can take it. Nothing else is concluded, so
// it does no harm that not all values are tried.

// outcome is one way to go on.
type outcome struct {
	arm   int    // index of the condition that comes out true first, -1 where none does
	given moment // with which it does
	spent bool   // the retries before it are used up
}

// outcomes are the ways in which conditions, tried in order in node i, can
// surely come out; nil is a condition that always holds. Without an input they
// are those of a `require`.
func (w *walk) outcomes(i int32, in *flat.Input, conditions []ir.Expr) []outcome {
	var out []outcome
	type way struct {
		arm   int
		spent bool
	}
	known := map[way]bool{}
	for _, given := range w.choices(in, conditions) {
		for _, o := range w.tryAll(i, in, conditions, given) {
			if at := (way{o.arm, o.spent}); !known[at] {
				known[at] = true
				out = append(out, o)
			}
		}
	}
	return out
}

// tryAll goes through the conditions under one choice.
func (w *walk) tryAll(i int32, in *flat.Input, conditions []ir.Expr, given moment) []outcome {
	r := &reader{walk: w, at: i, unset: w.nodes[i].unset, given: given}
	if in != nil {
		r.input = &in.Case
	}
	var out []outcome
	spent := false
	for k, cond := range conditions {
		holds := truth(true)
		if cond != nil {
			holds = r.eval(cond)
		}
		switch {
		case r.halted || !holds.known:
			return out
		case holds.is(false) || in != nil && neverOpen(in.Choices[k].Arm):
			continue
		}
		out = append(out, outcome{arm: k, given: given, spent: spent})
		if in == nil || !canSpend(in, in.Choices[k].Arm) {
			return out
		}
		spent, r.muted = true, true
	}
	if in == nil {
		out = append(out, outcome{arm: -1, given: given})
	}
	return out
}

func neverOpen(a *ir.Arm) bool { return a != nil && a.Max != nil && *a.Max <= 0 }

// canSpend reports whether it takes no more to use a up than the same input,
// again and again.
func canSpend(in *flat.Input, a *ir.Arm) bool {
	return a != nil && a.Kind == ir.Retry && a.Max != nil && a.Block == nil && a.Backoff.By == nil && in.Do != nil
}

// maxChoices is the most choices that are tried for one input; where there are
// more, nothing is taken to be known of what comes with it.
const maxChoices = 1 << 9

// variable is something that the environment chooses.
type variable struct {
	field  string // of the event; or
	host   string // the text of a host guard
	values []value
}

// choices lists the choices to be tried.
func (w *walk) choices(in *flat.Input, conditions []ir.Expr) []moment {
	variables := w.variables(in, conditions)
	total := 1
	for _, v := range variables {
		if total *= len(v.values); total > maxChoices {
			return []moment{{}}
		}
	}
	out := make([]moment, total)
	for i := range out {
		rest := i
		for _, v := range variables {
			x := v.values[rest%len(v.values)]
			rest /= len(v.values)
			switch {
			case v.field != "":
				if out[i].event == nil {
					out[i].event = map[string]value{}
				}
				out[i].event[v.field] = x
			default:
				if out[i].hosts == nil {
					out[i].hosts = map[string]bool{}
				}
				out[i].hosts[v.host] = x.is(true)
			}
		}
	}
	return out
}

// variables are the event's fields and the host guards in conditions, each
// once. A host guard that is asked with several sets of arguments is left out:
// they may be the same, and then so is the answer. In a `require` so is one
// that is asked anywhere else: it may have been asked in the same step.
func (w *walk) variables(in *flat.Input, conditions []ir.Expr) []variable {
	var list []variable
	near := constantsIn(conditions)
	fields, texts := map[string]bool{}, map[*ir.Guard]map[string]bool{}
	for _, cond := range conditions {
		ir.Walk(cond, func(e ir.Expr) bool {
			switch e := e.(type) {
			case *ir.FieldRef:
				if fields[e.Name] {
					break
				}
				fields[e.Name] = true
				if values := fieldValues(in, e.Name, near); len(values) > 0 {
					list = append(list, variable{field: e.Name, values: values})
				}
			case *ir.Call:
				if e.Guard == nil {
					break
				}
				if texts[e.Guard] == nil {
					texts[e.Guard] = map[string]bool{}
				}
				texts[e.Guard][ir.ExprText(e)] = true
			}
			return true
		})
	}
	for _, g := range w.g.Table.Machine.Guards {
		if len(texts[g]) != 1 || in == nil && !w.alone[g] {
			continue
		}
		for text := range texts[g] {
			list = append(list, variable{host: text, values: []value{truth(true), truth(false)}})
		}
	}
	return list
}

// askedOnce are the host guards that stand in one condition of the machine, at
// one place.
func askedOnce(m *ir.Machine) map[*ir.Guard]bool {
	times := map[*ir.Guard]int{}
	count := func(cond ir.Expr) {
		ir.Walk(cond, func(e ir.Expr) bool {
			if c, ok := e.(*ir.Call); ok && c.Guard != nil {
				times[c.Guard]++
			}
			return true
		})
	}
	for _, a := range m.Arms {
		count(a.When)
	}
	for _, s := range m.States {
		if s.Require != nil {
			count(s.Require.Cond)
		}
	}
	once := map[*ir.Guard]bool{}
	for g, n := range times {
		once[g] = n == 1
	}
	return once
}
