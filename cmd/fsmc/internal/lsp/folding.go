package lsp

import (
	"context"
	"slices"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang/ast"
)

// tree is the syntax tree of the text called path; an empty one where there is none.
func (s *snapshot) tree(path string) *ast.File {
	for _, f := range s.unit().Files {
		if f.Name == path {
			return f
		}
	}
	return &ast.File{}
}

// folding is what stands between braces, and comments of several lines.
func folding(_ context.Context, v *view, _ proto.DocumentParams) (any, error) {
	out := []proto.FoldingRange{}
	file := v.tree(v.doc.path)
	ast.Walk(file, func(n ast.Any) bool {
		switch n.(type) {
		case *ast.Machine, *ast.State, *ast.Context, *ast.Enum, *ast.Record, *ast.Event, *ast.Failures, *ast.Budget, *ast.Block, *ast.On, *ast.After, *ast.Scenario, *ast.Repeat:
			if at := n.Span(); at.End.Line > at.Start.Line {
				out = append(out, proto.FoldingRange{StartLine: uint32(at.Start.Line - 1), EndLine: uint32(at.End.Line - 1)})
			}
		}
		return true
	})
	for i := 0; i < len(file.Comments); {
		first, last := file.Comments[i], file.Comments[i]
		for i++; i < len(file.Comments) && file.Comments[i].Pos.Line == last.Pos.Line+1; i++ {
			last = file.Comments[i]
		}
		if last.Pos.Line > first.Pos.Line {
			out = append(out, proto.FoldingRange{StartLine: uint32(first.Pos.Line - 1), EndLine: uint32(last.Pos.Line - 1), Kind: "comment"})
		}
	}
	slices.SortStableFunc(out, func(a, b proto.FoldingRange) int { return int(a.StartLine) - int(b.StartLine) })
	return out, nil
}

// selection is, of each place, what stands around it, from the smallest outwards.
func selection(_ context.Context, v *view, p proto.SelectionRangeParams) (any, error) {
	out := make([]*proto.SelectionRange, len(p.Positions))
	for i, at := range p.Positions {
		offset := v.offset(at)
		around := &proto.SelectionRange{Range: v.span(0, len(v.doc.file.Src))}
		ast.Walk(v.tree(v.doc.path), func(n ast.Any) bool {
			s := n.Span()
			if offset < s.Start.Offset || offset > s.End.Offset {
				return false
			}
			if r := v.rangeOf(s); r != around.Range {
				around = &proto.SelectionRange{Range: r, Parent: around}
			}
			return true
		})
		out[i] = around
	}
	return out, nil
}
