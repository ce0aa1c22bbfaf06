package resolve

import (
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// target is the state that path names from n. The first name is sought among
// the states inside n, among its siblings, and so on outwards; each further
// name among the states inside. Where path names no state, that is reported,
// and target is the one that was most likely meant, since without it what comes
// after would look unreachable; nil where there is none such.
func (r *resolver) target(n *node, path *ast.Path) *ir.State {
	if path == nil || len(path.Names) == 0 || !present(path.Names[0]) {
		return nil
	}
	first := path.Names[0]
	for at := n; at != nil; at = at.parent {
		if c := at.child(first.Text); c != nil {
			return r.descend(c, path)
		}
	}
	return r.unknownTarget(n, path)
}

// loneTarget is the state that path names in a `per` or an `assert`, where a
// bare name that only one state of the machine bears is enough.
func (r *resolver) loneTarget(n *node, path *ast.Path) *ir.State {
	if path == nil || len(path.Names) == 0 || !present(path.Names[0]) {
		return nil
	}
	if len(path.Names) > 1 || r.inSight(n, path.Names[0].Text) {
		return r.target(n, path)
	}
	bearers := r.bearers()[path.Names[0].Text]
	switch len(bearers) {
	case 0:
		return r.target(n, path) // reports it
	case 1:
		r.referTo(path.Names[0], bearers[0])
		return bearers[0].ir
	}
	d := r.report(badTarget, path.Span(), "several states are called "+quote(path.Names[0].Text),
		"Write its path, such as "+quote(bearers[0].ir.Path)+".")
	for _, b := range bearers[:min(len(bearers), 5)] {
		d.Related = append(d.Related, related(b.ir.Span, "this is "+quote(b.ir.Path)))
	}
	return nil
}

func (r *resolver) inSight(n *node, name string) bool {
	for ; n != nil; n = n.parent {
		if n.child(name) != nil {
			return true
		}
	}
	return false
}

// bearers lists the states of the machine by their own name.
func (r *resolver) bearers() map[string][]*node {
	if r.bare == nil {
		r.bare = make(map[string][]*node, len(r.nodes))
		for _, n := range r.nodes {
			if n != r.root && !n.detached {
				r.bare[n.ir.Name] = append(r.bare[n.ir.Name], n)
			}
		}
	}
	return r.bare
}

// descend follows the names of path behind the first, which is n.
func (r *resolver) descend(n *node, path *ast.Path) *ir.State {
	r.referTo(path.Names[0], n)
	for i, name := range path.Names[1:] {
		c := n.child(name.Text)
		if c == nil {
			likely := r.unknownInside(n, name)
			if i+2 < len(path.Names) {
				return nil
			}
			return likely
		}
		r.referTo(name, c)
		n = c
	}
	return n.ir
}

// unknownInside reports a name that no state directly inside n bears, and gives
// the state that was most likely meant, or nil.
func (r *resolver) unknownInside(n *node, name *ast.Name) *ir.State {
	message := "state " + quote(n.ir.Path) + " has no state " + quote(name.Text) + " inside"
	if n.children == nil {
		if !n.gaps {
			r.report(badTarget, name.Span(), message, "Name the state itself: "+quote(n.ir.Path)+".")
		}
		return nil
	}
	nearest := near(r, name.Text, n.children.names)
	if n.gaps && nearest == "" {
		return nil
	}
	r.misspelt(badTarget, name.Span(), message, "Name a state directly inside "+quote(n.ir.Path)+".", nearest)
	return n.likely(nearest)
}

// likely is the state called name directly in n; nil where name is empty.
func (n *node) likely(name string) *ir.State {
	if c := n.child(name); c != nil {
		return c.ir
	}
	return nil
}

// unknownTarget reports a target whose first name is not found from n, and gives
// the state that was most likely meant, or nil.
func (r *resolver) unknownTarget(n *node, path *ast.Path) *ir.State {
	name := path.Names[0]
	if name.Text == r.m.Name {
		r.report(badTarget, path.Span(), "target "+quote(name.Text)+" is the machine itself", "Name one of its states.")
		return nil
	}
	if bearers := r.bearers()[name.Text]; len(bearers) > 0 {
		d := r.report(badTarget, name.Span(), "state "+quote(name.Text)+" cannot be named from here by its name alone",
			"Write its path, "+quote(bearers[0].ir.Path)+".", related(bearers[0].ir.Span, "it stands here"))
		d.Fixes = replace(name.Span(), bearers[0].ir.Path)
		return lone(path, bearers[0].ir)
	}
	gaps, nearest := false, ""
	var likely *ir.State
	for at := n; at != nil && nearest == ""; at = at.parent {
		gaps = gaps || at.gaps
		if at.children != nil {
			nearest = near(r, name.Text, at.children.names)
			likely = at.likely(nearest)
		}
	}
	if gaps && nearest == "" {
		r.m.Broken = true
		return nil
	}
	d := r.misspelt(badTarget, name.Span(), "unknown state "+quote(name.Text), "Declare it, or name a state that is declared.", nearest)
	if nearest == "" {
		d.Fixes = r.declareTerminal(path)
	}
	return lone(path, likely)
}

// lone is s where path is a bare name, else nil: of what stands behind a
// misspelt name nothing is known.
func lone(path *ast.Path, s *ir.State) *ir.State {
	if len(path.Names) > 1 {
		return nil
	}
	return s
}
