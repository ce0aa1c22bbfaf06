package cli

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/docs"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// What fsmc explain says of a word comes from the documents alone: the glossary, the
// grammar, and the reference of the language. Nothing is written down for it.

// documents are those that explain prints as they are.
var documents = map[string]string{"language": docs.Language, "glossary": docs.Glossary, "grammar": docs.Grammar}

// wordPage is what the documents say of a word, in Markdown; empty where they say nothing.
func wordPage(word string) string {
	var parts []string
	terms := glossary()
	if text := terms[folded(word)]; text != "" {
		parts = append(parts, text)
	} else {
		for _, term := range slices.Sorted(maps.Keys(terms)) {
			if slices.Contains(strings.Fields(term), folded(word)) {
				parts = append(parts, terms[term])
			}
		}
	}
	if lines := productions(word); len(lines) > 0 {
		parts = append(parts, "```ebnf\n"+strings.Join(lines, "\n")+"\n```")
	}
	if text := passages(word); text != "" {
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return "# " + word + "\n\n" + strings.Join(parts, "\n\n")
}

// words are all that wordPage knows, in order.
func words() []string {
	known := map[string]bool{}
	for term := range glossary() {
		known[term] = true
	}
	for _, m := range quoted.FindAllStringSubmatch(strings.Join(grammarLines(), ""), -1) {
		known[m[1]] = true
	}
	for name := range documents {
		known[name] = true
	}
	return slices.Sorted(maps.Keys(known))
}

// folded is a term as it is looked up: "Activity execution" and "activity-execution" are one.
func folded(term string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(term)), "-", " ")
}

var (
	entry  = regexp.MustCompile(`(?s)^\*\*(.+?)\.\*\*`)
	more   = regexp.MustCompile(`\s*\[More\]\([^)]*\)`)
	quoted = regexp.MustCompile(`"([a-z_]+)"`)
	code   = regexp.MustCompile("`[^`\n]+`")
	name   = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)
)

// glossary is its paragraphs by term.
func glossary() map[string]string {
	out := map[string]string{}
	for _, p := range strings.Split(docs.Glossary, "\n\n") {
		if m := entry.FindStringSubmatch(p); m != nil {
			out[folded(m[1])] = strings.TrimSpace(more.ReplaceAllString(p, ""))
		}
	}
	return out
}

// productions are the lines of the grammar with a keyword.
func productions(word string) []string {
	var out []string
	for _, line := range grammarLines() {
		if strings.Contains(line, `"`+word+`"`) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// grammarLines are the lines of the grammar without its comments.
func grammarLines() []string {
	return slices.DeleteFunc(strings.SplitAfter(docs.Grammar, "\n"), func(line string) bool { return strings.HasPrefix(line, "//") })
}

// maxPassages is how many passages of the reference are shown.
const maxPassages = 4

// passages are the first paragraphs of the reference that have the word in code, or else
// the first examples with it, below the headings of their sections.
func passages(word string) string {
	for _, examples := range []bool{false, true} {
		var out []string
		heading, said := "", ""
		for _, b := range blocks(docs.Language) {
			switch {
			case strings.HasPrefix(b, "#"):
				heading = b
			case strings.HasPrefix(b, "```") == examples && mentions(b, word) && len(out) < maxPassages:
				if heading != said {
					b, said = "##"+strings.TrimLeft(heading, "#")+"\n\n"+b, heading
				}
				out = append(out, b)
			}
		}
		if len(out) > 0 {
			return strings.Join(out, "\n\n")
		}
	}
	return ""
}

// blocks are the headings, paragraphs, examples, items of lists and rows of tables of a
// document, in order.
func blocks(text string) []string {
	var out []string
	var block []string
	fenced := false
	end := func() {
		if len(block) > 0 {
			out = append(out, strings.Join(block, "\n"))
			block = nil
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		fence := strings.HasPrefix(line, "```")
		switch {
		case fence && !fenced:
			end()
			block, fenced = append(block, line), true
		case fence:
			block, fenced = append(block, line), false
			end()
		case line == "" && !fenced:
			end()
		case !fenced && (strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "| ")):
			end()
			block = append(block, line)
		default:
			block = append(block, line)
		}
	}
	end()
	return out
}

// mentions reports whether a block has the word in code.
func mentions(block, word string) bool {
	spans := []string{block}
	if !strings.HasPrefix(block, "```") {
		spans = code.FindAllString(block, -1)
	}
	return slices.ContainsFunc(spans, func(s string) bool { return slices.Contains(name.FindAllString(s, -1), word) })
}

// jsonWord is what explain --format json prints of a word or a document.
type jsonWord struct {
	Name string `json:"name"`
	Page string `json:"page"` // Markdown; of the grammar EBNF
}

// unknownWord names what is called most like word.
func unknownWord(word string) error {
	if near, ok := diag.Nearest(folded(word), append(ruleNames(), words()...)); ok {
		return fmt.Errorf("there is no rule or word %q; did you mean %q?", word, near)
	}
	return fmt.Errorf("there is no rule or word %q; fsmc explain without a name lists the rules, and fsmc explain glossary the words", word)
}
