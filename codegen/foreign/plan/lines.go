package plan

import (
	"fmt"
	"strings"
)

// Lines is a text in the making.
type Lines struct {
	strings.Builder
	Depth int // by how much a line is indented
}

// Line writes a line.
func (l *Lines) Line(format string, args ...any) {
	l.WriteString(strings.Repeat("  ", l.Depth))
	fmt.Fprintf(l, format, args...)
	l.WriteByte('\n')
}

// Open writes a line behind which others are indented.
func (l *Lines) Open(format string, args ...any) {
	l.Line(format, args...)
	l.Depth++
}

// Close ends what Open has begun.
func (l *Lines) Close(text string) {
	l.Depth--
	l.Line("%s", text)
}

// CutEmpty takes the end of the line away that Open has just written, and reports whether nothing has
// been written since, when the text was that long.
func (l *Lines) CutEmpty(since int, end string) bool {
	if l.Len() > since {
		return false
	}
	text := strings.TrimSuffix(l.String(), end)
	l.Reset()
	l.WriteString(text)
	l.Depth--
	return true
}
