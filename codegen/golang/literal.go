package golang

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
)

// literal is text as a Go string: raw where that can hold it and hides nothing
// from a reader, else line by line.
func literal(text string) string {
	if rawSafe(text) {
		return "`" + text + "`"
	}
	var b strings.Builder
	b.WriteString(`"" +` + "\n")
	for line := range strings.SplitAfterSeq(text, "\n") {
		b.WriteString(strconv.Quote(line) + " +\n")
	}
	b.WriteString(`""`)
	return b.String()
}

// rawSafe reports whether text means itself between back quotes, and shows all
// that is in it: no control, direction or invisible characters.
func rawSafe(text string) bool {
	for _, r := range text {
		if r == '`' || r != '\n' && r != '\t' && !strconv.IsPrint(r) {
			return false
		}
	}
	return !strings.ContainsRune(text, '\uFFFD') // may stand for a byte that is not UTF-8
}

// jsonLiteral is a JSON object as a Go string, a line for each member and each
// item of its members. White space between tokens means nothing in JSON, and a
// character in a string may always be written as an escape, so nothing is lost.
func jsonLiteral(text string) string {
	var b strings.Builder
	depth, inString, escaped := 0, false, false
	for _, r := range text {
		switch {
		case inString && (r == '`' || !strconv.IsPrint(r)):
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
			escaped = false
			continue
		case inString:
			inString = r != '"' || escaped
			escaped = r == '\\' && !escaped
			b.WriteRune(r)
			continue
		}
		if (r == ']' || r == '}') && depth <= 2 {
			b.WriteByte('\n')
		}
		b.WriteRune(r)
		switch r {
		case '"':
			inString = true
		case '[', '{':
			depth++
			if depth <= 2 {
				b.WriteByte('\n')
			}
		case ']', '}':
			depth--
		case ',':
			if depth <= 2 {
				b.WriteByte('\n')
			}
		}
	}
	return literal(b.String())
}
