package drawing

import "slices"

// Compact is d with titles and triggers alone: for an overview, or where there is little
// room. Its boxes and arrows have the IDs that they have in d.
func Compact(d *Drawing) *Drawing {
	c := *d
	nodes := map[*Node]*Node{}
	c.Root = compactNode(d.Root, nil, nodes)
	c.Edges = make([]*Edge, len(d.Edges))
	for i, e := range d.Edges {
		short := *e
		short.From, short.To, short.Labels = nodes[e.From], nodes[e.To], nil
		for _, l := range e.Labels {
			trigger := Label{Kind: l.Kind, Trigger: l.Trigger, Else: l.Else}
			if !slices.ContainsFunc(short.Labels, func(o Label) bool { return o.Trigger == l.Trigger }) {
				short.Labels = append(short.Labels, trigger)
			}
		}
		c.Edges[i] = &short
	}
	return &c
}

// compactNode is n and what is in it without rows; it notes in nodes what became of which.
func compactNode(n, parent *Node, nodes map[*Node]*Node) *Node {
	short := *n
	nodes[n] = &short
	short.Rows, short.Parent, short.Children = nil, parent, nil
	for _, c := range n.Children {
		short.Children = append(short.Children, compactNode(c, &short, nodes))
	}
	return &short
}
