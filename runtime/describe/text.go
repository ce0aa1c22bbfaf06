package describe

import (
	"fmt"
	"strings"
	"unicode"
)

// Plain is text from outside on one line that does nothing to a terminal: its
// last line that says anything, control characters replaced, cut after limit
// characters. The last line of an error is the one that names it.
func Plain(text string, limit int) string {
	text = strings.TrimSpace(text)
	text = strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	text = strings.ReplaceAll(Printable(text), "\t", "\uFFFD")
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

// Joined is text of a person on one line: all its lines, and otherwise plain.
func Joined(text string, limit int) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return Plain(strings.Join(lines, " "), limit)
}

// Count is a number of things: "1 run", "2 runs".
func Count[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Printable is text that does nothing to a terminal and stands where it seems to
// stand: control characters but for tabs and ends of lines, and those that turn the
// direction of writing, are replaced, and so is what is not UTF-8.
func Printable(text string) string {
	return MapUnprintable(strings.ToValidUTF8(text, "\uFFFD"), func(rune) string { return "\uFFFD" })
}

// MapUnprintable replaces characters, all of which are below U+10000.
func MapUnprintable(text string, replacement func(rune) string) string {
	if !strings.ContainsFunc(text, unprintable) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unprintable(r) {
			b.WriteString(replacement(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unprintable(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.In(r, unicode.Bidi_Control) || r == '\u2028' || r == '\u2029'
}

// After is text behind lead, or nothing where there is no text.
func After(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}
