package lsp

import (
	"context"

	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// lenses are the lines above machines and asserts. A click on a worst case is the server's
// (command.go). What else is to be done at a click is the editor's: its commands are fsmc.diagram and
// fsmc.simulate, and "" for none.
func lenses(_ context.Context, v *view, _ proto.DocumentParams) (any, error) {
	out := []proto.CodeLens{}
	add := func(at token.Span, title, command string, arguments ...any) {
		out = append(out, proto.CodeLens{Range: v.rangeOf(at), Command: &proto.Command{Title: title, Command: command, Arguments: arguments}})
	}
	for _, m := range v.unit().Program.Machines {
		if m.Span.Start.Filename != v.doc.path || m.Broken || m.Incomplete {
			continue
		}
		if w := v.worst(m); w != nil {
			add(m.Span, "worst case: "+worstText(w), worstCommand, v.doc.uri, m.Name)
		}
		add(m.Span, "diagram", "fsmc.diagram", v.doc.uri, m.Name)
		add(m.Span, "simulate", "fsmc.simulate", v.doc.uri, m.Name)
		if !v.folder.knows(v.snapshot) {
			continue
		}
		for _, a := range m.Asserts {
			if !v.questioned(m, a) {
				add(a.Span, "proved", "")
			}
		}
	}
	return out, nil
}

// questioned reports whether an assert of m is violated, or it is left open whether some is.
func (s *snapshot) questioned(m *ir.Machine, a *ir.Assert) bool {
	s.folder.mu.Lock()
	defer s.folder.mu.Unlock()
	for _, k := range s.folder.rules {
		if k.Machine == m.Name && (k.Rule == "undecided" || k.Rule == "assertion-violated" && k.start >= a.Span.Start.Offset && k.start < a.Span.End.Offset) {
			return true
		}
	}
	return false
}

// page is the page of a rule; empty for none.
func page(rule string) string {
	for _, r := range all.Rules {
		if r.Name == rule {
			return r.Page()
		}
	}
	return ""
}
