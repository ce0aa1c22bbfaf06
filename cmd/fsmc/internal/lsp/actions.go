package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// codeActions are what can be done about the findings at a stretch: their fixes, those of
// all findings of the same rules, and to say why one is allowed. For the whole text, there
// are the fixes that decide nothing.
func codeActions(_ context.Context, v *view, p proto.CodeActionParams) (any, error) {
	out := []proto.CodeAction{}
	first, last := v.offset(p.Range.Start), v.offset(p.Range.End)
	var rules []string
	for _, k := range v.findings() {
		if !p.Context.Wants(proto.QuickFix) || k.Span.Start.Filename != v.doc.path || k.end < first || k.start > last {
			continue
		}
		out = append(out, v.actionsFor(k)...)
		if !slices.Contains(rules, k.Rule) {
			rules = append(rules, k.Rule)
		}
	}
	for _, rule := range rules {
		if edit, n := v.editOfAll(func(k kept, _ diag.Fix) bool { return k.Rule == rule }); n > 1 {
			out = append(out, proto.CodeAction{Title: fmt.Sprintf("fix all %d of %s in this file", n, rule), Kind: proto.QuickFix, Edit: edit})
		}
	}
	if slices.ContainsFunc(p.Context.Only, func(kind string) bool { return strings.HasPrefix(kind, "source") }) && p.Context.Wants(proto.SourceFixAll) {
		if edit, n := v.editOfAll(func(_ kept, f diag.Fix) bool { return f.Safe }); n > 0 {
			out = append(out, proto.CodeAction{Title: "make all safe fixes", Kind: proto.SourceFixAll, Edit: edit})
		}
	}
	return out, nil
}

// actionsFor are what can be done about one finding.
func (v *view) actionsFor(k kept) []proto.CodeAction {
	var out []proto.CodeAction
	shown := []proto.Diagnostic{v.finding(k.Diagnostic, v.doc.file.Span(k.start, k.end))}
	for _, fix := range k.Fixes {
		if k.in == v.snapshot { // else its places may have moved
			out = append(out, proto.CodeAction{Title: fix.Message, Kind: proto.QuickFix, Diagnostics: shown, Edit: v.editOf(fix.Edits)})
		}
	}
	if page(k.Rule) != "" && k.Severity != diag.Error {
		out = append(out, proto.CodeAction{
			Title: "allow " + k.Rule + " here, and say why", Kind: proto.QuickFix, Diagnostics: shown,
			Edit: v.insertAbove(k.start, "//fsmc:allow "+k.Rule+" because REASON"),
		})
	}
	return out
}

// editOfAll makes the first fix that is wanted of each finding in the text, as
// far as none touches another, and says how many those are.
func (v *view) editOfAll(wanted func(kept, diag.Fix) bool) (*proto.WorkspaceEdit, int) {
	var edits []diag.Edit
	n := 0
	for _, k := range v.findings() {
		if k.Span.Start.Filename != v.doc.path || k.in != v.snapshot {
			continue
		}
		at := slices.IndexFunc(k.Fixes, func(f diag.Fix) bool { return wanted(k, f) })
		if at >= 0 && !diag.Meet(edits, k.Fixes[at].Edits) {
			edits = append(edits, k.Fixes[at].Edits...)
			n++
		}
	}
	return v.editOf(edits), n
}

// findings are those that are shown now.
func (s *snapshot) findings() []kept {
	var out []kept
	for _, d := range s.unit().Diags {
		out = append(out, kept{d, d.Span.Start.Offset, d.Span.End.Offset, s})
	}
	s.folder.mu.Lock()
	defer s.folder.mu.Unlock()
	return append(out, s.folder.rules...)
}

// editOf are edits as the protocol has them.
func (v *view) editOf(edits []diag.Edit) *proto.WorkspaceEdit {
	changes := map[string][]proto.TextEdit{}
	for _, e := range edits {
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
	edit := proto.TextEdit{Range: v.span(start, start), NewText: indent + line + "\n"}
	return &proto.WorkspaceEdit{Changes: map[string][]proto.TextEdit{v.doc.uri: {edit}}}
}
