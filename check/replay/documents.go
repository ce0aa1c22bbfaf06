package replay

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Nothing is known of a json, and a row says nothing of one. But a step takes values out
// of it, and what is no number there cannot become one. So the objects are tried that
// have all that some expression reads, each with values that may make a difference.

// maxDocuments is the most values of a json that are tried, and maxEach of one part of it.
const (
	maxDocuments = 64
	maxEach      = 6
)

// part is what an expression reads in some json.
type part struct {
	keys     []string
	t        *ir.Type
	optional bool    // it may be absent
	into     *ir.Var // the field that it is put into; nil for none
}

// parts are what expressions read in some json, each once, and the types as which all of
// one is read. Nothing can be both a part and have parts: then it is the first.
func (b *book) parts() (out []part, whole []*ir.Type) {
	add := func(e ir.Expr, t *ir.Type, optional bool) {
		keys, ok := keysOf(e)
		if ok && len(keys) == 0 {
			whole = append(whole, t)
			return
		}
		for _, p := range out {
			n := min(len(p.keys), len(keys))
			ok = ok && !slices.Equal(p.keys[:n], keys[:n])
		}
		if ok {
			out = append(out, part{keys: keys, t: t, optional: optional})
		}
	}
	for e := range ir.Parts(b.m.Exprs()) {
		eachPart(e, add)
	}
	return out, whole
}

// eachPart calls f with what e itself, not what is in it, takes out of some json.
func eachPart(e ir.Expr, f func(of ir.Expr, t *ir.Type, optional bool)) {
	switch e := e.(type) {
	case *ir.Fit:
		f(e.X, e.T, e.OrUnset)
	case *ir.Binary:
		if e.T.Kind == ir.JSON { // a list gets one more item
			f(e.X, &ir.Type{Kind: ir.List, Elem: e.T}, false)
		}
	}
}

// keysOf are the keys by which e reads a part of some json that a parameter, a field or
// an event holds.
func keysOf(e ir.Expr) ([]string, bool) {
	switch e := e.(type) {
	case *ir.VarRef, *ir.FieldRef:
		return nil, true
	case *ir.Key:
		keys, ok := keysOf(e.X)
		return append(keys, e.Name), ok
	}
	return nil, false
}

// documents are values of a json of which nothing more is known.
func (b *book) documents() []machine.Value {
	parts, whole := b.parts()
	out := b.objects(parts)
	for _, t := range whole {
		for _, v := range candidates(t, b.constantsOf(t)) {
			out = append(out, machine.JSONValue((&document{value: form(t, v)}).text()))
		}
	}
	return out[:min(len(out), maxDocuments)]
}

// objects are documents that have all parts: first with each value of each part beside the
// first ones of the others, then with several others.
func (b *book) objects(parts []part) (out []machine.Value) {
	if len(parts) == 0 {
		return nil
	}
	var lists [][]machine.Value
	for _, p := range parts {
		given := b.constantsOf(p.t)
		if compared := b.comparedWith(p.into); compared != nil {
			given = compared
		}
		list := candidates(p.t, given)
		list = list[:min(len(list), maxEach)]
		if p.optional { // null stands for what is absent
			list = append(list, machine.Unset)
		}
		lists = append(lists, list)
	}
	seen := map[string]bool{}
	add := func(value func(i int) machine.Value) {
		doc := &document{}
		for i, p := range parts {
			doc.put(p.keys, form(p.t, value(i)))
		}
		if text := doc.text(); !seen[text] && len(out) < maxDocuments*3/4 {
			seen[text] = true
			out = append(out, machine.JSONValue(text))
		}
	}
	for other, list := range lists {
		for _, v := range list {
			add(func(i int) machine.Value {
				if i == other {
					return v
				}
				return lists[i][0]
			})
		}
	}
	for _, row := range combinations(lists) {
		add(func(i int) machine.Value { return row[i] })
	}
	return out
}

// comparedWith are the constants with which v is compared, each of which may make a difference; nil for no field.
func (b *book) comparedWith(v *ir.Var) []machine.Value {
	if v == nil {
		return nil
	}
	return lookUp(b.compared, v, func() (out []machine.Value) {
		for e := range ir.Parts(b.m.Exprs()) {
			if e, ok := e.(*ir.Binary); ok {
				side, _, c := ir.ConstantSide(e)
				if ref, is := side.(*ir.VarRef); is && ref.Var == v {
					out = append(out, constant(v.Type, c))
				}
			}
		}
		return out
	})
}

// document is a value, or an object with documents in order.
type document struct {
	value any
	keys  []string
	under []*document
}

func (d *document) put(keys []string, value any) {
	if len(keys) == 0 {
		d.value = value
		return
	}
	i := slices.Index(d.keys, keys[0])
	if i < 0 {
		i = len(d.keys)
		d.keys, d.under = append(d.keys, keys[0]), append(d.under, &document{})
	}
	d.under[i].put(keys[1:], value)
}

func (d *document) text() string {
	if d.keys == nil {
		text, err := json.Marshal(d.value)
		if err != nil {
			panic("replay: a value without a JSON form: " + err.Error())
		}
		return string(text)
	}
	text := "{"
	for i, key := range d.keys {
		if i > 0 {
			text += ","
		}
		text += strconv.Quote(key) + ":" + d.under[i].text() // a key is a name
	}
	return text + "}"
}
