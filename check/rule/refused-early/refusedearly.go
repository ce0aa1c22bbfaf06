// Package refusedearly finds events that are refused where a run is a moment away from
// taking them.
package refusedearly

import (
	"slices"
	"strconv"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/control"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of refused-early.
var Rule = &check.Rule{
	Name:     "refused-early",
	Group:    check.Completeness,
	Severity: diag.Hint,
	Summary:  "an event is refused in most states, also just before one that takes it",
	Run:      run,
	Absence:  true,
}

func run(p *check.Pass) {
	m := p.Machine
	if m.Broken || !p.Starts() || slices.ContainsFunc(m.States, func(s *ir.State) bool { return len(s.Defer) > 0 }) {
		return // whoever says `defer` once knows of it
	}
	leaves := p.Leaves()
	h, ok := listen(p)
	if !ok {
		return
	}
	g := p.Control()
	early := map[*ir.Event]*control.Edge{} // the first move into a state that takes the event
	for i := range g.Edges {
		e := &g.Edges[i]
		if !silent(g, e) {
			continue
		}
		for _, event := range h.in[e.To] {
			if early[event] == nil && 2*h.leaves[event] < len(leaves) && !slices.Contains(h.in[e.From], event) && !p.Unreachable(g.Leaf(e.From)) {
				early[event] = e
			}
		}
	}
	for _, event := range m.Events {
		if e := early[event]; e != nil {
			report(p, event, e, len(leaves)-h.leaves[event], len(leaves))
		}
	}
}

// heard says which leaves say something of which external events: even that they reject one.
type heard struct {
	in     map[int32][]*ir.Event // by leaf
	leaves map[*ir.Event]int     // how many
}

// maxHeard is how much of that is looked at: in a large machine whose outermost states
// take a thousand events it would be the product of events and leaves.
const maxHeard = 1_000_000

// listen is what leaves hear; false where that is too much.
func listen(p *check.Pass) (heard, bool) {
	h, n := heard{map[int32][]*ir.Event{}, map[*ir.Event]int{}}, 0
	for leaf, in := range p.Inputs() {
		if n++; n > maxHeard {
			return h, false
		}
		if in.Kind == ir.CaseEvent {
			h.in[int32(leaf.ID)] = append(h.in[int32(leaf.ID)], in.Event)
			h.leaves[in.Event]++
		}
	}
	return h, true
}

// silent reports whether the move is one between two leaves that follows from what an
// activity has done, and tells nobody: no sender can know when it comes. No time passes in a
// choice state.
func silent(g *control.Graph, e *control.Edge) bool {
	from, to := g.Leaf(e.From), g.Leaf(e.To)
	if e.Input == graph.None || from == to || from.IsChoice() || to.Kind != ir.Leaf || len(to.Dos) > 0 || publishes(e.Arm.Block) {
		return false
	}
	if kind := g.Table.Case(e.Input).Kind; kind != ir.CaseResult && kind != ir.CaseDone {
		return false
	}
	for _, s := range from.Chain() {
		if !to.Inside(s) && publishes(s.Exit) {
			return false
		}
	}
	return !slices.ContainsFunc(to.Chain(), func(s *ir.State) bool { return !from.Inside(s) && publishes(s.Entry) })
}

func publishes(b *ir.Block) bool { return b != nil && len(b.Publishes) > 0 }

func report(p *check.Pass, event *ir.Event, e *control.Edge, refused, of int) {
	g, name := p.Control(), check.Quote(event.Name)
	from, to := g.Leaf(e.From), g.Leaf(e.To)
	p.Report(check.Finding{
		Span: event.Span,
		Message: name + " is refused in " + strconv.Itoa(refused) + " of " + strconv.Itoa(of) + " states, also in " + check.Quote(from.Path) +
			", from where a result leads to " + check.Quote(to.Path) + ", which takes it",
		Help: "If its sender cannot know when " + check.Quote(to.Path) + " is entered, write `defer " + event.Name + "` in " + check.Quote(from.Path) +
			"; or publish an event on the way, for which senders can wait; or say `reject`.",
		Related: []diag.Related{{Span: from.Span, Message: "here it comes too early"}, {Span: to.Span, Message: "here it is taken"}},
		Also:    []*ir.State{from},
	})
}
