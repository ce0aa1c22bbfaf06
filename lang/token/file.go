package token

import (
	"bytes"
	"sort"
)

// ByteOrderMark may stand at the beginning of a text. No column counts it.
const ByteOrderMark = "\ufeff"

// File is one source text and knows where its lines begin.
type File struct {
	Name  string
	Src   []byte
	lines []int // offset of the first byte of each line
}

// NewFile indexes the lines of src. A line ends after "\n"; a "\r" before it
// belongs to the line end.
func NewFile(name string, src []byte) *File {
	lines := []int{len(src) - len(bytes.TrimPrefix(src, []byte(ByteOrderMark)))}
	for i, b := range src {
		if b == '\n' {
			lines = append(lines, i+1)
		}
	}
	return &File{Name: name, Src: src, lines: lines}
}

// Lines is the number of lines; a file that ends in a newline has an empty
// last one.
func (f *File) Lines() int { return len(f.lines) }

// Pos is the place of the byte at offset, which is clamped to the lines of the file.
func (f *File) Pos(offset int) Pos {
	offset = max(f.lines[0], min(offset, len(f.Src)))
	line := sort.SearchInts(f.lines, offset+1) // lines that begin at or before offset
	return Pos{Filename: f.Name, Offset: offset, Line: line, Column: offset - f.lines[line-1] + 1}
}

// Span is the stretch between two offsets.
func (f *File) Span(start, end int) Span { return Span{Start: f.Pos(start), End: f.Pos(end)} }

// Line is the text of line n (from 1) without its line end; empty if there is
// no such line.
func (f *File) Line(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	start, end := f.lines[n-1], len(f.Src)
	if n < len(f.lines) {
		end = f.lines[n] - 1
	}
	if end > start && f.Src[end-1] == '\r' {
		end--
	}
	return string(f.Src[start:end])
}

// LineStart is the offset of the first byte of line n (from 1), which the file has.
func (f *File) LineStart(n int) int { return f.lines[n-1] }

// UTF16Column is p's column counted in UTF-16 units, from 1, as editors that
// speak the language server protocol count.
func (f *File) UTF16Column(p Pos) int {
	n := 1
	for _, r := range f.prefix(p) {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// prefix is the part of p's line before p.
func (f *File) prefix(p Pos) string {
	line := f.Line(p.Line)
	return line[:max(0, min(p.Column-1, len(line)))]
}
