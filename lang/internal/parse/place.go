package parse

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

// place puts the elements that were taken out of n into its tree, where they
// stood.
func (p *parser) place(n ast.Any) {
	p.deleted = slices.DeleteFunc(p.deleted, func(bad *ast.Bad) bool {
		if !encloses(n, bad) {
			return false
		}
		placeIn(n, bad)
		return true
	})
}

// placeIn puts bad into the innermost node of the tree n that can hold it. It
// is left out where it has no place of its own: what stood around it may have
// become one node once it was gone.
func placeIn(n ast.Any, bad *ast.Bad) {
	var around ast.Any
	ast.Children(n, func(child ast.Any) {
		if around == nil && overlaps(child, bad) {
			around = child
		}
	})
	if around != nil {
		if encloses(around, bad) {
			placeIn(around, bad)
		}
		return
	}
	switch n := n.(type) {
	case *ast.Context:
		n.Bad = insert(n.Bad, bad)
	case *ast.Record:
		n.Bad = insert(n.Bad, bad)
	case *ast.Event:
		n.Bad = insert(n.Bad, bad)
	case *ast.Block:
		n.Effects = insert(n.Effects, ast.Effect(bad))
	case *ast.Machine:
		n.Items = insert(n.Items, ast.Item(bad))
	}
}

func encloses(n, bad ast.Any) bool {
	outer, inner := n.Span(), bad.Span()
	return outer.Start.Offset <= inner.Start.Offset && inner.End.Offset <= outer.End.Offset
}

func overlaps(n, bad ast.Any) bool {
	a, b := n.Span(), bad.Span()
	return a.Start.Offset < b.End.Offset && b.Start.Offset < a.End.Offset
}

// insert puts bad among nodes, which are in the order of the source.
func insert[T ast.Any](nodes []T, bad T) []T {
	i := 0
	for i < len(nodes) && nodes[i].Span().Start.Before(bad.Span().Start) {
		i++
	}
	return slices.Insert(nodes, i, bad)
}
