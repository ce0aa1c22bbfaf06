// Package drawing decides what a diagram of a machine shows, apart from how any
// format writes it: which boxes there are and what stands in them, which arrows
// lead where and what they say, and of what kind each is.
//
// Plan makes a Drawing from a machine; codegen/dot and codegen/mermaid print
// one. A Drawing depends on its machine and highlight alone, and every box is
// known by an ID made of its path, so that one state more changes no other.
package drawing

// Drawing is a planned diagram of one machine.
type Drawing struct {
	Title  string // the machine with its parameters: "CodeReview(pr string)"
	Name   string // the machine's name alone
	Doc    string
	Root   *Node   // the machine itself; its children are the outermost boxes
	Edges  []*Edge // in source order of the states from which they lead
	States int     // how many states the machine has, composites and terminals included
}

// Node is a box, or with Kind Composite a frame around other boxes.
type Node struct {
	// ID is the path of the state, "Working.Draft". The nodes that are no
	// states have a part in brackets, which no state can have: "Working.(start)".
	ID       string
	Kind     NodeKind
	Title    string
	Outcome  string // of a Terminal: "success", "failure", "cancelled"
	Rows     []Row
	Doc      string
	Mark     Mark
	Child    bool  // a Composite that is a machine which runs as a child
	Parent   *Node // nil for the root
	Children []*Node
}

// NodeKind says what a Node stands for.
type NodeKind int

const (
	State     NodeKind = iota
	Choice             // a state that waits for nothing and branches on entering
	Composite          // a frame; the machine itself is one as well
	Terminal
	Start // the dot from which an arrow leads to an initial state
	Any   // whichever state inside its parent: what is declared there applies everywhere below
)

// Row is a line of text in a node: something that happens while the run is in
// it, or on its way in or out.
type Row struct {
	Text   string // "do fetch_diff(pr)"
	Detail string // "timeout 30s"; empty without one
	Stack  string // of an activity that runs for each element of a list, how many there are: "0..20 elements"; else empty
	Exits  []Exit // of a machine that runs as a child
}

// Edge is an arrow. Everything that leads from one node to another is one Edge
// with several labels, retries apart.
type Edge struct {
	From, To *Node
	Kind     EdgeKind
	Labels   []Label
	Arms     []string // the names of the arms that lead along it, as a run's history has them
	Doc      string   // documentation of the events that trigger it
	Mark     Mark
	Back     bool // leads to where a run that got here has been
}

// ID is what no other arrow of the drawing has, made of its ends: "Idle-Working", and of a
// retry "Working-Working-retry".
func (e *Edge) ID() string {
	id := e.From.ID + "-" + e.To.ID
	if e.Kind == Retry {
		id += "-retry"
	}
	return id
}

// EdgeKind says why an arrow is taken. Of the labels on one arrow the first
// kind in this order gives the arrow its own.
type EdgeKind int

const (
	Initial EdgeKind = iota // from a Start
	Normal
	Else    // what is left when the arms before it are not taken
	Timer   // an `after`
	Cancel  // `cancel`, or whatever leads to a terminal of that outcome
	Failure // `failed`, or the same
	Retry   // from a node to itself: its activity runs again
)

// Label says when an arrow is taken and what it does.
type Label struct {
	Kind    EdgeKind
	Trigger string   // "RateLimited", "failed(timeout)", "after 24h"
	Else    string   // "else", or what was used up before: "after 3 retries"; empty for a first arm
	Guard   string   // the condition, without brackets; empty without one
	Bound   string   // "max 5", "retry 3 backoff 1s..30s", "unbounded"; empty without one
	Effects []string // "diff", "wait = event.retry_after", "publish Sent"
}

// Mark is how a highlighted run, or all runs of a Coverage, touch a node or an edge.
type Mark int

const (
	Unmarked Mark = iota
	Taken         // the run came through here
	Current       // the run is here
	Missed        // no run came through here
)

// Inside reports whether n is m or stands in m.
func (n *Node) Inside(m *Node) bool {
	for ; n != nil; n = n.Parent {
		if n == m {
			return true
		}
	}
	return false
}

// Depth is in how many frames n stands, the machine itself counted.
func (n *Node) Depth() int {
	d := 0
	for ; n.Parent != nil; n = n.Parent {
		d++
	}
	return d
}

// Walk calls f for n and everything in it, parents first.
func (n *Node) Walk(f func(*Node)) {
	f(n)
	for _, c := range n.Children {
		c.Walk(f)
	}
}
