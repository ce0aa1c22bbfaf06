package lsp

import (
	"context"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang"
)

// formatting gives the canonical form: nothing where there are syntax errors.
func formatting(_ context.Context, v *view, _ proto.DocumentParams) (any, error) {
	after, list := lang.Format(v.doc.path, v.doc.file.Src)
	if list.HasErrors() {
		return []proto.TextEdit{}, nil
	}
	return v.edits(string(after)), nil
}

// edits are what makes the text another one: none or one.
func (v *view) edits(text string) []proto.TextEdit {
	old := v.doc.file.Src
	if string(old) == text {
		return []proto.TextEdit{}
	}
	e := difference(old, text)
	for !begins(old, e.start) || !begins([]byte(text), e.start) { // whole runes
		e.start, e.size = e.start-1, e.size+1
	}
	for !begins(old, e.end) {
		e.end, e.size = e.end+1, e.size+1
	}
	return []proto.TextEdit{{Range: v.span(e.start, e.end), NewText: text[e.start : e.start+e.size]}}
}

// begins reports whether no rune of text goes on at a place.
func begins(text []byte, at int) bool { return at <= 0 || at >= len(text) || utf8.RuneStart(text[at]) }
