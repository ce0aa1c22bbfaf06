package oracletest

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// valuesOf lists what fields can hold. What has no range is compared with
// constants only: those of the machine and their neighbours stand for the rest.
type valuesOf struct {
	d     *machine.Definition
	ints  []int64
	waits []int64
	texts []string
	most  int64 // of the lengths of lists without a range
}

func newValuesOf(d *machine.Definition) valuesOf {
	v := valuesOf{d: d, texts: []string{"other"}}
	ints, waits, texts := map[int64]bool{0: true}, map[int64]bool{0: true}, map[string]bool{}
	constant := func(kind machine.Kind, value json.RawMessage) {
		var n int64
		var text string
		switch {
		case kind == machine.Int && json.Unmarshal(value, &n) == nil:
			ints[n-1], ints[n], ints[n+1] = true, true, true
		case kind == machine.DurationKind && json.Unmarshal(value, &text) == nil:
			if wait, err := time.ParseDuration(text); err == nil {
				waits[int64(wait)-1], waits[int64(wait)], waits[int64(wait)+1] = true, true, true
			}
		case kind == machine.String && json.Unmarshal(value, &text) == nil:
			texts[text] = true
		}
	}
	for _, f := range fieldsOf(d) {
		if f.Type.Len != nil {
			v.most = max(v.most, f.Type.Len.Max+1)
		}
	}
	for _, f := range d.Fields {
		constant(f.Type.Kind, f.Default)
	}
	for _, e := range expressions(d) {
		visit(e, func(e *machine.Expr) {
			if e.Op == "lit" {
				constant(e.Type.Kind, e.Value)
			}
		})
	}
	v.ints, v.waits = slices.Sorted(maps.Keys(ints)), slices.Sorted(maps.Keys(waits))
	v.texts = append(v.texts, slices.Sorted(maps.Keys(texts))...)
	for _, e := range conditions(d) {
		visit(e, func(e *machine.Expr) {
			if e.Op == "len" {
				v.most = max(v.most, v.ints[len(v.ints)-1])
			}
		})
	}
	return v
}

// fieldsOf are all parameters and fields of d, and those of its events.
func fieldsOf(d *machine.Definition) []machine.Field {
	list := slices.Concat(d.Params, d.Fields)
	for _, e := range d.Events {
		list = append(list, e.Fields...)
	}
	return list
}

