package explore

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// empty reports whether no value lies in region code: a gap between two
// neighbouring integers, or beyond the ends of 64 bits.
func (d *domain) empty(code int64) bool {
	if d.kind != ir.Int && d.kind != ir.Duration || code%2 == 1 {
		return false
	}
	i := int(code / 2)
	switch n := len(d.ints); {
	case n == 0:
		return false
	case i == 0:
		return d.ints[0] == math.MinInt64
	case i == n:
		return d.ints[n-1] == math.MaxInt64
	}
	return d.ints[i-1]+1 == d.ints[i]
}

// holds decides `x op c` for an x in region code. The constant is one of the
// cuts, so that all of the region agrees.
func (d *domain) holds(code int64, op ir.Op, c *ir.Const) bool {
	at := d.code(c)
	if d.kind == ir.String {
		return (code == at) == (op == ir.OpEq)
	}
	return ordered(code, op, at)
}

// ordered is `a op b` over integers.
func ordered(a int64, op ir.Op, b int64) bool {
	switch op {
	case ir.OpEq:
		return a == b
	case ir.OpNe:
		return a != b
	case ir.OpLt:
		return a < b
	case ir.OpLe:
		return a <= b
	case ir.OpGt:
		return a > b
	}
	return a >= b
}

// sample is a value of region code, in its JSON form.
func (d *domain) sample(code int64) any {
	switch d.kind {
	case ir.Int:
		return sampleInt(d.ints, code)
	case ir.Duration:
		return ir.FormatDuration(sampleInt(d.ints, code))
	case ir.Float:
		return sampleFloat(d.floats, code)
	case ir.String:
		return d.sampleText(code)
	}
	return nil
}

func sampleInt(cuts []int64, code int64) int64 {
	i := int(code / 2)
	switch {
	case code%2 == 1:
		return cuts[i]
	case len(cuts) == 0:
		return 0
	case i == 0:
		return cuts[0] - 1
	}
	return cuts[i-1] + 1
}

func sampleFloat(cuts []float64, code int64) float64 {
	i := int(code / 2)
	switch {
	case code%2 == 1:
		return cuts[i]
	case len(cuts) == 0:
		return 0
	case i == 0:
		return cuts[0] - math.Max(1, math.Abs(cuts[0]))
	case i == len(cuts):
		return cuts[i-1] + math.Max(1, math.Abs(cuts[i-1]))
	}
	return cuts[i-1] + (cuts[i]-cuts[i-1])/2
}

// sampleText is the constant, or for the rest a text that is none of them.
func (d *domain) sampleText(code int64) string {
	if code < int64(len(d.texts)) {
		return d.texts[code]
	}
	for i := 0; ; i++ {
		text := "other"
		if i > 0 {
			text += strconv.Itoa(i)
		}
		if d.code(&ir.Const{Kind: ir.String, Str: text}) == int64(len(d.texts)) {
			return text
		}
	}
}

// plain is a value of type t in its JSON form, for a place where any will do.
func plain(t *ir.Type) any {
	n := int64(0)
	if t.Range != nil && !t.Range.Contains(0) {
		n = t.Range.Lo
	}
	switch t.Kind {
	case ir.Bool:
		return false
	case ir.Float:
		return 0.0
	case ir.Duration:
		return ir.FormatDuration(n)
	case ir.Time:
		return "2026-01-01T00:00:00Z"
	case ir.EnumKind:
		return t.Enum.Values[0]
	case ir.String:
		return ""
	case ir.List:
		return []any{}
	case ir.JSON:
		return json.RawMessage("null")
	}
	return n
}

// jsonForm is a code of n in its JSON form.
func (n *node) jsonForm(code int64) any {
	if n.dom.sort == byRegion {
		return n.dom.sample(code)
	}
	if n.dom.sort == byLength {
		items := make([]any, code)
		for i := range items {
			items[i] = plain(n.typ.Elem)
		}
		return items
	}
	switch n.typ.Kind {
	case ir.Bool:
		return code != 0
	case ir.EnumKind:
		return n.typ.Enum.Values[code]
	case ir.Duration:
		return ir.FormatDuration(code)
	}
	return code
}
