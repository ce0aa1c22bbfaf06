package drawing

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text fit to be shown. What no XML text may hold, bytes that are
// not UTF-8 included, and what would turn the direction of the text around it
// becomes the sign for an unknown character; white space becomes blanks, but
// for newlines. The joiners and selectors of which emoji are made pass.
func Clean(text string) string {
	if plain(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t', r == '\r', r == '\u2028', r == '\u2029':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == 0xFFFE, r == 0xFFFF:
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
}

// plain reports whether text is printable ASCII, as nearly all text is.
func plain(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
