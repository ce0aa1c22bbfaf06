package machine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Expressions that build a json or take it apart. What they make is no longer than
// MaxPayload and no deeper than MaxNesting; else they cannot be computed.

func jsonCode(f func(*env) (Value, error)) *code { return valueCode(Type{Kind: JSON}, f) }

// compileObject is an object with a value for each of its keys, in that order.
func (c *exprCompiler) compileObject(e *Expr) (*code, error) {
	args, err := c.compileArgs(e.Args)
	if err != nil {
		return nil, err
	}
	if len(e.Keys) != len(args) {
		return nil, fmt.Errorf("an object has %d keys and %d values", len(e.Keys), len(args))
	}
	keys := make([][]byte, len(e.Keys))
	for i, key := range e.Keys {
		if !utf8.ValidString(key) || slices.Contains(e.Keys[:i], key) {
			return nil, fmt.Errorf("key %q of an object is damaged, or there twice", shorten(key))
		}
		keys[i] = append(appendText(nil, key), ':')
	}
	return jsonCode(c.built('{', '}', keys, args)), nil
}

// compileArray is a list of values.
func (c *exprCompiler) compileArray(e *Expr) (*code, error) {
	args, err := c.compileArgs(e.Args)
	if err != nil {
		return nil, err
	}
	return jsonCode(c.built('[', ']', make([][]byte, len(args)), args)), nil
}

// built writes values between brackets, each behind its key.
func (c *exprCompiler) built(open, end byte, keys [][]byte, args []*code) func(*env) (Value, error) {
	nests := slices.ContainsFunc(args, func(a *code) bool { return a.typ.Kind == JSON || a.typ.Kind == ListKind })
	return func(e *env) (Value, error) {
		b := []byte{open}
		for i, a := range args {
			v, err := a.value(e)
			if err != nil {
				return Unset, err
			}
			if i > 0 {
				b = append(b, ',')
			}
			if b = appendValue(append(b, keys[i]...), &a.typ, &v); len(b) >= MaxPayload {
				return Unset, errJSONTooLarge()
			}
		}
		return madeJSON(string(append(b, end)), nests)
	}
}

func errJSONTooLarge() error { return faultOf(JSONTooLarge, strconv.Itoa(MaxPayload)) }

// madeJSON is a json that has just been made.
func madeJSON(text string, nests bool) (Value, error) {
	switch {
	case len(text) > MaxPayload:
		return Unset, errJSONTooLarge()
	case nests && jsonDepth(text) > MaxNesting:
		return Unset, faultOf(JSONTooDeep, strconv.Itoa(MaxNesting))
	}
	return JSONValue(text), nil
}

// compileKey is what a json has under a key.
func (c *exprCompiler) compileKey(e *Expr) (*code, error) {
	x, err := c.compileJSON(e)
	if err != nil {
		return nil, err
	}
	key := e.Name
	return jsonCode(func(e *env) (Value, error) {
		v, err := x.value(e)
		if err != nil {
			return Unset, err
		}
		found, err := jsonKey(v.s, key)
		if err != nil {
			return Unset, faultOf(JSONMisfit, string(JSON)).saying(err.Error())
		}
		return JSONValue(found), nil
	}), nil
}

// compileJSON is the one operand of e, a json.
func (c *exprCompiler) compileJSON(e *Expr) (*code, error) {
	args, err := c.compileArgs(e.Args)
	if err != nil {
		return nil, err
	}
	if len(args) != 1 || args[0].typ.Kind != JSON {
		return nil, fmt.Errorf("operator %q takes one json", e.Op)
	}
	return args[0], nil
}

// compileFit is a json as a value of the type of e, read as strictly as the field of an
// event.
func (c *exprCompiler) compileFit(e *Expr) (*code, error) {
	x, err := c.compileJSON(e)
	if err != nil {
		return nil, err
	}
	d, t, orUnset, place := c.d, e.Type, e.OrUnset, c.d.jsonPlace(e.Args[0])
	fit := func(e *env) (Value, error) {
		v, err := x.value(e)
		if err != nil {
			return Unset, err
		}
		if orUnset && v.s == "null" {
			return Unset, nil
		}
		out, err := d.decode(&t, []byte(v.s))
		if err != nil {
			return Unset, faultOf(JSONMisfit, d.TypeName(&t)).saying(place + whyMisfit(err))
		}
		return out, nil
	}
	return readCode(t, func(e *env) (*Value, error) {
		v, err := fit(e)
		return &v, err
	}), nil
}

