package oracletest

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// valuesOf lists what fields can hold. What has no range is compared with
// constants only: those of the machine and their neighbours stand for the rest.
type valuesOf struct {
	d     *runtime.Definition
	ints  []int64
	waits []int64
	texts []string
}

func newValuesOf(d *runtime.Definition) valuesOf {
	v := valuesOf{d: d, texts: []string{"other"}}
	ints, waits, texts := map[int64]bool{0: true}, map[int64]bool{0: true}, map[string]bool{}
	constant := func(kind runtime.Kind, value json.RawMessage) {
		var n int64
		var text string
		switch {
		case kind == runtime.Int && json.Unmarshal(value, &n) == nil:
			ints[n-1], ints[n], ints[n+1] = true, true, true
		case kind == runtime.DurationKind && json.Unmarshal(value, &text) == nil:
			if wait, err := time.ParseDuration(text); err == nil {
				waits[int64(wait)-1], waits[int64(wait)], waits[int64(wait)+1] = true, true, true
			}
		case kind == runtime.String && json.Unmarshal(value, &text) == nil:
			texts[text] = true
		}
	}
	for _, f := range d.Fields {
		constant(f.Type.Kind, f.Default)
	}
	for _, e := range expressions(d) {
		visit(e, func(e *runtime.Expr) {
			if e.Op == "lit" {
				constant(e.Type.Kind, e.Value)
			}
		})
	}
	v.ints, v.waits = slices.Sorted(maps.Keys(ints)), slices.Sorted(maps.Keys(waits))
	v.texts = append(v.texts, slices.Sorted(maps.Keys(texts))...)
	return v
}

// expressions are all conditions and all right sides of d.
func expressions(d *runtime.Definition) []*runtime.Expr {
	list := conditions(d)
	for _, b := range blocks(d) {
		for _, a := range b.Assigns {
			if a.Value != nil {
				list = append(list, a.Value)
			}
		}
	}
	return list
}

// conditions are the guards and the requires of d.
func conditions(d *runtime.Definition) []*runtime.Expr {
	var list []*runtime.Expr
	for _, a := range d.Arms {
		if a.When != nil {
			list = append(list, a.When)
		}
	}
	for _, s := range d.States {
		if s.Require != nil {
			list = append(list, s.Require.Cond)
		}
	}
	return list
}

// blocks are all blocks of d.
func blocks(d *runtime.Definition) []*runtime.Block {
	var list []*runtime.Block
	add := func(b *runtime.Block) {
		if b != nil {
			list = append(list, b)
		}
	}
	for _, a := range d.Arms {
		add(a.Block)
	}
	for _, s := range d.States {
		add(s.Entry)
		add(s.Exit)
	}
	return list
}

// visit calls f with e and all its parts.
func visit(e *runtime.Expr, f func(*runtime.Expr)) {
	f(e)
	for _, x := range e.Args {
		visit(x, f)
	}
}

// of lists the values of a type.
func (v *valuesOf) of(t *runtime.Type) []runtime.Value {
	var out []runtime.Value
	switch t.Kind {
	case runtime.Bool:
		return []runtime.Value{runtime.BoolValue(false), runtime.BoolValue(true)}
	case runtime.Int:
		if t.Min == nil {
			for _, n := range v.ints {
				out = append(out, runtime.IntValue(n))
			}
			return out
		}
		for n := *t.Min; n <= *t.Max; n++ {
			out = append(out, runtime.IntValue(n))
		}
	case runtime.DurationKind:
		for _, n := range v.waits {
			if t.Min == nil || n >= *t.Min && n <= *t.Max {
				out = append(out, runtime.DurationValue(time.Duration(n)))
			}
		}
		if t.Min != nil {
			out = append(out, runtime.DurationValue(time.Duration(*t.Max)))
		}
	case runtime.EnumKind:
		for _, name := range v.d.Enums[t.Enum].Values {
			out = append(out, runtime.EnumValue(name))
		}
	case runtime.String:
		for _, text := range v.texts {
			out = append(out, runtime.StringValue(text))
		}
	case runtime.Float:
		return []runtime.Value{runtime.FloatValue(0)}
	case runtime.TimeKind:
		return []runtime.Value{runtime.TimeValue(start)}
	case runtime.JSON:
		return []runtime.Value{runtime.JSONValue("null")}
	case runtime.ListKind:
		return []runtime.Value{runtime.ListValue()}
	}
	return out
}

// each is in with every combination of values for fields.
func (s *Space) each(in runtime.Input, fields []runtime.Field) []runtime.Input {
	rows := [][]runtime.Value{nil}
	for i := range fields {
		var longer [][]runtime.Value
		for _, row := range rows {
			for _, v := range s.values.of(&fields[i].Type) {
				longer = append(longer, append(row[:len(row):len(row)], v))
			}
		}
		rows = longer
	}
	var list []runtime.Input
	for _, row := range rows {
		in.Data = row
		list = append(list, in)
	}
	return list
}
