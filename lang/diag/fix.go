package diag

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/token"
)

// Fix is a change of one text, after which the finding is gone. Message says what it
// does, as an order: `add "on failed -> Failed"`.
type Fix struct {
	Message string
	Edits   []Edit // none on another

	// Safe is set where the fix decides nothing that is its author's to decide: it
	// corrects a name, or takes away what does nothing.
	Safe bool
}

// Edit replaces Span by Text.
type Edit struct {
	Span token.Span
	Text string
}

// Insert is the edit that puts text in front of what stands at pos.
func Insert(pos token.Pos, text string) Edit {
	return Edit{Span: token.Span{Start: pos, End: pos}, Text: text}
}

// Meets reports whether two edits of one text touch the same place: then the second is
// to be found again in what the first has made.
func (e Edit) Meets(other Edit) bool {
	return e.Span.Start.Offset <= other.Span.End.Offset && other.Span.Start.Offset <= e.Span.End.Offset
}

// Meet reports whether an edit of one list touches what one of the other does.
func Meet(list, others []Edit) bool {
	return slices.ContainsFunc(list, func(e Edit) bool { return slices.ContainsFunc(others, e.Meets) })
}

// Whole is e where what it removes leaves nothing on its lines, or nothing but a comment
// behind it: then it removes the lines. Any other edit is as it was.
func (e Edit) Whole(file *token.File) Edit {
	start, end := e.Span.Start.Offset, e.Span.End.Offset
	if e.Text != "" || start == end {
		return e
	}
	text := file.Src
	for start > 0 && blank(text[start-1]) {
		start--
	}
	rest := end
	for rest < len(text) && text[rest] != '\n' {
		rest++
	}
	behind := strings.TrimSpace(string(text[end:rest]))
	if start > 0 && text[start-1] != '\n' || behind != "" && !strings.HasPrefix(behind, "//") {
		return e
	}
	e.Span = file.Span(start, min(rest+1, len(text)))
	return e
}

func blank(b byte) bool { return b == ' ' || b == '\t' }

// Apply makes edits, none of which meets another, in file.
func Apply(file *token.File, edits []Edit) []byte {
	edits = slices.Clone(edits)
	for i := range edits {
		edits[i] = edits[i].Whole(file)
	}
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Span.Start.Offset, b.Span.Start.Offset) })
	var out []byte
	last := 0
	for _, e := range edits {
		out = append(append(out, file.Src[last:e.Span.Start.Offset]...), e.Text...)
		last = e.Span.End.Offset
	}
	return append(out, file.Src[last:]...)
}
