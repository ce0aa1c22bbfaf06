package machine

import (
	"errors"
	"strings"
)

// What is done here is done with the text of a json, which has been checked when it came
// and is compacted: nothing in it is read that is not asked for, so that numbers keep
// all their digits, and objects their order. A text that is no JSON after all gives an
// error or null, and never a panic.

// jsonNull is what a json has under a key that is not there.
const jsonNull = "null"

var errNoJSON = errors.New("it is not valid JSON")

// jsonKey is what the json text has under a key: null where it is no object or has no
// such key. Of several values under one key it is the last.
func jsonKey(text, key string) (string, error) {
	if !strings.HasPrefix(text, "{") {
		return jsonNull, nil
	}
	found := jsonNull
	for i := 1; i < len(text) && text[i] != '}'; {
		colon := jsonEnd(text, i)
		if colon < 0 || colon >= len(text) || text[colon] != ':' {
			return "", errNoJSON
		}
		end := jsonEnd(text, colon+1)
		if end < 0 || end >= len(text) {
			return "", errNoJSON
		}
		if sameKey(text[i:colon], key) {
			found = text[colon+1 : end]
		}
		if i = end; text[i] == ',' {
			i++
		}
	}
	return found, nil
}

// sameKey reports whether quoted, a string of JSON, is key.
func sameKey(quoted, key string) bool {
	if !strings.Contains(quoted, `\`) {
		return len(quoted) == len(key)+2 && quoted[1:len(quoted)-1] == key
	}
	s := &scanner{data: []byte(quoted)}
	text, err := s.text()
	return err == nil && text == key
}

// jsonEnd is where the value ends that begins at byte i of text, or -1.
func jsonEnd(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '"':
			if i = stringEnd(text, i) - 1; i < 0 {
				return -1
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
			if depth < 0 {
				return i
			}
		case ',', ':':
			if depth == 0 {
				return i
			}
		}
	}
	if depth > 0 {
		return -1
	}
	return i
}

// stringEnd is where the string ends that begins at byte i of text, or -1.
func stringEnd(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// jsonDepth is how deep the json text is nested.
func jsonDepth(text string) int {
	depth, deepest := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			if i = stringEnd(text, i) - 1; i < 0 {
				return deepest
			}
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
	}
	return deepest
}

// plainJSON is the json text with its strings written as appendText writes them: of a
// constant there is one text, whoever has written the definition.
func plainJSON(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] != '"' {
			out = append(out, text[i])
			continue
		}
		end := stringEnd(text, i)
		if end < 0 {
			return text
		}
		s := &scanner{data: []byte(text[i:end])}
		content, err := s.text()
		if err != nil {
			return text
		}
		out = appendText(out, content)
		i = end - 1
	}
	return string(out)
}
