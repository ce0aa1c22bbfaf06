package explore

import (
	"github.com/fsmc-dev/fsmc/check/control"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// RunMeeting writes out the run to m's configuration, and there in with the data
// of m: it is taken by arm, or where that is nil by nothing. Sure reports whether
// it is a run.
func (p *Product) RunMeeting(m Meeting, in flat.Input, arm *ir.Arm) (w *diag.Witness, sure bool) {
	r := p.record(p.PathTo(m.Config), -1)
	var data map[string]any
	if in.Event != nil {
		data = payload(in.Event, m.Model)
	}
	r.row(in.Case, control.RowText(in.Case), data, m.Model.Guards)
	r.takenBy(arm)
	values := m.Model.Values()
	for name, v := range p.values(m.Config) {
		if _, said := values[name]; !said {
			values[name] = v
		}
	}
	if e := p.edgeOf(m.Config, in, arm); e != graph.None {
		r.at = p.To[e]
	}
	w, sure = r.finish()
	w.Values = values
	return w, sure && m.Exact
}

// payload is what m says of the fields of e.
func payload(e *ir.Event, m *guard.Model) map[string]any {
	out := map[string]any{}
	for name, v := range m.Event {
		if e.Field(name) != nil {
			out[name] = v
		}
	}
	return out
}

// edgeOf is an edge from c along which arm takes in; None where there is none
// that leads elsewhere.
func (p *Product) edgeOf(c int32, in flat.Input, arm *ir.Arm) int32 {
	if arm != nil {
		for _, e := range p.StepsFrom(c) {
			if l := p.Label(e); l.Input == in.ID && l.Arm == int32(arm.ID) {
				return e
			}
		}
	}
	return graph.None
}
