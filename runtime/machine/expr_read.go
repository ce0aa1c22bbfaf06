package machine

import (
	"fmt"
	"strings"
)

func (c *exprCompiler) compileParam(e *Expr) (*code, error) {
	if e.Index < 0 || e.Index >= len(c.d.Params) {
		return nil, fmt.Errorf("there is no parameter %d", e.Index)
	}
	i, f := e.Index, &c.d.Params[e.Index]
	unset := faultOf(ParamUnset, f.Name)
	if e.OrUnset {
		return valueCode(f.Type, func(e *env) (Value, error) {
			if i >= len(e.params) {
				return Unset, unset
			}
			return e.params[i], nil
		}), nil
	}
	return readCode(f.Type, func(e *env) (*Value, error) {
		if i >= len(e.params) || !e.params[i].set {
			return nil, unset
		}
		return &e.params[i], nil
	}), nil
}

func (c *exprCompiler) compileField(e *Expr) (*code, error) {
	if e.Index < 0 || e.Index >= len(c.d.Fields) {
		return nil, fmt.Errorf("there is no context field %d", e.Index)
	}
	i, f := e.Index, &c.d.Fields[e.Index]
	unset := faultOf(FieldUnset, f.Name)
	if e.OrUnset {
		return valueCode(f.Type, func(e *env) (Value, error) { return e.data[i], nil }), nil
	}
	return readCode(f.Type, func(e *env) (*Value, error) {
		if !e.data[i].set {
			return nil, unset
		}
		return &e.data[i], nil
	}), nil
}

// compileOwn reads a value of the run itself. A snapshot has it, so that a run which
// is retried, migrated or replayed has the same one.
func (c *exprCompiler) compileOwn(e *Expr) (*code, error) {
	switch e.Name {
	case "id":
		return &code{typ: Type{Kind: String}, value: func(e *env) (Value, error) { return StringValue(e.run.Run), nil }}, nil
	case "started":
		return numCode(TimeKind, func(e *env) (int64, error) { return e.run.Started.UnixMicro(), nil }), nil
	}
	return nil, fmt.Errorf("a run has no value %q of its own", shorten(e.Name))
}

// failureFields are what `event` has in the arm of a failure.
var failureFields = []Field{
	{Name: "category", Type: Type{Kind: String}},
	{Name: "message", Type: Type{Kind: String}},
	{Name: "activity", Type: Type{Kind: String}},
	{Name: "attempt", Type: Type{Kind: Int}},
}

// compileEventField looks the field up by name in each input with which the
// arm can be met; it may stand at another place in each.
func (c *exprCompiler) compileEventField(e *Expr) (*code, error) {
	find, err := c.findEventField(e)
	if err != nil {
		return nil, err
	}
	if e.OrUnset {
		return valueCode(e.Type, func(e *env) (Value, error) {
			v, err := find(e)
			if err != nil {
				return Unset, err
			}
			return *v, nil
		}), nil
	}
	missing := faultOf(InputField, e.Name)
	return readCode(e.Type, func(e *env) (*Value, error) {
		v, err := find(e)
		if err == nil && !v.set {
			return nil, missing
		}
		return v, err
	}), nil
}

// findEventField finds the Value of a field, which is unset where it is absent.
func (c *exprCompiler) findEventField(e *Expr) (func(*env) (*Value, error), error) {
	if !c.inArm {
		return nil, fmt.Errorf("field %q of an event is read outside an arm", e.Name)
	}
	places := make([]eventField, 0, len(c.sources))
	for _, source := range c.sources {
		fields := failureFields
		if source >= 0 {
			fields = c.d.Events[source].Fields
		}
		place := eventField{source: source, index: indexOfField(fields, e.Name)}
		var t *Type
		if place.index >= 0 {
			t = &fields[place.index].Type
		} else if of := c.of[source]; of != nil {
			place.element, t = elementField(e.Name, of.item)
		}
		if t == nil || !sameType(t, &e.Type) {
			return nil, fmt.Errorf("an input of the arm has no field %q of type %s", e.Name, c.d.TypeName(&e.Type))
		}
		places = append(places, place)
	}
	missing := faultOf(InputField, e.Name)
	return func(e *env) (*Value, error) {
		for _, p := range places {
			switch {
			case p.source != e.source:
			case p.index < 0:
				return e.ofElement(p.element, missing)
			case p.index < len(e.payload):
				return &e.payload[p.index], nil
			}
		}
		return nil, missing
	}, nil
}

// elements are what alone the results or failures are of that an arm can be met with.
type elements struct {
	item *Type // nil where they are of several types
}

// eventField is where a field stands in the payload of one source; the index is -1 for what is
// known of an element.
type eventField struct {
	source, index int
	element       elementPart
}

// elementPart is what is known of an element beside a payload: its index, itself, or where
// that is a record one of its leaves.
type elementPart struct {
	item bool
	leaf int // of the item; -1 for the whole
}

// elementField is the part of elements of a type that is called name, and its type; nil for
// nothing.
func elementField(name string, item *Type) (elementPart, *Type) {
	path, isLeaf := strings.CutPrefix(name, "item.")
	switch {
	case name == "index":
		return elementPart{leaf: -1}, &Type{Kind: Int}
	case name == "item":
		return elementPart{item: true, leaf: -1}, item
	case isLeaf && item != nil && item.Kind == RecordKind:
		if i := indexOfField(item.Fields, path); i >= 0 {
			return elementPart{item: true, leaf: i}, &item.Fields[i].Type
		}
	}
	return elementPart{}, nil
}

// ofElement is a part of the element.
func (e *env) ofElement(part elementPart, missing *fault) (*Value, error) {
	v := &e.index
	if part.item {
		v = &e.item
	}
	switch {
	case !v.set:
		return nil, missing
	case part.leaf >= 0:
		return &v.List()[part.leaf], nil
	}
	return v, nil
}

// compileEach reads the element that an attempt is for, or its index.
func (c *exprCompiler) compileEach(e *Expr) (*code, error) {
	if c.each == nil {
		return nil, fmt.Errorf("an element is read where there is none")
	}
	what, t := elementField(e.Name, c.each)
	if t == nil {
		return nil, fmt.Errorf("an element has no %q", shorten(e.Name))
	}
	missing, orUnset := faultOf(InputField, e.Name), e.OrUnset
	return readCode(*t, func(e *env) (*Value, error) {
		v, err := e.ofElement(what, missing)
		if err == nil && !v.set && !orUnset {
			return nil, missing
		}
		return v, err
	}), nil
}

func indexOfField(fields []Field, name string) int {
	for i := range fields {
		if fields[i].Name == name {
			return i
		}
	}
	return -1
}

func (c *exprCompiler) compileSet(e *Expr) (*code, error) {
	if len(e.Args) != 1 || e.Args[0] == nil {
		return nil, fmt.Errorf(`"set" takes one parameter or field`)
	}
	i := e.Args[0].Index
	switch {
	case e.Args[0].Op == "event":
		find, err := c.findEventField(e.Args[0])
		if err != nil {
			return nil, err
		}
		return testCode(func(e *env) (bool, error) {
			v, err := find(e)
			return err == nil && v.set, err
		}), nil
	case e.Args[0].Op == "param" && i >= 0 && i < len(c.d.Params):
		return testCode(func(e *env) (bool, error) { return i < len(e.params) && e.params[i].set, nil }), nil
	case e.Args[0].Op == "field" && i >= 0 && i < len(c.d.Fields):
		return testCode(func(e *env) (bool, error) { return e.data[i].set, nil }), nil
	}
	return nil, fmt.Errorf(`"set" takes one parameter or field`)
}
