package machinetest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

func (b *builder) typ(s string) machine.Type {
	if length, elem, ok := strings.Cut(s, "]"); ok {
		t := b.typ(elem)
		list := machine.Type{Kind: machine.ListKind, Elem: &t}
		if length != "[" {
			list.Len = new(machine.Length)
			must(fmt.Sscanf(length, "[%d..%d", &list.Len.Min, &list.Len.Max))
		}
		return list
	}
	name, limits, ranged := strings.Cut(s, " ")
	for i, e := range b.d.Enums {
		if e.Name == name {
			return machine.Type{Kind: machine.EnumKind, Enum: i}
		}
	}
	if t, ok := b.records[name]; ok {
		return t
	}
	t := machine.Type{Kind: machine.Kind(name)}
	if ranged {
		low, high, _ := strings.Cut(limits, "..")
		bound := func(s string) *int64 {
			if t.Kind == machine.DurationKind {
				return new(int64(Duration(s)))
			}
			return new(must(strconv.ParseInt(s, 10, 64)))
		}
		t.Min, t.Max = bound(low), bound(high)
	}
	return t
}

// Duration reads a duration that is right.
func Duration(s string) time.Duration {
	return must(time.ParseDuration(s))
}

// fieldsOf reads "a int 0..3, b string?".
func (b *builder) fieldsOf(list string) []machine.Field {
	var out []machine.Field
	for _, f := range strings.Split(list, ",") {
		if f = strings.TrimSpace(f); f != "" {
			name, typ, _ := strings.Cut(f, " ")
			typ, value, hasDefault := strings.Cut(typ, " = ")
			typ, optional := strings.CutSuffix(typ, "?")
			field := machine.Field{Name: name, Type: b.typ(typ), Optional: optional}
			if hasDefault {
				field.Default = json.RawMessage(value)
			}
			out = append(out, field)
		}
	}
	return out
}

// WithParams declares parameters: "a int, b string?".
func WithParams(list string) Part {
	return func(b *builder, _ int) { b.d.Params = b.fieldsOf(list) }
}

// WithFields declares data.
func WithFields(list string) Part {
	return func(b *builder, _ int) { b.d.Fields = b.fieldsOf(list) }
}

// WithEnum declares an enum.
func WithEnum(name string, values ...string) Part {
	return func(b *builder, _ int) { b.d.Enums = append(b.d.Enums, machine.Enum{Name: name, Values: values}) }
}

// WithRecord declares the type of items of lists; fields have the names of its leaves.
func WithRecord(name, fields string) Part {
	return func(b *builder, _ int) {
		b.records[name] = machine.Type{Kind: machine.RecordKind, Name: name, Fields: b.fieldsOf(fields)}
	}
}

// WithEvent declares an event and its fields.
func WithEvent(name, fields string) Part {
	return func(b *builder, _ int) {
		b.d.Events = append(b.d.Events, machine.Event{Name: name, Fields: b.fieldsOf(fields)})
	}
}

// WithGuard declares a guard of the host and its arguments.
func WithGuard(name, fields string) Part {
	return func(b *builder, _ int) {
		b.d.Guards = append(b.d.Guards, machine.Guard{Name: name, Params: b.fieldsOf(fields)})
	}
}

// Calling declares a machine that may run as a child, as an activity of its name. Its
// enums and records are not declared with it.
func Calling(child *machine.Machine) Part {
	return func(b *builder, parent int) {
		d := child.Definition()
		var results []string
		for i := range d.States {
			if s := &d.States[i]; s.Kind == machine.TerminalState {
				e := machine.Event{Name: d.Name + "." + s.Path}
				for _, r := range s.Returns {
					from := d.Fields
					if r.Op == "param" {
						from = d.Params
					}
					e.Fields = append(e.Fields, machine.Field{Name: from[r.Index].Name, Type: from[r.Index].Type})
				}
				b.d.Events = append(b.d.Events, e)
				results = append(results, e.Name)
			}
		}
		WithActivity(d.Name, "", strings.Join(results, " "), "cancelled")(b, parent)
		a := &b.d.Activities[len(b.d.Activities)-1]
		a.Callee, a.Params = child.Hash(), d.Params
	}
}

// Named gives the machine another name than M.
func Named(name string) Part {
	return func(b *builder, _ int) { b.d.Name = name }
}

// WithLimit gives an activity a limit over all runs.
func WithLimit(activity string, l machine.Limit) Part {
	return func(b *builder, _ int) { b.d.Activities[b.activity(activity)].Limit = &l }
}

func (b *builder) activity(name string) int {
	return slices.IndexFunc(b.d.Activities, func(a machine.Activity) bool { return a.Name == name })
}

// WithCosts gives an activity costs, or the machine a budget of them where it is empty:
// "usd 0.4, tokens 10".
func WithCosts(activity, costs string) Part {
	return func(b *builder, _ int) {
		var list []machine.Cost
		for _, c := range strings.Split(costs, ", ") {
			name, amount, _ := strings.Cut(c, " ")
			list = append(list, machine.Cost{Name: name, Amount: amount})
		}
		if activity == "" {
			b.d.Budget = &machine.Budget{Costs: list}
		} else {
			b.d.Activities[b.activity(activity)].Costs = list
		}
	}
}

// WithActivity declares an activity: results and failures are lists of names.
func WithActivity(name, fields, results, fails string) Part {
	return func(b *builder, _ int) {
		a := machine.Activity{Name: name, Params: b.fieldsOf(fields)}
		for _, r := range strings.Fields(results) {
			e := b.event(r)
			b.d.Events[e].Internal = true
			a.Results = append(a.Results, e)
		}
		for _, f := range strings.Fields(fails) {
			if !slices.Contains(b.d.Categories, f) {
				b.d.Categories = append(b.d.Categories, f)
			}
			a.Fails = append(a.Fails, slices.Index(b.d.Categories, f))
		}
		b.d.Activities = append(b.d.Activities, a)
	}
}

func (b *builder) event(name string) int {
	i := slices.IndexFunc(b.d.Events, func(e machine.Event) bool { return e.Name == name })
	if i < 0 {
		panic("no event " + name)
	}
	return i
}
