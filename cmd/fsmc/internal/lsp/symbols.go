package lsp

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// symbols is what the text declares, states inside those around them.
func symbols(_ context.Context, v *view, _ proto.DocumentParams) (any, error) {
	return symbolsOf(v.tree(v.doc.path), func(s token.Span) proto.Range { return rangeOf(v.doc.file, s, v.server.encoding) }), nil
}

// symbolsOf are the symbols directly below n.
func symbolsOf(n ast.Any, place func(token.Span) proto.Range) []proto.DocumentSymbol {
	out := []proto.DocumentSymbol{}
	ast.Children(n, func(child ast.Any) {
		s, name := symbolOf(child)
		switch {
		case s == nil:
			if _, inside := child.(*ast.Context); inside {
				out = append(out, symbolsOf(child, place)...)
			}
			return
		case name == nil || name.Text == "":
			return
		}
		s.Name, s.Range, s.SelectionRange = name.Text, place(child.Span()), place(name.Span())
		if s.Kind != proto.SymbolField {
			s.Children = symbolsOf(child, place)
		}
		out = append(out, *s)
	})
	return out
}

// symbolOf is what n declares, with its name; nil for nothing.
func symbolOf(n ast.Any) (*proto.DocumentSymbol, *ast.Name) {
	is := func(kind proto.SymbolKind, detail string) *proto.DocumentSymbol {
		return &proto.DocumentSymbol{Kind: kind, Detail: detail}
	}
	switch n := n.(type) {
	case *ast.Machine:
		return is(proto.SymbolModule, "machine"), n.Name
	case *ast.State:
		return is(proto.SymbolClass, "state"), n.Name
	case *ast.Terminal:
		return is(proto.SymbolConstant, strings.TrimSpace("terminal "+n.Outcome)), n.Name
	case *ast.Event:
		return is(proto.SymbolEvent, "event"), n.Name
	case *ast.Activity:
		return is(proto.SymbolFunction, "activity"), n.Name
	case *ast.Guard:
		return is(proto.SymbolBoolean, "guard"), n.Name
	case *ast.Enum:
		return is(proto.SymbolEnum, "enum"), n.Name
	case *ast.Record:
		return is(proto.SymbolStruct, "record"), n.Name
	case *ast.Field:
		return is(proto.SymbolField, "field"), n.Name
	case *ast.Scenario:
		if n.Title != nil && n.Machine != nil {
			return is(proto.SymbolMethod, "scenario of "+n.Machine.Text), &ast.Name{Node: n.Title.Node, Text: strings.Trim(n.Title.Text, `"`)}
		}
	}
	return nil, nil
}

// maxFiles is how many files of the editor's folders are searched for symbols.
const maxFiles = 5000

// workspaceSymbols finds the machines, states, events and types of all files below the
// folders that the editor has open, whose names have the letters of the query in order.
func workspaceSymbols(s *server, params *json.RawMessage) (work, error) {
	var p proto.WorkspaceSymbolParams
	if err := decode(params, &p); err != nil {
		return nil, err
	}
	open, roots := s.byPath(), s.roots
	return func(ctx context.Context) (any, error) {
		out := []proto.SymbolInformation{}
		for _, src := range sourcesBelow(ctx, roots, open) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			tree, file, _ := lang.Parse(src.Name, src.Src)
			uri := uriOf(src.Name)
			if d := open[src.Name]; d != nil {
				uri = d.uri
			}
			list := symbolsOf(tree, func(at token.Span) proto.Range { return rangeOf(file, at, s.encoding) })
			out = matching(out, list, strings.ToLower(p.Query), "", uri)
		}
		return out, nil
	}, nil
}

// matching adds those of list, and of what is below them, that match to out.
func matching(out []proto.SymbolInformation, list []proto.DocumentSymbol, query, container, uri string) []proto.SymbolInformation {
	for _, s := range list {
		if s.Kind != proto.SymbolField && inOrder(query, strings.ToLower(s.Name)) {
			out = append(out, proto.SymbolInformation{Name: s.Name, Kind: s.Kind, ContainerName: container, Location: proto.Location{URI: uri, Range: s.SelectionRange}})
		}
		out = matching(out, s.Children, query, s.Name, uri)
	}
	return out
}

// inOrder reports whether name has the letters of query in their order.
func inOrder(query, name string) bool {
	for _, r := range query {
		at := strings.IndexRune(name, r)
		if at < 0 {
			return false
		}
		name = name[at+1:]
	}
	return true
}

// sourcesBelow are the texts below folders, those that are open as they are.
func sourcesBelow(ctx context.Context, roots []string, open map[string]*document) []lang.Source {
	var out []lang.Source
	seen := map[string]bool{}
	for path, d := range open {
		seen[path] = true
		out = append(out, lang.Source{Name: path, Src: d.file.Src})
	}
	for _, root := range roots {
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error { // what cannot be read is passed over
			switch {
			case ctx.Err() != nil || len(out) >= maxFiles:
				return filepath.SkipAll
			case err != nil:
				return nil
			case e.IsDir() && path != root && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules"):
				return filepath.SkipDir
			case e.IsDir() || filepath.Ext(path) != ".fsm" || seen[path]:
				return nil
			}
			seen[path] = true
			if text, err := os.ReadFile(path); err == nil {
				out = append(out, lang.Source{Name: path, Src: AsOpened(text)})
			}
			return nil
		})
	}
	return out
}
