package resolve

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// fan resolves the `for` of a do; nil without one, and where something is wrong
// with its list.
func (r *resolver) fan(src *ast.Do) *ir.Fan {
	if src.Fan == nil {
		return nil
	}
	f := &ir.Fan{
		Item: r.elementName(src.Fan.Item, nil), Index: r.elementName(src.Fan.Index, src.Fan.Item),
		Limit: r.fanLimit(src.Fan.Limit), Span: src.Fan.Span(),
	}
	list := r.placeOf(src.Fan.List)
	if list == nil {
		return r.lost(f)
	}
	f.List, f.ListSpan = list, src.Fan.List.Span()
	switch t := list.Type; {
	case t.Kind == ir.Invalid:
		return r.lost(f)
	case t.Kind != ir.List:
		r.mismatch(f.ListSpan, "`for` takes the elements of a list, and "+quote(list.Name)+" is "+diag.Article(named(t)),
			"Name a parameter or a field that is a list.")
		return r.lost(f)
	case t.Len == nil:
		r.report(missingRange, f.ListSpan, "list "+quote(list.Name)+" has no range of lengths, but an activity runs for each of its elements",
			"Declare how many elements it may have, such as `"+list.Name[strings.LastIndexByte(list.Name, '.')+1:]+" [0..20]"+t.Elem.String()+"`.",
			related(list.Span, "it is declared here"))
		return r.lost(f)
	case t.Len.Hi > ir.MaxElements:
		r.report(badLiteral, f.ListSpan, fmt.Sprintf("an activity runs for up to %d elements of list %q at once, and at most %d can be", t.Len.Hi, list.Name, ir.MaxElements),
			fmt.Sprintf("Declare a list of at most %d elements, and take a longer one in parts.", ir.MaxElements),
			related(list.Span, "it is declared here"))
		return r.lost(f)
	}
	f.Least, f.Most = list.Type.Len.Lo, list.Type.Len.Hi
	r.fans = true
	return f
}

// placeOf is the parameter, the field or the place in a record that src names; nil where
// there is none, which is reported.
func (r *resolver) placeOf(src *ast.Path) *ir.Var {
	v, ok := find(r, r.vars, src.Names[0])
	if !ok {
		return nil
	}
	p, found := r.walk(v.Type, v.Name, src.Names[1:])
	switch {
	case !found || p.t.Kind == ir.Invalid:
		return nil
	case p.t.Kind == ir.RecordKind:
		return v // with a type that says what is wrong
	}
	return r.leavesOf(v)[v.Index+p.offset]
}

// lost is f with a list about which something is wrong, so that what reads its
// elements is no second fault.
func (r *resolver) lost(f *ir.Fan) *ir.Fan {
	r.fans = true
	f.List = &ir.Var{Slot: ir.Slot{Name: nameless, Type: &ir.Type{Kind: ir.List, Elem: invalid, Len: &ir.Range{}}}}
	return f
}

// elementName is what the arguments of a do call an element or its index. Fields and
// parameters, which they read as well, have other names, and so has the other one.
func (r *resolver) elementName(name, other *ast.Name) string {
	if !present(name) {
		return ""
	}
	r.refer(name, ir.ElementName, &name.Pos)
	if v := r.vars.names[name.Text]; v != nil {
		r.duplicateElement(name, "the name of a "+kindOfVar(v), related(v.Span, "it is declared here"))
	} else if present(other) && other.Text == name.Text {
		r.duplicateElement(name, "the name of the element too", related(other.Span(), "the other one is here"))
	}
	return name.Text
}

func (r *resolver) duplicateElement(name *ast.Name, why string, at diag.Related) {
	r.report(duplicateName, name.Span(), quote(name.Text)+" is "+why, "Choose another name behind `for`.", at)
}

func kindOfVar(v *ir.Var) string {
	if v.Param {
		return "parameter"
	}
	return "field"
}

