// Package token places things in source text: positions, spans, and the
// mapping between bytes, runes and UTF-16 units of a line.
package token

import "fmt"

// Pos is a place in a file. Offset counts bytes from 0; Line and Column count
// from 1, columns in UTF-8 bytes. The zero Pos is no place at all.
type Pos struct {
	Filename string
	Offset   int
	Line     int
	Column   int
}

// IsValid reports whether p is a place.
func (p Pos) IsValid() bool { return p.Line > 0 }

// Span is the stretch of n bytes from p on, in one line.
func (p Pos) Span(n int) Span {
	end := p
	end.Offset += n
	end.Column += n
	return Span{Start: p, End: end}
}

// Before reports whether p comes before q, by file name and then by offset.
func (p Pos) Before(q Pos) bool {
	if p.Filename != q.Filename {
		return p.Filename < q.Filename
	}
	return p.Offset < q.Offset
}

// String is "file:line:column".
func (p Pos) String() string {
	if !p.IsValid() {
		return p.Filename
	}
	return fmt.Sprintf("%s:%d:%d", p.Filename, p.Line, p.Column)
}

// Span is a stretch of one file: from Start up to, but without, End.
type Span struct {
	Start, End Pos
}

// IsValid reports whether s is a stretch of a file.
func (s Span) IsValid() bool { return s.Start.IsValid() }

// Contains reports whether p lies in s.
func (s Span) Contains(p Pos) bool {
	return s.Start.Filename == p.Filename && s.Start.Offset <= p.Offset && p.Offset < s.End.Offset
}

// String is "file:line:column".
func (s Span) String() string { return s.Start.String() }
