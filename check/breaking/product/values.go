package product

import (
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Which values are tried
//
// What nothing decides by has one value, which is unlike the others, so that a message
// that is made from another field differs. Of a field that a guard, a timer, a `require`
// or a backoff reads, also through other fields, the ends of its range are tried, and the
// constants of both machines with their neighbours: between two of these no comparison
// with a constant changes. Where it is compared with another field, that is a sample.

// maxEach is the most values of one field that are tried, maxTogether the most payloads.
const (
	maxEach     = 12
	maxTogether = 48
)

// values knows what to try in two machines.
type values struct {
	decides map[string]bool // names of parameters and fields, and of events and their fields, "Event.field"
	numbers []int64         // constants and their neighbours
	waits   []int64
	texts   []string
	lengths []int64
}

func newValues(machines ...*ir.Machine) *values {
	v := &values{decides: map[string]bool{}}
	numbers, waits, texts, lengths := map[int64]bool{}, map[int64]bool{}, map[string]bool{}, map[int64]bool{}
	near := func(to map[int64]bool, n int64) {
		for _, k := range []int64{n - 1, n, n + 1} {
			to[k] = true
		}
	}
	for _, m := range machines {
		v.note(m)
		for e := range ir.Parts(conditions(m)) {
			if b, ok := e.(*ir.Binary); ok {
				if _, _, k, ok := ir.ListLength(b); ok {
					near(lengths, k)
				}
			}
			c := ir.Value(e)
			switch {
			case c == nil:
			case c.Kind == ir.Int:
				near(numbers, c.Int)
			case c.Kind == ir.Duration:
				near(waits, c.Int)
			case c.Kind == ir.String:
				texts[c.Str] = true
			}
		}
	}
	v.numbers, v.waits = slices.Sorted(maps.Keys(numbers)), slices.Sorted(maps.Keys(waits))
	v.texts, v.lengths = slices.Sorted(maps.Keys(texts)), slices.Sorted(maps.Keys(lengths))
	return v
}

// conditions are the expressions on which the path of a run depends.
func conditions(m *ir.Machine) iter.Seq[ir.Expr] {
	return func(yield func(ir.Expr) bool) {
		for _, a := range m.Arms {
			if a.When != nil && !yield(a.When) || a.Backoff != nil && a.Backoff.By != nil && !yield(a.Backoff.By) {
				return
			}
		}
		for _, s := range m.States {
			if s.Require != nil && !yield(s.Require.Cond) {
				return
			}
		}
	}
}

// note finds what decides in m: what conditions read, timers wait for and fans go over, and
// what is assigned to that.
func (v *values) note(m *ir.Machine) {
	for e := range conditions(m) {
		v.read(m, e)
	}
	for _, t := range m.Timers {
		if t.Var != nil {
			v.decides[t.Var.Name] = true
		}
	}
	for _, d := range m.Dos {
		if d.Fan != nil {
			v.decides[d.Fan.List.Name] = true
		}
	}
	for before := -1; before != len(v.decides); {
		before = len(v.decides)
		for b := range m.Blocks() {
			for _, a := range b.Assigns {
				if v.decides[a.Var.Name] {
					v.read(m, a.Value)
				}
			}
		}
	}
}

// read notes what e reads. Which event a field is of is not looked up: all with one of
// that name are meant.
func (v *values) read(m *ir.Machine, e ir.Expr) {
	for _, x := range ir.Vars(e) {
		v.decides[x.Name] = true
	}
	for e := range ir.PartsOf(e) {
		if f, ok := e.(*ir.FieldRef); ok {
			for _, event := range m.Events {
				if event.Field(f.Name) != nil {
					v.decides[event.Name+"."+f.Name] = true
				}
			}
		}
	}
}

// of lists the values to try of what has the type old in one machine and new in the other:
// those that fit both. The number tells plain values of several fields apart.
func (v *values) of(name string, old, new *ir.Type, number int) []machine.Value {
	if !v.decides[name] {
		return []machine.Value{plain(old, new, number)}
	}
	lo, hi := limits(old.Range, new.Range, math.MinInt64, math.MaxInt64)
	var out []machine.Value
	add := func(list []int64) {
		for _, n := range list {
			if n >= lo && n <= hi {
				out = append(out, machine.IntValue(n))
			}
		}
	}
	switch old.Kind {
	case ir.Bool:
		return []machine.Value{machine.BoolValue(false), machine.BoolValue(true)}
	case ir.Int:
		add(ends(v.numbers, lo, hi, number))
	case ir.Duration:
		add(ends(v.waits, max(lo, 0), hi, int(time.Minute)))
	case ir.EnumKind:
		for _, name := range old.Enum.Values {
			if slices.Contains(new.Enum.Values, name) {
				out = append(out, machine.EnumValue(name))
			}
		}
	case ir.String:
		for _, text := range v.texts {
			out = append(out, machine.StringValue(text))
		}
		out = append(out, plain(old, new, number))
	case ir.Time:
		for _, at := range []time.Duration{time.Minute, 30 * 24 * time.Hour} {
			out = append(out, machine.TimeValue(epoch.Add(at)))
		}
	case ir.List:
		lo, hi := limits(old.Len, new.Len, 0, math.MaxInt64)
		for _, n := range ends(v.lengths, lo, min(hi, 3), 1) {
			if n >= lo && n <= hi {
				out = append(out, items(old, new, int(n)))
			}
		}
	default:
		out = append(out, plain(old, new, number))
	}
	if len(out) == 0 {
		return []machine.Value{plain(old, new, number)}
	}
	return out[:min(len(out), maxEach)]
}

// ends are the numbers of list between lo and hi, with these, and one more. An end that
// is none is left out.
func ends(list []int64, lo, hi int64, more int) []int64 {
	out := slices.Clone(list)
	for _, n := range []int64{lo, hi, int64(more)} {
		if n != math.MinInt64 && n != math.MaxInt64 {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func limits(a, b *ir.Range, lo, hi int64) (int64, int64) {
	for _, r := range []*ir.Range{a, b} {
		if r != nil {
			lo, hi = max(lo, r.Lo), min(hi, r.Hi)
		}
	}
	return lo, hi
}

// plain is a value that fits both types, where one does: by its number it differs from
// others.
func plain(old, new *ir.Type, number int) machine.Value {
	lo, hi := limits(old.Range, new.Range, math.MinInt64, math.MaxInt64)
	switch old.Kind {
	case ir.Bool:
		return machine.BoolValue(true)
	case ir.Int:
		return machine.IntValue(max(lo, min(hi, int64(number))))
	case ir.Float:
		return machine.FloatValue(float64(number) + 0.5)
	case ir.Duration:
		return machine.DurationValue(time.Duration(max(lo, min(hi, int64(time.Minute)))))
	case ir.Time:
		return machine.TimeValue(epoch.Add(time.Duration(number) * time.Hour))
	case ir.JSON:
		return machine.JSONValue(`{}`)
	case ir.EnumKind:
		for _, name := range old.Enum.Values {
			if new.Kind == ir.EnumKind && slices.Contains(new.Enum.Values, name) {
				return machine.EnumValue(name)
			}
		}
		return machine.EnumValue(old.Enum.Values[0])
	case ir.List:
		lo, hi := limits(old.Len, new.Len, 0, math.MaxInt64)
		return items(old, new, int(min(max(lo, 1), hi, 1000)))
	case ir.RecordKind:
		var leaves []machine.Value
		for i, l := range old.Leaves() {
			leaves = append(leaves, plain(l.Type, l.Type, number+i))
		}
		return machine.RecordValue(leaves...)
	}
	return machine.StringValue("text " + string(rune('a'+number%26)))
}

func items(old, new *ir.Type, n int) machine.Value {
	var list []machine.Value
	for i := range n {
		if old.Elem == nil || new.Elem == nil {
			break
		}
		list = append(list, plain(old.Elem, new.Elem, i+1))
	}
	return machine.ListValue(list...)
}