// jsonPlace names in front of a message where a json stands, such as "event.body.order: ". It is empty of one
// that is built.
func (d *Definition) jsonPlace(e *Expr) string {
	switch e.Op {
	case "key":
		if of := d.jsonPlace(e.Args[0]); of != "" {
			return strings.TrimSuffix(of, ": ") + "." + e.Name + ": "
		}
	case "param":
		return d.Params[e.Index].Name + ": "
	case "field":
		return d.Fields[e.Index].Name + ": "
	case "event":
		return "event." + e.Name + ": "
	}
	return ""
}

// compileLeaf is the leaf of a record that is called Name, where a json is given to all leaves.
func (c *exprCompiler) compileLeaf(e *Expr) (*code, error) {
	if len(e.Args) != 1 {
		return nil, fmt.Errorf(`"leaf" takes one record`)
	}
	x, err := c.compilePlace(e.Args[0], e.OrUnset)
	switch {
	case err != nil:
		return nil, err
	case x.typ.Kind != RecordKind:
		return nil, fmt.Errorf(`"leaf" takes one record`)
	}
	i := indexOfField(x.typ.Fields, e.Name)
	if i < 0 {
		return nil, fmt.Errorf("record %q has no leaf %q", shorten(x.typ.Name), shorten(e.Name))
	}
	return readCode(x.typ.Fields[i].Type, func(e *env) (*Value, error) {
		v, err := x.value(e)
		if err != nil || !v.set {
			return &v, err
		}
		return &v.List()[i], nil
	}), nil
}

// whyMisfit is err without the place in a text that nobody sees.
func whyMisfit(err error) string {
	place := ""
	var item *itemError
	for errors.As(err, &item) {
		place += "item " + strconv.Itoa(item.index) + ": "
		err = item.err
	}
	if fault, ok := errors.AsType[*scanError](err); ok {
		return place + fault.why
	}
	return place + err.Error()
}

// compileText is the JSON form of a value without quotes.
func (c *exprCompiler) compileText(e *Expr) (*code, error) {
	args, err := c.compileArgs(e.Args)
	if err != nil {
		return nil, err
	}
	if len(args) != 1 {
		return nil, fmt.Errorf(`"text" takes one value`)
	}
	x := args[0]
	switch x.typ.Kind {
	case Bool, Int, Float, DurationKind, TimeKind, EnumKind:
	default:
		return nil, fmt.Errorf(`"text" does not take a %s`, c.d.TypeName(&x.typ))
	}
	return valueCode(Type{Kind: String}, func(e *env) (Value, error) {
		v, err := x.value(e)
		if err != nil {
			return Unset, err
		}
		text := appendValue(nil, &x.typ, &v)
		if text[0] == '"' { // nothing in it needs an escape
			text = text[1 : len(text)-1]
		}
		return StringValue(string(text)), nil
	}), nil
}

// compileAppend is the json x, a list, with one item behind it.
func compileAppend(x, y *code) *code {
	t := y.typ
	return jsonCode(both(x.value, y.value, func(list, item Value) (Value, error) {
		n := len(list.s)
		if n < 2 || list.s[0] != '[' || list.s[n-1] != ']' {
			return Unset, faultOf(NoJSONList)
		}
		b := append(make([]byte, 0, n+len(item.s)+32), list.s[:n-1]...)
		if n > 2 {
			b = append(b, ',')
		}
		start := len(b)
		b = appendValue(b, &t, &item)
		if jsonDepth(string(b[start:])) >= MaxNesting {
			return Unset, faultOf(JSONTooDeep, strconv.Itoa(MaxNesting))
		}
		return madeJSON(string(append(b, ']')), false)
	}))
}
