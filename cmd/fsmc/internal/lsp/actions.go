package lsp

import (
	"context"
	"strings"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// codeActions are what can be done about the findings at a stretch: their fixes, and to
// say why one is allowed.
func codeActions(_ context.Context, v *view, p proto.CodeActionParams) (any, error) {
	out := []proto.CodeAction{}
	first, last := v.offset(p.Range.Start), v.offset(p.Range.End)
	for _, k := range v.findings() {
		if k.Span.Start.Filename != v.doc.path || k.end < first || k.start > last {
			continue
		}
		shown := []proto.Diagnostic{v.finding(k.Diagnostic, v.doc.file.Span(k.start, k.end))}
		for _, fix := range k.Fixes {
			if edit := v.editOf(fix, k); edit != nil {
				out = append(out, proto.CodeAction{Title: fix.Message, Kind: proto.QuickFix, Diagnostics: shown, Edit: edit})
			}
		}
		if page(k.Rule) != "" && k.Severity != diag.Error {
			out = append(out, proto.CodeAction{
				Title: "allow " + k.Rule + " here, and say why", Kind: proto.QuickFix, Diagnostics: shown,
				Edit: v.insertAbove(k.start, "//fsmc:allow "+k.Rule+" because REASON"),
			})
		}
	}
	return out, nil
}

// findings are those that are shown now.
func (s *snapshot) findings() []kept {
	var out []kept
	for _, d := range s.unit().Diags {
		out = append(out, kept{d, d.Span.Start.Offset, d.Span.End.Offset})
	}
	s.folder.mu.Lock()
	defer s.folder.mu.Unlock()
	return append(out, s.folder.rules...)
}

// editOf is fix as the protocol has it; nil where the text has been edited since it was
// found.
func (v *view) editOf(fix diag.Fix, k kept) *proto.WorkspaceEdit {
	if k.start != k.Span.Start.Offset || k.end != k.Span.End.Offset {
		return nil
	}
	changes := map[string][]proto.TextEdit{}
	for _, e := range fix.Edits {
		if file := v.file(e.Span.Start.Filename); file != nil {
			e = e.Whole(file)
		}
		uri := v.uriOf(e.Span.Start.Filename)
		changes[uri] = append(changes[uri], proto.TextEdit{Range: v.rangeOf(e.Span), NewText: e.Text})
	}
	return &proto.WorkspaceEdit{Changes: changes}
}

// insertAbove inserts a line above that of a place, indented as that is.
func (v *view) insertAbove(offset int, line string) *proto.WorkspaceEdit {
	at := v.doc.file.Pos(offset)
	text := v.doc.file.Line(at.Line)
	indent := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	start := v.doc.file.LineStart(at.Line)
	edit := proto.TextEdit{Range: rangeOf(v.doc.file, token.Span{Start: v.doc.file.Pos(start), End: v.doc.file.Pos(start)}, v.server.encoding), NewText: indent + line + "\n"}
	return &proto.WorkspaceEdit{Changes: map[string][]proto.TextEdit{v.doc.uri: {edit}}}
}
