package lsp

import (
	"context"
	"os"
	"path/filepath"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// definition is where the name at the cursor is declared; of an import, the files to
// which it leads.
func definition(_ context.Context, v *view, p proto.TextDocumentPositionParams) (any, error) {
	offset := v.offset(p.Position)
	out := []proto.Location{}
	for _, r := range v.names().at(v.doc.path, offset) {
		if r.Kind != ir.KeyName && r.Decl.IsValid() && v.file(r.Decl.Filename) != nil { // else there is none to show
			out = append(out, v.locationOf(ir.Ref{At: r.Decl, Len: r.Len}.Span()))
		}
	}
	if len(out) == 0 {
		for _, path := range v.importedAt(offset) {
			out = append(out, proto.Location{URI: v.uriOf(path)})
		}
	}
	return out, nil
}

// importedAt are the files to which the import at a place leads.
func (v *view) importedAt(offset int) []string {
	for _, f := range v.unit().Program.Files {
		for _, imp := range f.Imports {
			if f.Name != v.doc.path || offset < imp.Span.Start.Offset || offset > imp.Span.End.Offset {
				continue
			}
			target := filepath.Join(filepath.Dir(f.Name), filepath.FromSlash(imp.Path))
			entries, err := os.ReadDir(target)
			if err != nil {
				return []string{target}
			}
			var out []string
			for _, e := range entries {
				if lang.InFolder(e.Name()) {
					out = append(out, filepath.Join(target, e.Name()))
				}
			}
			return out
		}
	}
	return nil
}

// references are all places of the name at the cursor in the project; those of the folder
// alone, where others cannot be read.
func references(ctx context.Context, v *view, p proto.ReferenceParams) (any, error) {
	out := []proto.Location{}
	wide, refs, err := v.everywhere(ctx, p.TextDocumentPositionParams)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		refs = v.names().same(v.names().at(v.doc.path, v.offset(p.Position)))
	default:
		v = wide
	}
	for _, r := range refs {
		if (!r.Declares() || p.Context.IncludeDeclaration) && v.file(r.At.Filename) != nil {
			out = append(out, v.locationOf(r.Span()))
		}
	}
	return out, nil
}

// highlight is references within the text.
func highlight(_ context.Context, v *view, p proto.TextDocumentPositionParams) (any, error) {
	out := []proto.DocumentHighlight{}
	for _, r := range v.names().same(v.names().at(v.doc.path, v.offset(p.Position))) {
		if r.At.Filename != v.doc.path {
			continue
		}
		kind := proto.HighlightRead
		if r.Declares() {
			kind = proto.HighlightWrite
		}
		out = append(out, proto.DocumentHighlight{Range: v.rangeOf(r.Span()), Kind: kind})
	}
	return out, nil
}
