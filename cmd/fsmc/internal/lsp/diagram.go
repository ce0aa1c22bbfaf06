package lsp

import (
	"cmp"
	"context"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/codegen/svg"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// diagram is the picture of a machine of the text, and where its states stand.
func diagram(_ context.Context, v *view, p proto.DiagramParams) (any, error) {
	m := v.wanted(p)
	switch {
	case m == nil && p.Machine != "":
		return nil, refused("there is no machine %q in this file", p.Machine)
	case m == nil:
		return nil, refused("there is no machine in this file")
	case m.Broken || m.Incomplete:
		return nil, refused("machine %q has errors; it is drawn again when they are gone", m.Name)
	}
	sheet := svg.Sheet(cmp.Or(p.Theme, "auto"))
	out := proto.Diagram{Machine: m.Name, SVG: string(svg.Print(drawing.Plan(m, nil), sheet))}
	for _, s := range m.States {
		if s != m.Root {
			out.States = append(out.States, proto.DiagramState{ID: "state-" + s.Path, Range: v.rangeOf(s.Body), Name: v.rangeOf(s.Span)})
		}
	}
	return out, nil
}

// wanted is the machine that p means; nil for none.
func (v *view) wanted(p proto.DiagramParams) *ir.Machine {
	if p.Position != nil && p.Machine == "" {
		if m := v.machineAt(v.offset(*p.Position)); m != nil {
			return m
		}
	}
	for _, m := range v.unit().Program.Machines {
		if m.Span.Start.Filename == v.doc.path && (p.Machine == "" || m.Name == p.Machine) {
			return m
		}
	}
	return nil
}
