package dot

import (
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/drawing"
)

// Text from the source reaches DOT in two forms: inside a quoted string, and
// inside an HTML-like label. Neither must let the text end its own quoting.
//
// In a quoted string DOT itself knows only \" as an escape, so that a trailing
// backslash would swallow the closing quote: backslashes are doubled. Graphviz
// then expands \N, \G and the like in tooltips and in labels, entities resolved
// first, and how often it does so differs between its versions. What all of them
// leave alone is a backslash before a character that they do not know, so that
// an invisible word joiner is put behind each. In both forms Graphviz resolves
// XML entities, and hands the text to an XML parser that refuses control
// characters.

const wordJoiner = "\u2060"

var quoted = strings.NewReplacer(`"`, `\"`, `\`, `\\`+wordJoiner, "\n", `\n`, "&", "&amp;")

// quote makes text a quoted DOT string; its newlines are kept.
func quote(text string) string { return `"` + quoted.Replace(drawing.Clean(text)) + `"` }

var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", `\`, "&#92;&#8288;")

// escape makes text fit to stand between the tags of an HTML-like label, or in
// an attribute of one.
func escape(text string) string { return escaped.Replace(drawing.Clean(text)) }

// rename rewrites a DOT text in which nodes and clusters bear the names that
// emicklei/dot gives them in order of creation, n1 and cluster_s2: with those,
// one more state would rename all that come after it. Names stand outside
// quotes and labels only; every other byte is kept.
func rename(text string, names map[string]string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/4)
	for i := 0; i < len(text); {
		end := skip(text[i:])
		if end == 0 {
			end = word(text[i:])
			if name, ok := names[text[i:i+end]]; ok {
				b.WriteString(name)
				i += end
				continue
			}
		}
		end = max(end, 1)
		b.WriteString(text[i : i+end])
		i += end
	}
	return b.String()
}

// skip is the length of the quoted string or HTML-like label with which text
// begins, 0 if it begins with neither.
func skip(text string) int {
	switch text[0] {
	case '"':
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
	case '<':
		depth := 0
		for i := 0; i < len(text); i++ {
			switch text[i] {
			case '<':
				depth++
			case '>':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	return 0
}

// word is the length of the bare name with which text begins.
func word(text string) int {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return i
		}
	}
	return len(text)
}

// paint is the HTML-like font element around text that is escaped already. An
// element with nothing in it would be an error to Graphviz.
func paint(color string, size int, text string) string {
	if text == "" {
		text = "&#160;"
	}
	return fmt.Sprintf(`<FONT COLOR="%s" POINT-SIZE="%d">%s</FONT>`, color, size, text)
}