// fanLimit is how many elements run at the same time; 0 for any number.
func (r *resolver) fanLimit(lit *ast.Literal) int64 {
	if lit == nil {
		return 0
	}
	const none = -1
	n := r.intOf(lit, none)
	if n == none && !lit.Neg {
		return 0
	}
	if n == 0 || lit.Neg {
		r.literal(lit.Span(), "a limit of "+signed(lit)+" lets no element run",
			"Write a number from 1 on, or take the limit out.")
		return 0
	}
	return n
}

// partOfElement is a place in the element of f, a record, or the whole of it.
func (r *resolver) partOfElement(at token.Span, f *ir.Fan, p spot) ir.Expr {
	return r.leaves(at, p.t, ir.Joined(f.Item, p.path), func(_ int, l ir.RecordLeaf) ir.Expr {
		return &ir.FanRef{E: ir.E{T: l.Type, At: at}, Fan: f, Leaf: ir.Joined(p.path, l.Path), Optional: len(p.within) > 0 || l.Optional}
	})
}

// ofElement is a place in an element, or what an element that is a json has under keys; nil where
// the first of names, behind which the others stand, names no element.
func (r *resolver) ofElement(at token.Span, names []*ast.Name, sc scope) ir.Expr {
	f := sc.fan
	if f == nil || names[0].Text != f.Item && names[0].Text != f.Index {
		return nil
	}
	r.referElement(names[0], sc)
	if names[0].Text != f.Item {
		return r.keys(&ir.FanRef{E: ir.E{T: f.Element().Index, At: at}, Fan: f, Index: true}, names[1:], at, sc)
	}
	p, keys, found := r.walkTo(f.List.Type.Elem, names[1:])
	if !found {
		return bad(at) // also where its list was reported
	}
	return r.keys(r.partOfElement(at, f, p), keys, at, sc)
}

// elementOf is what `event` has of an element where t, a trigger of n, is met: nothing
// unless all activities whose results or failures may come there run for elements. An
// activity that another handler of n names by its label does not come.
func (r *resolver) elementOf(n *node, t *ir.Trigger) *ir.Element {
	if !r.fans {
		return nil
	}
	var all *ir.Element
	from := sort.Search(len(r.m.Dos), func(i int) bool { return r.m.Dos[i].State.ID >= n.ir.ID })
	for _, d := range r.m.Dos[from:] {
		if d.State.ID > n.last {
			break
		}
		if !reaches(n, t, d) {
			continue
		}
		if d.Fan == nil {
			return nil
		}
		all = ofBoth(all, d.Fan.Element())
	}
	return all
}

// ofBoth is what is known where either of two elements is meant; a may be nil.
func ofBoth(a, b *ir.Element) *ir.Element {
	if a == nil {
		return b
	}
	out := &ir.Element{Index: join(a.Index, b.Index)}
	if a.Item != nil && b.Item != nil && a.Item.Same(b.Item) {
		out.Item = join(a.Item, b.Item)
	}
	return out
}

// reaches reports whether a result or failure of d may be what t, a trigger of n, is for.
func reaches(n *node, t *ir.Trigger, d *ir.Do) bool {
	switch {
	case t.Label != "":
		return t.Label == d.Label
	case t.Kind == ir.OnEvent:
		unnamed := d.Label == "" || d.Activity.Machine != nil && d.Label == d.Activity.Name // then no label speaks of it
		return slices.Contains(d.Activity.Results, t.Event) && (unnamed || !n.names(d.Label, t.Event.Exit()))
	}
	return d.Label == "" || !n.names(d.Label, "")
}

// names reports whether a handler of n has the trigger `label.event`, or for no event
// `label.failed`.
func (n *node) names(label, event string) bool {
	for on := range ast.Of[*ast.On](n.items) {
		for _, t := range on.Triggers {
			if textOf(t.Label) != label {
				continue
			}
			if event == "" && t.Kind == "failed" && len(t.Categories) == 0 || event != "" && textOf(t.Name) == event {
				return true
			}
		}
	}
	return false
}
