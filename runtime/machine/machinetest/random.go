package machinetest

import (
	"math/rand/v2"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// epoch is what random times are after.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// RandomValue fits t.
func RandomValue(r *rand.Rand, d *machine.Definition, t *machine.Type) machine.Value {
	low, high := int64(0), int64(9)
	if t.Min != nil {
		low, high = *t.Min, *t.Max
	}
	if high-low > 1000 || high < low { // one of three
		low, high = []int64{low, low/2 + high/2, high}[r.IntN(3)], 0
	}
	high = max(high, low)
	switch t.Kind {
	case machine.Bool:
		return machine.BoolValue(r.IntN(2) == 0)
	case machine.Int, machine.DurationKind:
		return machine.IntValue(low + r.Int64N(high-low+1))
	case machine.Float:
		return machine.FloatValue(r.NormFloat64())
	case machine.TimeKind:
		return machine.TimeValue(epoch.Add(time.Duration(r.IntN(1000)) * time.Minute))
	case machine.JSON:
		return machine.JSONValue([]string{"null", `{"a":[1]}`}[r.IntN(2)])
	case machine.EnumKind:
		if values := d.Enums[t.Enum].Values; len(values) > 0 {
			return machine.EnumValue(values[r.IntN(len(values))])
		}
	case machine.RecordKind:
		return machine.RecordValue(RandomValues(r, d, t.Fields)...)
	case machine.ListKind:
		var items []machine.Value
		n := r.Int64N(3)
		if t.Len != nil {
			n = t.Len.Min + r.Int64N(min(t.Len.Max-t.Len.Min, 2)+1)
		}
		for range n {
			items = append(items, RandomValue(r, d, t.Elem))
		}
		return machine.ListValue(items...)
	}
	return machine.StringValue([]string{"", "x", "ü\n"}[r.IntN(3)])
}

// RandomValues fit fields; those that may be absent sometimes are.
func RandomValues(r *rand.Rand, d *machine.Definition, list []machine.Field) []machine.Value {
	values := make([]machine.Value, len(list))
	for i := range list {
		if !list[i].Optional || r.IntN(3) > 0 {
			values[i] = RandomValue(r, d, &list[i].Type)
		}
		if list[i].Optional && values[i].Text() == "null" {
			values[i] = machine.Unset
		}
	}
	return values
}
