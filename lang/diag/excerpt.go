package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/lang/token"
)

const (
	tabStop      = 4
	excerptWidth = 160 // columns of a line that are shown at most
	excerptLead  = 40  // columns shown before the span where the line is cut
)

// excerpt is the line on which span begins, as a terminal shows it, and a row
// of carets that stands below the span: tabs opened out, wide and combining
// characters counted as they are drawn, control characters made visible and
// harmless, and a very long line cut down to the surroundings of the span. Of
// a span over several lines the part on the first is marked.
func excerpt(f *token.File, span token.Span) (text, carets string) {
	line := f.Line(span.Start.Line)
	start := min(span.Start.Column-1, len(line))
	end := len(strings.TrimRight(line, " \t"))
	if span.End.Line == span.Start.Line {
		end = min(span.End.Column-1, len(line))
	}

	var shown strings.Builder
	column, from, to := 0, -1, -1 // from and to are columns of the carets
	for i, r := range line {
		if i >= start && from < 0 {
			from = column
		}
		if i >= end && to < 0 {
			to = column
		}
		s := visible(r, column)
		shown.WriteString(s)
		column += textWidth(s)
	}
	if from < 0 {
		from = column
	}
	if to < 0 {
		to = column
	}
	return window(shown.String(), from, max(to, from+1))
}

// visible is what is shown for r at column: a blank stretch for a tab, a
// replacement for what would disturb the terminal.
func visible(r rune, column int) string {
	switch {
	case r == '\t':
		return strings.Repeat(" ", tabStop-column%tabStop)
	case unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control):
		return string(utf8.RuneError)
	}
	return string(r)
}

// Harmless is text, which may have the name of a file in it, without what would disturb
// a terminal; line ends stay.
func Harmless(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && visible(r, 0) != string(r) {
			return utf8.RuneError
		}
		return r
	}, text)
}

// window cuts text, whose columns from up to to are to be marked, down to
// excerptWidth columns.
func window(text string, from, to int) (cut, carets string) {
	if textWidth(text) <= excerptWidth {
		return text, strings.Repeat(" ", from) + strings.Repeat("^", to-from)
	}
	left := max(0, from-excerptLead)
	var b strings.Builder
	skipped, column := 0, 0 // columns cut off on the left, columns seen
	for _, r := range text {
		switch {
		case column < left:
			skipped = column + runeWidth(r)
		case column < left+excerptWidth:
			b.WriteRune(r)
		}
		column += runeWidth(r)
	}
	cut = b.String()
	if skipped > 0 {
		cut = "…" + cut
		skipped--
	}
	if column > left+excerptWidth {
		cut += "…"
	}
	from, to = from-skipped, min(to-skipped, textWidth(cut))
	return cut, strings.Repeat(" ", from) + strings.Repeat("^", max(1, to-from))
}

// textWidth is how many columns a terminal gives s, in which there is no tab.
func textWidth(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}