// expressions are all conditions and all right sides of d.
func expressions(d *machine.Definition) []*machine.Expr {
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
func conditions(d *machine.Definition) []*machine.Expr {
	var list []*machine.Expr
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
func blocks(d *machine.Definition) []*machine.Block {
	var list []*machine.Block
	add := func(b *machine.Block) {
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
func visit(e *machine.Expr, f func(*machine.Expr)) {
	f(e)
	for _, x := range e.Args {
		visit(x, f)
	}
}

// ids are those of the runs to try: one that no machine names, and the constants with
// which the id is compared.
func (v *valuesOf) ids() []string {
	ids := map[string]bool{"r": true}
	for _, e := range conditions(v.d) {
		visit(e, func(e *machine.Expr) {
			if len(e.Args) != 2 || e.Args[0].Op != "run" || e.Args[1].Op != "lit" {
				return
			}
			var text string
			if json.Unmarshal(e.Args[1].Value, &text) == nil {
				ids[text] = true
			}
		})
	}
	return slices.Sorted(maps.Keys(ids))
}

// of lists the values of a type.
func (v *valuesOf) of(t *machine.Type) []machine.Value {
	var out []machine.Value
	switch t.Kind {
	case machine.Bool:
		return []machine.Value{machine.BoolValue(false), machine.BoolValue(true)}
	case machine.Int:
		if t.Min == nil {
			for _, n := range v.ints {
				out = append(out, machine.IntValue(n))
			}
			return out
		}
		for n := *t.Min; n <= *t.Max; n++ {
			out = append(out, machine.IntValue(n))
		}
	case machine.DurationKind:
		for _, n := range v.waits {
			if t.Min == nil || n >= *t.Min && n <= *t.Max {
				out = append(out, machine.DurationValue(time.Duration(n)))
			}
		}
		if t.Min != nil {
			out = append(out, machine.DurationValue(time.Duration(*t.Max)))
		}
	case machine.EnumKind:
		for _, name := range v.d.Enums[t.Enum].Values {
			out = append(out, machine.EnumValue(name))
		}
	case machine.String:
		for _, text := range v.texts {
			out = append(out, machine.StringValue(text))
		}
	case machine.Float:
		return []machine.Value{machine.FloatValue(0)}
	case machine.TimeKind:
		return []machine.Value{machine.TimeValue(start)}
	case machine.JSON:
		return v.documents()
	case machine.ListKind:
		lo, hi := int64(0), v.most
		if t.Len != nil {
			lo, hi = t.Len.Min, t.Len.Max
		}
		items := v.of(t.Elem)
		if t.Elem.Kind != machine.RecordKind { // then no item decides anything
			items = items[:1]
		}
		for n := lo; n <= hi; n++ {
			for _, row := range rows(slices.Repeat([][]machine.Value{items}, int(n))) {
				out = append(out, machine.ListValue(row...))
			}
		}
	case machine.RecordKind:
		var leaves [][]machine.Value
		for i := range t.Fields {
			leaves = append(leaves, v.of(&t.Fields[i].Type))
		}
		for _, row := range rows(leaves) {
			out = append(out, machine.RecordValue(row...))
		}
	}
	return out
}

// documents are the objects that have all that an effect takes out of an event, with
// each combination of its values; else it is null.
func (v *valuesOf) documents() []machine.Value {
	taken := map[string]*machine.Type{}
	for _, e := range expressions(v.d) {
		if e.Op == "fit" && e.Args[0].Op == "key" && e.Args[0].Args[0].Op == "event" {
			taken[e.Args[0].Name] = &e.Type
		}
	}
	texts := []string{""}
	for _, key := range slices.Sorted(maps.Keys(taken)) {
		var longer []string
		for _, text := range texts {
			for _, value := range v.of(taken[key]) {
				form := strconv.Quote(value.Text())
				switch taken[key].Kind {
				case machine.Bool:
					form = strconv.FormatBool(value.Bool())
				case machine.Int:
					form = strconv.FormatInt(value.Int(), 10)
				}
				longer = append(longer, text+","+strconv.Quote(key)+":"+form)
			}
		}
		texts = longer
	}
	if len(taken) == 0 {
		return []machine.Value{machine.JSONValue("null")}
	}
	var out []machine.Value
	for _, text := range texts {
		out = append(out, machine.JSONValue("{"+text[1:]+"}"))
	}
	return out
}

// rows are every combination of a value of each list.
func rows(lists [][]machine.Value) [][]machine.Value {
	out := [][]machine.Value{nil}
	for _, list := range lists {
		var longer [][]machine.Value
		for _, row := range out {
			for _, v := range list {
				longer = append(longer, append(row[:len(row):len(row)], v))
			}
		}
		out = longer
	}
	return out
}

// each is in with every combination of values for fields.
func (s *Space) each(in machine.Input, fields []machine.Field) []machine.Input {
	var lists [][]machine.Value
	for i := range fields {
		values := s.values.of(&fields[i].Type)
		if fields[i].Optional {
			values = append(values, machine.Unset)
		}
		lists = append(lists, values)
	}
	var list []machine.Input
	for _, row := range wholeRecords(fields, rows(lists)) {
		in.Data = row
		list = append(list, in)
	}
	return list
}

// wholeRecords are those of rows, values of fields, in which each record that may be absent is there
// with all that it always has, or not at all.
func wholeRecords(fields []machine.Field, rows [][]machine.Value) [][]machine.Value {
	return slices.DeleteFunc(rows, func(row []machine.Value) bool {
		for i := range fields {
			for n, record := range fields[i].Within {
				if record == fields[i].Name {
					continue
				}
				there := slices.ContainsFunc(fields, func(f machine.Field) bool {
					return strings.HasPrefix(f.Name, record+".") && row[slices.IndexFunc(fields, func(g machine.Field) bool { return g.Name == f.Name })].IsSet()
				})
				if last := n == len(fields[i].Within)-1; there != row[i].IsSet() && (last || !there) {
					return true
				}
			}
		}
		return false
	})
}
