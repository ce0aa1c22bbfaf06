package drawing

import (
	"strings"
	"unicode/utf8"
)

// Line is a line of a label. An Aside is of less weight: what is done on the
// way, against when the arrow is taken.
type Line struct {
	Text  string
	Aside bool
}

// Widths of what stands in a box and beside an arrow, in characters, and how many exits of a child
// stand beside each other.
const (
	BoxWidth   = 34
	ArrowWidth = 28
	ExitsInRow = 4
)

// mostLines is how many lines a guard or the effects of one label may fill.
const mostLines = 3

// Lines is the label in lines of about width characters, the effects on lines
// of their own.
func (l Label) Lines(width int) []Line {
	var out []Line
	for _, text := range join(l.head(), width) {
		for _, t := range Wrap(text, width, mostLines) {
			out = append(out, Line{Text: t})
		}
	}
	if len(l.Effects) > 0 {
		for _, t := range Wrap("/ "+strings.Join(l.Effects, ", "), width, mostLines) {
			out = append(out, Line{Text: t, Aside: true})
		}
	}
	return out
}

// head is what says when the arrow is taken, part by part.
func (l Label) head() []string {
	parts := []string{l.Trigger}
	if l.Else != "" {
		parts = append(parts, l.Else)
	}
	if l.Guard != "" {
		parts = append(parts, "["+l.Guard+"]")
	}
	if l.Bound != "" {
		parts = append(parts, l.Bound)
	}
	return parts
}

// join puts neighbouring parts on one line where both fit.
func join(parts []string, width int) []string {
	out := parts[:1:1]
	for _, p := range parts[1:] {
		last := &out[len(out)-1]
		if utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(p) <= width {
			*last += " " + p
		} else {
			out = append(out, p)
		}
	}
	return out
}

// Wrap breaks text at its blanks into lines of about width characters; a word
// that is longer is cut, and so is the text after the given number of lines.
func Wrap(text string, width, lines int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(text) {
		word = shorten(word, width+width/2)
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			out = append(out, line)
			line = word
		}
	}
	out = append(out, line)
	if len(out) > lines {
		out = out[:lines]
		out[lines-1] += " …"
	}
	return out
}
