package replay

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// number is a bool (0 or 1), an int, an index of an enum, nanoseconds of a duration, or
// nanoseconds since 1970 of a time, as a value of type t.
func number(t *ir.Type, n int64) machine.Value {
	switch t.Kind {
	case ir.Bool:
		return machine.BoolValue(n != 0)
	case ir.Time:
		return machine.TimeValue(time.Unix(0, n))
	case ir.EnumKind:
		return machine.EnumValue(t.Enum.Values[n])
	}
	return machine.IntValue(n)
}

// content is the number of a value of type t; see number.
func content(t *ir.Type, v machine.Value) int64 {
	switch t.Kind {
	case ir.Time:
		return v.Time().UnixNano()
	case ir.EnumKind:
		return int64(slices.Index(t.Enum.Values, v.Text()))
	}
	return v.Int()
}

func constant(t *ir.Type, c *ir.Const) machine.Value {
	switch c.Kind {
	case ir.Float:
		return machine.FloatValue(c.Float)
	case ir.String:
		return machine.StringValue(c.Str)
	case ir.EnumKind:
		return machine.EnumValue(c.Str)
	case ir.JSON:
		return machine.JSONValue(c.Str)
	case ir.List:
		return machine.ListValue()
	}
	return number(t, c.Int)
}

// fits reports whether v may stand in a field of type t, as far as ranges and lengths
// say.
func fits(t *ir.Type, v machine.Value) bool {
	switch {
	case !v.IsSet():
		return true
	case t.Kind != ir.List:
		return t.Range == nil || t.Range.Contains(content(t, v))
	case t.Len != nil && !t.Len.Contains(int64(len(v.List()))):
		return false
	}
	return !slices.ContainsFunc(v.List(), func(item machine.Value) bool { return !fits(t.Elem, item) })
}

// parseSaid is parse for what a witness says: null stands for what is absent.
func parseSaid(t *ir.Type, x any) (machine.Value, error) {
	if x == nil || x == witness.Present {
		return machine.Unset, nil
	}
	return parse(t, x)
}

// parse reads the JSON form of a value of type t, as a witness holds it.
func parse(t *ir.Type, x any) (machine.Value, error) {
	if t.Kind == ir.JSON {
		text, err := json.Marshal(x)
		return machine.JSONValue(string(text)), err
	}
	switch x := x.(type) {
	case bool:
		return machine.BoolValue(x), nil
	case int64:
		if t.Kind == ir.Float {
			return machine.FloatValue(float64(x)), nil
		}
		return machine.IntValue(x), nil
	case int:
		return parse(t, int64(x))
	case float64:
		if t.Kind == ir.Int && x == math.Trunc(x) {
			return machine.IntValue(int64(x)), nil
		}
		return machine.FloatValue(x), nil
	case json.Number:
		if n, err := x.Int64(); err == nil {
			return parse(t, n)
		}
		f, err := x.Float64()
		return machine.FloatValue(f), err
	case string:
		return parseText(t, x)
	case []any:
		items := make([]machine.Value, len(x))
		for i, item := range x {
			var err error
			if items[i], err = parse(t.Elem, item); err != nil {
				return machine.Unset, err
			}
		}
		return machine.ListValue(items...), nil
	case map[string]any:
		if t.Kind == ir.RecordKind {
			leaves, err := leavesOf(t, x)
			return machine.RecordValue(leaves...), err
		}
	}
	return machine.Unset, fmt.Errorf("%v is no %s", x, t)
}

func parseText(t *ir.Type, x string) (machine.Value, error) {
	switch t.Kind {
	case ir.Duration:
		d, err := time.ParseDuration(x)
		return machine.DurationValue(d), err
	case ir.Time:
		at, err := time.Parse(time.RFC3339Nano, x)
		return machine.TimeValue(at), err
	case ir.EnumKind:
		if !slices.Contains(t.Enum.Values, x) {
			return machine.Unset, fmt.Errorf("%q is no %s", x, t)
		}
		return machine.EnumValue(x), nil
	}
	return machine.StringValue(x), nil
}

