package lsp

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// everywhere are all places in the project of the name at a place, with a view in which
// they are. A folder is one unit, and knows what it imports; who imports it, it does not
// know. So the folders of the project that import one of the declarations, directly or
// not, are loaded together with it. What cannot be loaded is an error.
func (v *view) everywhere(ctx context.Context, p proto.TextDocumentPositionParams) (*view, []ir.Ref, error) {
	places := func(v *view) []ir.Ref { return v.names().same(v.names().at(v.doc.path, v.offset(p.Position))) }
	refs := places(v)
	if len(refs) == 0 || !v.doc.isFile() {
		return v, refs, nil
	}
	project, err := v.project(ctx)
	if err != nil {
		return nil, nil, err
	}
	for wide := v; ; {
		paths := project.readers(refs, v.paths())
		if slices.Equal(paths, wide.paths()) {
			return wide, refs, nil
		}
		s, err := v.with(paths, v.now)
		if err != nil {
			return nil, nil, err
		}
		wide = &view{snapshot: s, doc: v.doc, now: v.now}
		refs = places(wide) // one of them may join what is declared in yet another folder
	}
}

// with is the snapshot with the files called paths, more than those of its folder, of which
// these are open.
func (s *snapshot) with(paths []string, open map[string]*document) (*snapshot, error) {
	wide := *s
	wide.beyond, wide.open = paths, open
	unit, err := s.server.Load(paths, wide.texts())
	if err != nil {
		return nil, err
	}
	wide.unit = func() *lang.Unit { return unit }
	wide.names = sync.OnceValue(func() *names { return namesOf(unit) })
	return &wide, nil
}

// project are the files around a folder, by what they import.
type project struct {
	files   map[string][]string        // paths, by the place of their folder
	imports map[string]map[string]bool // places of folders, by that of the one that they import
}

// project looks at all files of the folders that the editor has open, and of the project
// around the text.
func (v *view) project(ctx context.Context) (*project, error) {
	roots := v.server.roots
	if v.server.Root != nil {
		roots = append(slices.Clone(roots), v.server.Root(v.key))
	}
	sources := sourcesBelow(ctx, roots, v.now)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(sources) >= maxFiles:
		return nil, fmt.Errorf("there are more than %d files below %s", maxFiles, strings.Join(roots, ", "))
	}
	known := map[string]string{}
	place := func(folder string) string {
		at, seen := known[folder]
		if !seen {
			at = folder
			if real, err := filepath.EvalSymlinks(folder); err == nil {
				at = real
			}
			known[folder] = at
		}
		return at
	}
	p := &project{files: map[string][]string{}, imports: map[string]map[string]bool{}}
	for _, src := range sources {
		if d := v.now[src.Name]; d != nil && !d.isFile() {
			continue
		}
		folder := filepath.Dir(src.Name)
		at := place(folder)
		p.files[at] = append(p.files[at], src.Name)
		if !bytes.Contains(src.Src, []byte("import")) {
			continue
		}
		tree, _, _ := lang.Parse(src.Name, src.Src)
		for imp := range ast.Of[*ast.Import](tree.Decls) {
			if imp.Path == nil {
				continue
			}
			path, err := strconv.Unquote(imp.Path.Text)
			if err != nil {
				continue
			}
			target := filepath.Join(folder, filepath.FromSlash(path))
			if filepath.Ext(target) == ".fsm" {
				target = filepath.Dir(target)
			}
			to := place(target)
			if p.imports[to] == nil {
				p.imports[to] = map[string]bool{}
			}
			p.imports[to][at] = true
		}
	}
	return p, nil
}

// readers are the files called own with those of all folders that import, directly or not,
// from one in which a name of refs is declared, and of these themselves. They are in order.
func (p *project) readers(refs []ir.Ref, own []string) []string {
	out := slices.Clone(own)
	seen := map[string]bool{}
	var work []string
	add := func(folder string) {
		if !seen[folder] {
			seen[folder] = true
			work = append(work, folder)
		}
	}
	for at, paths := range p.files {
		if slices.ContainsFunc(refs, func(r ir.Ref) bool { return slices.Contains(paths, r.Decl.Filename) }) {
			add(at)
		}
	}
	for len(work) > 0 {
		folder := work[0]
		work = work[1:]
		out = append(out, p.files[folder]...)
		for importer := range p.imports[folder] {
			add(importer)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
