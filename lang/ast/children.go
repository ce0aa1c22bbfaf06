package ast

import (
	"reflect"
	"sync"
)

// Children calls visit for each node directly below n, in the order of the
// source, which is the order of the fields of a node.
func Children(n Any, visit func(Any)) {
	v := reflect.ValueOf(n).Elem()
	for _, p := range partsOf(v.Type()) {
		f := v.Field(p.field)
		if !p.list {
			if !f.IsNil() {
				visit(f.Interface().(Any))
			}
			continue
		}
		if p.bad >= 0 {
			mergeBad(f, v.Field(p.bad), visit)
			continue
		}
		for i := range f.Len() {
			visit(f.Index(i).Interface().(Any))
		}
	}
}

// Walk calls visit for the nodes below n, each before those below it, which it
// leaves out where visit says no.
func Walk(n Any, visit func(Any) bool) {
	Children(n, func(child Any) {
		if visit(child) {
			Walk(child, visit)
		}
	})
}

// part is a field of a node with nodes below it.
type part struct {
	field int
	list  bool
	bad   int // the field with what stands between those of the list; -1 for none
}

var (
	parts sync.Map // []part of the type of a node
	anys  = reflect.TypeFor[Any]()
	bads  = reflect.TypeFor[[]*Bad]()
)

func partsOf(t reflect.Type) []part {
	if known, ok := parts.Load(t); ok {
		return known.([]part)
	}
	var list []part
	for i := range t.NumField() {
		switch f := t.Field(i).Type; {
		case f == bads:
			list[0].bad = i // of the one list in such a node
		case f.Implements(anys):
			list = append(list, part{i, false, -1})
		case f.Kind() == reflect.Slice && f.Elem().Implements(anys):
			list = append(list, part{i, true, -1})
		}
	}
	parts.Store(t, list)
	return list
}

// mergeBad visits the nodes of two lists, each in the order of the source, merged.
func mergeBad(nodes, bad reflect.Value, visit func(Any)) {
	at := 0
	upTo := func(offset int) {
		for ; at < nodes.Len(); at++ {
			n := nodes.Index(at).Interface().(Any)
			if n.Span().Start.Offset >= offset {
				return
			}
			visit(n)
		}
	}
	for _, b := range bad.Interface().([]*Bad) {
		upTo(b.Pos.Offset)
		visit(b)
	}
	upTo(int(^uint(0) >> 1))
}
