// Package dot prints a drawing in the DOT language of Graphviz. It is the only
// package that knows emicklei/dot.
//
// The text depends on the drawing alone. Nodes bear the path of their state
// and stand in source order, so that a new state adds lines and changes none.
package dot

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/emicklei/dot"

	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/drawing"
)

// Target makes a .dot file of a machine.
var Target = codegen.Target{
	Name:  "dot",
	Print: func(d *drawing.Drawing, _ codegen.Options) []byte { return Print(d) },
}

// large is the number of states from which Graphviz needs to be told to be
// content with less: 200 take it half a minute otherwise.
const large = 100

// Print writes d in DOT.
func Print(d *drawing.Drawing) []byte {
	p := &printer{
		graph: dot.NewGraph(dot.Directed),
		names: map[string]string{},
		nodes: map[*drawing.Node]dot.Node{},
		loops: map[*drawing.Node]bool{},
	}
	p.graph.ID(quote(d.Name))
	p.settings(d)
	p.children(p.graph, d.Root)
	p.terminals(d.Root)
	for _, e := range d.Edges {
		p.loops[e.From] = p.loops[e.From] || e.From == e.To
	}
	for _, e := range d.Edges {
		p.edge(e)
	}
	return []byte(rename(p.graph.String(), p.names))
}

// printer holds a graph in the making.
type printer struct {
	graph *dot.Graph
	names map[string]string // from the names of emicklei/dot to ours
	made  int               // nodes and clusters so far, numbered as emicklei/dot does
	nodes map[*drawing.Node]dot.Node
	loops map[*drawing.Node]bool // those with an arrow to themselves
}

func (p *printer) settings(d *drawing.Drawing) {
	set(p.graph.AttributesMap,
		"bgcolor", "white", "charset", "UTF-8", "compound", "true",
		"fontname", font, "labelloc", "t", "labeljust", "l",
		"newrank", "true", "nodesep", "0.45", "ranksep", "0.5", "pad", "0.3", "rankdir", "TB",
	)
	p.graph.Attr("label", dot.HTML("<B>"+paint(ink, titleSize, escape(d.Title))+"</B>"))
	if d.Doc != "" {
		set(p.graph.AttributesMap, "tooltip", d.Doc)
	}
	if d.States > large {
		set(p.graph.AttributesMap, "nslimit", "2", "mclimit", "0.5", "splines", "line")
	}
}

// children prints what stands directly in n.
func (p *printer) children(g *dot.Graph, n *drawing.Node) {
	for _, c := range n.Children {
		if c.Kind == drawing.Composite {
			p.cluster(g, c)
		} else {
			p.node(g, c)
		}
	}
}

// key is the name under which emicklei/dot keeps what is made next. It sorts by
// these names, so that numbers of equal length keep the order.
func (p *printer) key() string {
	p.made++
	return fmt.Sprintf("%09d", p.made)
}

func (p *printer) cluster(g *dot.Graph, n *drawing.Node) {
	s := styleOf(n)
	if n.Child { // a frame has one border
		border := g.Subgraph(p.key(), dot.ClusterOption{})
		p.names[fmt.Sprintf("cluster_s%d", p.made)] = quote("cluster " + n.ID + " (border)")
		set(border.AttributesMap, "label", "", "style", "rounded", "color", s.line, "penwidth", s.width, "margin", "5")
		g = border
	}
	sub := g.Subgraph(p.key(), dot.ClusterOption{})
	p.names[fmt.Sprintf("cluster_s%d", p.made)] = clusterName(n)
	sub.Attr("label", dot.HTML(boxLabel(n)))
	fill := "#FAFBFD"
	if n.Depth()%2 == 0 {
		fill = "#F1F4F8"
	}
	set(sub.AttributesMap, "style", "rounded,filled", "fillcolor", fill, "color", s.line, "penwidth", s.width,
		"fontname", font, "labeljust", "l", "margin", "14", "tooltip", tooltip(n))
	p.children(sub, n)
}

func clusterName(n *drawing.Node) string { return quote("cluster " + n.ID) }

func (p *printer) node(g *dot.Graph, n *drawing.Node) {
	made := g.Node(p.key())
	p.names[fmt.Sprintf("n%d", p.made)] = quote(n.ID)
	p.nodes[n] = made
	if n.Kind == drawing.Start {
		made.Attr("label", dot.Literal(`""`))
		set(made.AttributesMap, "shape", "circle", "style", "filled", "fillcolor", ink, "color", ink,
			"width", "0.16", "height", "0.16", "fixedsize", "true", "tooltip", "start")
		return
	}
	s := styleOf(n)
	made.Attr("label", dot.HTML(boxLabel(n)))
	set(made.AttributesMap, "shape", "box", "style", "rounded,filled", "fillcolor", s.fill, "color", s.line,
		"penwidth", s.width, "fontname", font, "margin", "0.12,0.06", "height", "0.45", "tooltip", tooltip(n))
	switch n.Kind {
	case drawing.Terminal:
		set(made.AttributesMap, "peripheries", "2")
	case drawing.Any:
		set(made.AttributesMap, "style", "rounded,filled,dashed", "height", "0.3")
	case drawing.Choice:
		if len(n.Rows) == 0 {
			set(made.AttributesMap, "shape", "diamond", "style", "filled", "margin", "0.02,0.02")
		}
	}
}

// terminals puts all outcomes on one line.
func (p *printer) terminals(root *drawing.Node) {
	for _, c := range root.Children {
		if c.Kind == drawing.Terminal {
			p.graph.AddToSameRank("terminals", p.nodes[c])
		}
	}
}

// edge prints e. DOT draws arrows between nodes only: where an end is a
// cluster, the arrow leads to a node in it and is clipped at the frame.
//
// An arrow that leads back is written from its head to its tail, with the tip
// at the other end: Graphviz places the first end above the second, and would
// otherwise choose for itself which arrow of a loop to turn.
func (p *printer) edge(e *drawing.Edge) {
	ends := [2]end{{e.From, e.Tail()}, {e.To, e.Head()}}
	if e.Back {
		ends[0], ends[1] = ends[1], ends[0]
	}
	made := p.graph.Edge(p.nodes[ends[0].box], p.nodes[ends[1].box])
	s := styleOfEdge(e)
	set(made.AttributesMap, "color", s.color, "penwidth", s.width, "style", s.style, "weight", s.weight,
		"arrowsize", "0.75", "fontname", font)
	switch {
	case e.Back:
		set(made.AttributesMap, "dir", "back", "weight", "1")
	case p.loops[e.From] && (e.Kind == drawing.Failure || e.Kind == drawing.Cancel || e.Kind == drawing.Else):
		set(made.AttributesMap, "tailport", "s") // clear of the loop's label
	}
	for i, clip := range []string{"ltail", "lhead"} {
		if ends[i].node.Kind == drawing.Composite {
			made.Attr(clip, dot.Literal(clusterName(ends[i].node)))
		}
	}
	if len(e.Labels) > 0 {
		made.Attr("label", dot.HTML(arrowLabel(e)))
		set(made.AttributesMap, "tooltip", arrowTip(e), "labeltooltip", arrowTip(e))
	}
}

// end is one end of an arrow: what it belongs to, and the box that stands for
// that, which is another where node is a frame.
type end struct{ node, box *drawing.Node }

// set sets attributes, names and values in turn, each quoted by us.
func set(a dot.AttributesMap, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		a.Attr(pairs[i], dot.Literal(quote(pairs[i+1])))
	}
}

func tooltip(n *drawing.Node) string {
	return cmp.Or(n.Doc, strings.TrimSpace(n.Title))
}