// form is the JSON form of a value of type t.
func form(t *ir.Type, v machine.Value) any {
	if !v.IsSet() {
		return nil
	}
	switch t.Kind {
	case ir.Bool:
		return v.Bool()
	case ir.Float:
		return v.Float()
	case ir.Duration:
		return ir.FormatDuration(v.Int())
	case ir.Time:
		return v.Time().Format("2006-01-02T15:04:05.999999Z07:00")
	case ir.EnumKind, ir.String:
		return v.Text()
	case ir.JSON:
		return json.RawMessage(v.Text())
	case ir.List:
		items := []any{}
		for _, item := range v.List() {
			items = append(items, form(t.Elem, item))
		}
		return items
	case ir.RecordKind:
		leaves := v.List()
		return record(t, &leaves)
	}
	return v.Int()
}

// record is the JSON form of a record, of whose leaves it takes the first.
func record(t *ir.Type, leaves *[]machine.Value) any {
	if t.Kind != ir.RecordKind {
		first := (*leaves)[0]
		*leaves = (*leaves)[1:]
		return form(t, first)
	}
	members := map[string]any{}
	for _, f := range t.Record.Fields {
		there := !f.Optional || (*leaves)[f.Type.FirstSure()].IsSet()
		if member := record(f.Type, leaves); there {
			members[f.Name] = member
		}
	}
	return members
}

// leavesOf reads the leaves of a record of type t from its JSON form.
func leavesOf(t *ir.Type, x any) ([]machine.Value, error) {
	if t.Kind != ir.RecordKind {
		v, err := parse(t, x)
		return []machine.Value{v}, err
	}
	members, ok := x.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%v is no %s", x, t)
	}
	var out []machine.Value
	for _, f := range t.Record.Fields {
		if f.Optional && members[f.Name] == nil {
			out = append(out, make([]machine.Value, f.Type.Count())...)
			continue
		}
		leaves, err := leavesOf(f.Type, members[f.Name])
		if err != nil {
			return nil, err
		}
		out = append(out, leaves...)
	}
	return out, nil
}

// plain is a value that fits t: the least, or an empty one. Waits are long, so
// that no timer comes before what a witness shows.
func plain(t *ir.Type) machine.Value {
	switch {
	case t.Range != nil && t.Kind == ir.Duration:
		return number(t, t.Range.Hi)
	case t.Range != nil && !t.Range.Contains(0):
		return number(t, t.Range.Lo)
	case t.Kind == ir.Duration:
		return machine.DurationValue(time.Hour)
	case t.Kind == ir.Time:
		return machine.TimeValue(epoch)
	case t.Kind == ir.Float:
		return machine.FloatValue(0)
	case t.Kind == ir.JSON:
		return machine.JSONValue("null")
	case t.Kind == ir.String:
		return machine.StringValue("")
	case t.Kind == ir.List:
		return ofLength(t, min(t.LeastLen(), longest))
	case t.Kind == ir.RecordKind:
		leaves := t.Leaves()
		values := make([]machine.Value, len(leaves))
		for i, l := range leaves {
			if !l.Optional {
				values[i] = plain(l.Type)
			}
		}
		return machine.RecordValue(values...)
	}
	return number(t, 0)
}

// key tells values of one type apart.
func key(v machine.Value) string { return string(appendKey(make([]byte, 0, 64), v)) }

func appendKey(text []byte, v machine.Value) []byte {
	text = strconv.AppendInt(strconv.AppendBool(text, v.IsSet()), v.Int(), 10)
	text = append(append(text, '/'), v.Text()...)
	for _, item := range v.List() {
		text = appendKey(append(text, '/'), item)
	}
	return text
}

// forLong is longer than a witness lasts, and leaves room for sums of times: a
// deadline so far on lets everything else come first.
const forLong = 36524 * 24 * time.Hour // until 2126-01-01
