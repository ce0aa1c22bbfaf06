package svg

import "github.com/fsmc-dev/fsmc/codegen/drawing"

// mainWay is the first way in source order from the start to a success: the one for which
// the machine was written. Failures and cancellations are on it only where there is no
// other.
func mainWay(d *drawing.Drawing) map[*drawing.Edge]bool {
	w := &wayfinder{from: map[*drawing.Node][]*drawing.Edge{}}
	for _, e := range d.Edges {
		w.from[e.From] = append(w.from[e.From], e)
	}
	for _, w.all = range []bool{false, true} {
		w.seen, w.way = map[*drawing.Node]bool{}, map[*drawing.Edge]bool{}
		if w.find(first(d.Root)) {
			return w.way
		}
	}
	return nil
}

type wayfinder struct {
	from map[*drawing.Node][]*drawing.Edge
	all  bool // also by failures and cancellations
	seen map[*drawing.Node]bool
	way  map[*drawing.Edge]bool
}

// first is the dot from which a frame begins, or n itself where it has none.
func first(n *drawing.Node) *drawing.Node {
	for _, c := range n.Children {
		if c.Kind == drawing.Start {
			return c
		}
	}
	return n
}

// find reports whether a way leads from n to a success, and notes its arrows.
func (w *wayfinder) find(n *drawing.Node) bool {
	if w.seen[n] {
		return false
	}
	w.seen[n] = true
	if n.Kind == drawing.Terminal {
		return n.Outcome == "success"
	}
	for at := n; at != nil; at = at.Parent {
		if w.follow(at) {
			return true
		}
		for _, c := range at.Children {
			if c.Kind == drawing.Any && at != n && w.follow(c) {
				return true
			}
		}
		if n.Kind == drawing.Start {
			break
		}
	}
	return false
}

// follow tries the arrows that lead from n, in source order.
func (w *wayfinder) follow(n *drawing.Node) bool {
	for _, e := range w.from[n] {
		off := e.Kind == drawing.Failure || e.Kind == drawing.Cancel
		if e.Kind == drawing.Retry || off && !w.all {
			continue
		}
		w.way[e] = true
		if w.find(first(e.To)) {
			return true
		}
		delete(w.way, e)
	}
	return false
}
