package diag

import (
	"strings"
	"unicode/utf8"
)

const (
	longestWord = 120  // characters without a blank that a message repeats whole
	keptOfWord  = 60   // characters kept of a longer one
	longestText = 4000 // bytes of a message or help
)

// shorten cuts what a message repeats from the source down to what a person
// reads: words that are too long, which are names and literals, and the whole of
// what still is.
func shorten(text string) string {
	if len(text) <= longestWord {
		return text
	}
	words := strings.Split(text, " ")
	for i, word := range words {
		if len(word) <= longestWord || utf8.RuneCountInString(word) <= longestWord {
			continue
		}
		name := strings.TrimRight(word, "\"`',;:.?)")
		if end := offsetOf(name, keptOfWord); end < len(name) {
			words[i] = name[:end] + "…" + word[len(name):min(len(word), len(name)+keptOfWord)]
		}
	}
	text = strings.Join(words, " ")
	if len(text) <= longestText {
		return text
	}
	return strings.ToValidUTF8(text[:longestText], "") + "…"
}

// offsetOf is where the character with index n begins in s, or its length.
func offsetOf(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
