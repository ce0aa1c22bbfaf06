package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/docs"
)

// TestEveryWordIsExplained: each keyword of the grammar has its production and a passage of
// the reference, and each term of the glossary its entry.
func TestEveryWordIsExplained(t *testing.T) {
	grammar := regexp.MustCompile(`(?m)^//.*$`).ReplaceAllString(docs.Grammar, "")
	keywords := regexp.MustCompile(`"([a-z_]+)"`).FindAllStringSubmatch(grammar, -1)
	if len(keywords) < 50 {
		t.Fatalf("the grammar has %d keywords", len(keywords))
	}
	for _, k := range keywords {
		if page := wordPage(k[1]); !strings.Contains(page, "```ebnf\n") || !strings.Contains(page, "\n## ") {
			t.Errorf("%s: the page has no production or no passage of docs/language.md:\n%s", k[1], page)
		}
	}
	terms := regexp.MustCompile(`(?m)^\*\*(.+?)\.\*\*`).FindAllStringSubmatch(docs.Glossary, -1)
	if len(terms) < 40 {
		t.Fatalf("the glossary has %d terms", len(terms))
	}
	for _, term := range terms {
		if page := wordPage(term[1]); !strings.Contains(page, "**"+term[1]+".**") || strings.Contains(page, "[More]") {
			t.Errorf("%s: the page has not its entry:\n%s", term[1], page)
		}
	}
	for _, word := range []string{"leaf", "idempotency"} {
		if page := wordPage(word); !strings.Contains(page, "\n\n**") {
			t.Errorf("%s: the page has no term with this word:\n%s", word, page)
		}
	}
	if page := wordPage("nosuchword"); page != "" {
		t.Errorf("a word that is none has the page\n%s", page)
	}
}
