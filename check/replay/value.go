package replay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// value is a value of a machine; its zero value is unset.
type value struct {
	set  bool
	n    int64 // of bool (0, 1), int, enum (index), duration and time (ns since 1970)
	f    float64
	s    string // of string and json
	list []value
	held *int // how many elements the array behind list has, of all values that share it
}

func number(n int64) value { return value{set: true, n: n} }

func truth(b bool) value {
	if b {
		return number(1)
	}
	return number(0)
}

func constant(c *ir.Const) value {
	return value{set: true, n: c.Int, f: c.Float, s: c.Str}
}

// with is the list v and x behind it. It copies v only where another list has
// grown from it before: a list may grow with each of many rows.
func (v value) with(x value) value {
	if v.held == nil || *v.held != len(v.list) {
		v.list, v.held = slices.Clone(v.list), new(int)
	}
	v.list = append(v.list, x)
	*v.held = len(v.list)
	return v
}

// fits reports whether v may stand in a field of type t.
func (v value) fits(t *ir.Type) bool {
	return !v.set || t.Range == nil || t.Range.Contains(v.n)
}

// equal compares values of one kind.
func (v value) equal(w value, k ir.Kind) bool {
	switch k {
	case ir.Float:
		return v.f == w.f
	case ir.String, ir.JSON:
		return v.s == w.s
	case ir.List:
		return slices.EqualFunc(v.list, w.list, func(a, b value) bool { return a.n == b.n && a.f == b.f && a.s == b.s })
	}
	return v.n == w.n
}

func (v value) compare(w value, k ir.Kind) int {
	if k == ir.Float {
		return cmp.Compare(v.f, w.f)
	}
	return cmp.Compare(v.n, w.n)
}

// parse reads the JSON form of a value of type t, as a witness holds it.
func parse(t *ir.Type, x any) (value, error) {
	wrong := fmt.Errorf("%v is no %s", x, t)
	switch x := x.(type) {
	case bool:
		return truth(x), nil
	case int64:
		if t.Kind == ir.Float {
			return value{set: true, f: float64(x)}, nil
		}
		return number(x), nil
	case int:
		return parse(t, int64(x))
	case float64:
		if t.Kind == ir.Int && x == math.Trunc(x) {
			return number(int64(x)), nil
		}
		return value{set: true, f: x}, nil
	case json.Number:
		if n, err := x.Int64(); err == nil {
			return parse(t, n)
		}
		f, err := x.Float64()
		return value{set: true, f: f}, err
	case string:
		return parseText(t, x)
	case []any:
		v := value{set: true}
		for _, item := range x {
			parsed, err := parse(t.Elem, item)
			if err != nil {
				return v, err
			}
			v.list = append(v.list, parsed)
		}
		return v, nil
	}
	return value{}, wrong
}

func parseText(t *ir.Type, x string) (value, error) {
	switch t.Kind {
	case ir.Duration:
		d, err := time.ParseDuration(x)
		return number(int64(d)), err
	case ir.Time:
		at, err := time.Parse(time.RFC3339Nano, x)
		return number(at.UnixNano()), err
	case ir.EnumKind:
		i := slices.Index(t.Enum.Values, x)
		if i < 0 {
			return value{}, fmt.Errorf("%q is no %s", x, t)
		}
		return value{set: true, n: int64(i), s: x}, nil
	}
	return value{set: true, s: x}, nil
}

// form is the JSON form of a value of type t.
func (v value) form(t *ir.Type) any {
	switch t.Kind {
	case ir.Bool:
		return v.n != 0
	case ir.Float:
		return v.f
	case ir.Duration:
		return ir.FormatDuration(v.n)
	case ir.Time:
		return time.Unix(0, v.n).UTC().Format("2006-01-02T15:04:05.999999Z07:00")
	case ir.EnumKind:
		return t.Enum.Values[v.n]
	case ir.String:
		return v.s
	case ir.JSON:
		return json.RawMessage(bytes.Clone([]byte(v.s)))
	case ir.List:
		items := []any{}
		for _, item := range v.list {
			items = append(items, item.form(t.Elem))
		}
		return items
	}
	return v.n
}

// plain is a value that fits t: the least, or an empty one. Waits are long, so
// that no timer comes before what a witness shows.
func plain(t *ir.Type) value {
	switch {
	case t.Range != nil && t.Kind == ir.Duration:
		return number(t.Range.Hi)
	case t.Range != nil && !t.Range.Contains(0):
		return number(t.Range.Lo)
	case t.Kind == ir.Duration:
		return number(int64(time.Hour))
	case t.Kind == ir.Time:
		return number(epoch)
	case t.Kind == ir.JSON:
		return value{set: true, s: "null"}
	case t.Kind == ir.EnumKind:
		return value{set: true, s: t.Enum.Values[0]}
	}
	return value{set: true}
}

// key tells values of one type apart.
func (v value) key() string {
	return strconv.FormatInt(v.n, 10) + "/" + strconv.FormatFloat(v.f, 'g', -1, 64) + "/" + v.s + "/" + fmt.Sprint(v.list)
}

// epoch is when every replayed run starts.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// forLong is longer than a witness lasts, and leaves room for sums of times: a
// deadline so far on lets everything else come first.
const forLong = 36524 * 24 * time.Hour // until 2126-01-01
