package guard

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// renderer writes values as a model.
type renderer struct {
	p *problem
	v *values
	m *Model

	lists, jsons int64 // how many have been written
}

// put writes the value of v, which is no length. It fails where there are too few
// lists of the length that v has.
func (r *renderer) put(v *variable) bool {
	if f, asked := r.p.factOf[fact{kind: isSet, term: v.term}]; asked && r.v.facts[f] != yes {
		r.m.Unset = append(r.m.Unset, v.term.String())
		r.m.text = append(r.m.text, v.term.asked()+" is not set")
		return true
	}
	for _, around := range v.term.around() {
		if f, asked := r.p.factOf[fact{kind: isSet, term: around}]; asked && r.v.facts[f] != yes {
			return true // that says it
		}
	}
	if v.typ.Kind == ir.Invalid {
		r.m.Sent = append(r.m.Sent, v.term.String())
		r.m.text = append(r.m.text, v.term.String()+" is set")
		return true
	}
	name, value, text := v.term, any(nil), ""
	switch v.typ.Kind {
	case ir.String:
		value, text = r.textOf(v)
	case ir.List:
		items, ok := r.list(v)
		if !ok {
			return false
		}
		value, text = items, itemsText(len(items))
	case ir.JSON:
		value, text = scalar(v.typ, r.jsons) // no two are equal
		r.jsons++
	default:
		value, text = scalar(v.typ, r.number(v))
	}
	if length := r.lengthOf(v); length > longest {
		name.Len = true
		value, text = length, strconv.FormatInt(length, 10)
	}
	r.m.text = append(r.m.text, name.String()+" = "+text)
	r.m.values[name.String()] = value
	return true
}

// number is the value of v as an integer: of a boolean 0 or 1. What no formula
// reads gets the plainest value.
func (r *renderer) number(v *variable) int64 {
	if i, read := r.p.numberOf[v.term]; read {
		return r.v.numbers[i-1]
	}
	if f, read := r.p.factOf[fact{kind: boolean, term: v.term}]; read && r.v.facts[f] == yes {
		return 1
	}
	return plain(v.typ.Kind, v.lo, v.hi)
}

// lengthOf is the length of v; the least one where no formula reads it.
func (r *renderer) lengthOf(v *variable) int64 {
	length := v.term
	length.Len = true
	if i, read := r.p.numberOf[length]; read {
		return r.v.numbers[i-1]
	}
	return v.typ.LeastLen()
}

func (r *renderer) textOf(v *variable) (any, string) {
	text := ""
	if i, read := r.p.textOf[v.term]; read {
		text = r.v.texts[i]
	} else if n := r.lengthOf(v); n <= longest {
		text = strings.Repeat(letters[:1], int(n))
	}
	return text, strconv.Quote(text)
}

// list is a list of the length of v that is not equal to one written before,
// unless both are empty: the items are the digits of a number. Where no host guard is asked,
// it may be equal to one.
func (r *renderer) list(v *variable) ([]any, bool) {
	n := r.lengthOf(v)
	items := []any{}
	if n == 0 || n > longest {
		return items, true
	}
	k := r.lists
	r.lists++
	base := valuesOf(v.typ.Elem)
	for range n {
		item, _ := scalar(v.typ.Elem, valueAt(v.typ.Elem, k%base))
		items = append(items, item)
		k /= base
	}
	return items, k == 0 || base == 1 || len(r.p.asked) == 0
}

func itemsText(n int) string {
	if n == 1 {
		return "a list of 1 item"
	}
	return "a list of " + strconv.Itoa(n) + " items"
}

// valuesOf is how many values of t valueAt knows.
func valuesOf(t *ir.Type) int64 {
	switch {
	case t.Kind == ir.RecordKind: // which differ in their first field
		return valuesOf(t.Record.Fields[0].Type)
	case t.Kind == ir.Bool:
		return 2
	case t.Kind == ir.EnumKind:
		return int64(len(t.Enum.Values))
	case t.Range != nil && uint64(t.Range.Hi-t.Range.Lo) < math.MaxInt32:
		return t.Range.Hi - t.Range.Lo + 1
	case t.Len != nil && t.Len.Hi-t.Len.Lo < math.MaxInt32:
		return t.Len.Hi - t.Len.Lo + 1
	}
	return math.MaxInt32
}

// valueAt is the k-th value of t, as an integer.
func valueAt(t *ir.Type, k int64) int64 {
	switch {
	case t.Kind == ir.RecordKind:
		return valueAt(t.Record.Fields[0].Type, k)
	case t.Range != nil:
		return t.Range.Lo + k
	case t.Kind == ir.Float:
		return ordinal(float64(k))
	}
	return t.LeastLen() + k
}

// scalar is the value of a t with the number n, in its JSON form and as text.
func scalar(t *ir.Type, n int64) (any, string) {
	k := ir.Const{Kind: t.Kind, Int: n, Enum: t.Enum}
	switch t.Kind {
	case ir.Bool:
		return n != 0, k.Text()
	case ir.Int:
		return n, k.Text()
	case ir.Float:
		k.Float = floatAt(n)
		return k.Float, k.Text()
	case ir.Duration:
		return time.Duration(n).String(), k.Text()
	case ir.Time:
		text := time.UnixMicro(n).UTC().Format("2006-01-02T15:04:05.000000Z")
		return text, text
	case ir.EnumKind:
		if int(n) < len(t.Enum.Values) { // a broken machine may have an enum without any
			k.Str = t.Enum.Values[n]
		}
		return k.Str, k.Text()
	case ir.String:
		k.Str = word(int(n))
		return k.Str, k.Text()
	case ir.RecordKind:
		members := map[string]any{}
		for i, f := range t.Record.Fields {
			k := n
			if i > 0 {
				k = valueAt(f.Type, 0)
			}
			members[f.Name], _ = scalar(f.Type, k)
		}
		return members, "a " + t.Record.Name
	case ir.List:
		item, _ := scalar(t.Elem, valueAt(t.Elem, 0))
		return slices.Repeat([]any{item}, int(min(n, longest))), itemsText(int(n))
	}
	return n, strconv.FormatInt(n, 10) // json: any number will do
}
