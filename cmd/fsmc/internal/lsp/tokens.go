package lsp

import (
	"context"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// legend names the kinds of tokens, by their number in kinds.
var legend = proto.SemanticTokensLegend{
	TokenTypes: []string{
		"type", "class", "parameter", "property", "enum", "enumMember", "struct", "event", "function", "method", "variable", "namespace", "macro",
	},
	TokenModifiers: []string{"declaration", "defaultLibrary"},
}

const (
	modDeclaration = 1 << iota
	modLibrary
)

// kinds are the tokens of names. Words of the language are left to the editor's grammar:
// they are contextual, and what is a name here is one by what resolve says.
var kinds = map[ir.NameKind]uint32{
	ir.BuiltInName: 0, ir.KeyName: 3, ir.MachineName: 1, ir.ParamName: 2, ir.FieldName: 3, ir.EnumName: 4, ir.ValueName: 5,
	ir.RecordName: 6, ir.MemberName: 3, ir.EventName: 7, ir.PayloadName: 3, ir.CategoryName: 5, ir.ActivityName: 8,
	ir.GuardName: 9, ir.ArgumentName: 2, ir.CostName: 12, ir.LabelName: 10, ir.StateName: 11, ir.TerminalName: 11, ir.ElementName: 10,
}

// semanticTokens are the names of the text, each with its kind.
func semanticTokens(_ context.Context, v *view, _ proto.DocumentParams) (any, error) {
	data := []uint32{}
	var last proto.Position
	end := -1
	for _, r := range v.names().inFile[v.doc.path] {
		if r.At.Offset < end {
			continue // a place that means several things
		}
		end = r.At.Offset + r.Len
		at := v.rangeOf(r.Span())
		modifiers := uint32(0)
		switch {
		case r.Kind == ir.BuiltInName:
			modifiers = modLibrary
		case r.Declares() && r.Kind != ir.KeyName:
			modifiers = modDeclaration
		}
		from := at.Start.Character
		if at.Start.Line == last.Line {
			from -= last.Character
		}
		data = append(data, at.Start.Line-last.Line, from, at.End.Character-at.Start.Character, kinds[r.Kind], modifiers)
		last = at.Start
	}
	return proto.SemanticTokens{Data: data}, nil
}
