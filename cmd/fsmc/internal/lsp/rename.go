package lsp

import (
	"context"
	"maps"
	"regexp"
	"slices"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// prepareRename is the name at the cursor; nothing where there is none that can be renamed.
func prepareRename(_ context.Context, v *view, p proto.TextDocumentPositionParams) (any, error) {
	refs := v.names().at(v.doc.path, v.offset(p.Position))
	if len(v.names().same(refs)) == 0 {
		return nil, nil
	}
	return v.rangeOf(refs[0].Span()), nil
}

// rename gives the name at the cursor another text, in all places of the project. It refuses
// what would make the files mean something else: a name that is taken, or that hides
// another one.
func rename(ctx context.Context, v *view, p proto.RenameParams) (any, error) {
	if !identifier.MatchString(p.NewName) {
		return nil, refused("%q is no name: letters, digits and _, and no digit first", p.NewName)
	}
	v, refs, err := v.everywhere(ctx, p.TextDocumentPositionParams)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, refused("it is not known where the name is used: %v", err)
	case len(refs) == 0:
		return nil, refused("there is no name here that is declared in a file")
	}
	texts := map[string][]byte{}
	changes := map[string][]proto.TextEdit{}
	for _, r := range slices.Backward(refs) {
		path := r.At.Filename
		file := v.file(path)
		if file == nil {
			return nil, refused("the name is used in %s, which is not at hand", path)
		}
		if texts[path] == nil {
			texts[path] = file.Src
		}
		texts[path] = slices.Concat(texts[path][:r.At.Offset], []byte(p.NewName), texts[path][r.At.Offset+r.Len:])
		uri := v.uriOf(path)
		changes[uri] = append(changes[uri], proto.TextEdit{Range: v.rangeOf(r.Span()), NewText: p.NewName})
	}
	for _, list := range changes {
		slices.Reverse(list)
	}
	if err := v.meansTheSame(refs, texts, p.NewName); err != nil {
		return nil, err
	}
	return proto.WorkspaceEdit{Changes: changes}, nil
}

// meansTheSame loads the unit with the texts, in which refs are called name, and refuses
// them where a finding has come, or a name means something else than before.
func (v *view) meansTheSame(refs []ir.Ref, texts map[string][]byte, name string) error {
	open := v.texts()
	maps.Copy(open, texts)
	var after *lang.Unit
	if paths := v.paths(); paths == nil {
		after = lang.Load([]lang.Source{{Name: v.doc.path, Src: open[v.doc.path]}})
	} else {
		unit, err := v.server.Load(paths, open)
		if err != nil {
			return refused("%v", err)
		}
		after = unit
	}
	before := map[string]int{}
	for _, d := range v.unit().Diags {
		before[d.Rule]++
	}
	var came *diag.Diagnostic
	for i := range after.Diags {
		d := &after.Diags[i]
		if before[d.Rule]--; before[d.Rule] >= 0 || d.Severity != diag.Error {
			continue
		}
		if came == nil || came.Rule != "duplicate-name" && d.Rule == "duplicate-name" { // of which others follow
			came = d
		}
	}
	if came != nil {
		return refused("%s", came.Message)
	}
	moved := movedBy(refs, len(name))
	other := namesOf(after)
	for path, list := range v.names().inFile {
		now := other.inFile[path]
		if len(now) != len(list) {
			return refused("with the name %q, something else would be meant in %s", name, path)
		}
		for i, r := range list {
			if moved(r.At) != key(now[i].At) || r.Kind != now[i].Kind || r.Decl.IsValid() && moved(r.Decl) != key(now[i].Decl) {
				return refused("with the name %q, %q at %s would mean something else", name, textOf(v.unit(), r), r.At)
			}
		}
	}
	return nil
}

// spot is a place without its line and column.
type spot struct {
	file   string
	offset int
}

func key(p token.Pos) spot { return spot{p.Filename, p.Offset} }

// movedBy is where a place is once all of refs, which are in order, have a name of n bytes.
func movedBy(refs []ir.Ref, n int) func(token.Pos) spot {
	byFile := map[string][]ir.Ref{}
	for _, r := range refs {
		byFile[r.At.Filename] = append(byFile[r.At.Filename], r)
	}
	return func(p token.Pos) spot {
		list := byFile[p.Filename]
		before, _ := slices.BinarySearchFunc(list, p.Offset, func(r ir.Ref, at int) int { return r.At.Offset - at })
		out := key(p)
		if before > 0 {
			out.offset += before * (n - list[0].Len)
		}
		return out
	}
}

func textOf(u *lang.Unit, r ir.Ref) string {
	return string(u.File(r.At.Filename).Src[r.At.Offset : r.At.Offset+r.Len])
}
