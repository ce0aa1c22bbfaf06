package data

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Empty reports whether no value lies in region code: a gap between two
// neighbouring integers, or beyond the ends of 64 bits.
func (d *Domain) Empty(code int64) bool {
	if d.Kind != ir.Int && d.Kind != ir.Duration || code%2 == 1 {
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

// between is where the integers of a region lie.
func (d *Domain) between(code int64) (lo, hi int64) { return inRegion(d.ints, code) }

// inRegion is where the integers of region code of some cuts lie.
func inRegion(cuts []int64, code int64) (lo, hi int64) {
	i := int(code / 2)
	if code%2 == 1 {
		return cuts[i], cuts[i]
	}
	lo, hi = math.MinInt64, math.MaxInt64
	if i > 0 {
		lo = cuts[i-1] + 1
	}
	if i < len(cuts) {
		hi = cuts[i] - 1
	}
	return lo, hi
}

// Holds decides `x op c` for an x in region code. The constant is one of the
// cuts, so that all of the region agrees.
func (d *Domain) Holds(code int64, op ir.Op, c *ir.Const) bool {
	return d.HoldsAt(code, op, d.Code(c))
}

// HoldsAt is Holds of a constant with the code at.
func (d *Domain) HoldsAt(code int64, op ir.Op, at int64) bool {
	if d.Kind == ir.String {
		return (code == at) == (op == ir.OpEq)
	}
	return op.Holds(code, at)
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
func (d *Domain) sampleText(code int64) string {
	if code < int64(len(d.texts)) {
		return d.texts[code]
	}
	for i := 0; ; i++ {
		text := "other"
		if i > 0 {
			text += strconv.Itoa(i)
		}
		if d.Code(&ir.Const{Kind: ir.String, Str: text}) == int64(len(d.texts)) {
			return text
		}
	}
}

// anyValue is a value of type t in its JSON form, for a place where any will do.
func anyValue(t *ir.Type) any {
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
		return itemsOf(t, 0)
	case ir.JSON:
		return json.RawMessage("null")
	case ir.RecordKind:
		members := map[string]any{}
		for _, f := range t.Record.Fields {
			if !f.Optional {
				members[f.Name] = anyValue(f.Type)
			}
		}
		return members
	}
	return n
}

// maxLeast is the greatest least length with which lists are written out.
const maxLeast = 1 << 14

// itemsOf is a list of type t with n items, or the least number of them if that is more.
func itemsOf(t *ir.Type, n int64) []any {
	items := make([]any, max(n, min(t.LeastLen(), maxLeast)))
	for i := range items {
		items[i] = anyValue(t.Elem)
	}
	return items
}

// OfLength is a text or a list of type t that is n long, or no longer than one is written out.
func OfLength(t *ir.Type, n int64) any {
	if n = min(n, maxLeast); t.Kind == ir.String {
		return strings.Repeat("x", int(n))
	}
	return itemsOf(t, n)
}

// sample is a value for a code of n, which is no list.
func (n *Node) sample(code int64) *ir.Const {
	if n.Domain.Sort == ByRegion {
		return n.Domain.sample(code)
	}
	return &ir.Const{Kind: n.Type.Kind, Int: code}
}

// Only is the value of n where code stands for no other; else nil.
func (n *Node) Only(code int64) *ir.Const {
	switch d := n.Domain; {
	case d.Sort == ByValue && !n.Few():
	case d.Sort != ByRegion:
		return nil
	case d.Kind == ir.String:
		if code >= int64(len(d.texts)) {
			return nil
		}
	case code%2 == 0:
		return nil
	}
	return n.sample(code)
}

// sample is a value of region code.
func (d *Domain) sample(code int64) *ir.Const {
	k := &ir.Const{Kind: d.Kind}
	switch d.Kind {
	case ir.Int, ir.Duration:
		k.Int = sampleInt(d.ints, code)
	case ir.Float:
		k.Float = sampleFloat(d.floats, code)
	case ir.String:
		k.Str = d.sampleText(code)
	}
	return k
}

// JSON is a code of n in its JSON form.
func (n *Node) JSON(code int64) any {
	if n.Domain.Sort == ByLength {
		return itemsOf(n.Type, code)
	}
	switch k := n.sample(code); k.Kind {
	case ir.Bool:
		return k.Int != 0
	case ir.EnumKind:
		return n.Type.Enum.Values[k.Int]
	case ir.Int:
		return k.Int
	case ir.Duration:
		return ir.FormatDuration(k.Int)
	case ir.Float:
		return k.Float
	case ir.String:
		return k.Str
	}
	return nil
}
