package checktest

import (
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
)

// runPage tests that the page has its four parts, that its failing example
// gives findings of the rule and of no other, and its passing one none at all.
func runPage(t *testing.T, rule *check.Rule) {
	if !strings.HasPrefix(rule.Page(), "# "+rule.Name+"\n") {
		t.Errorf("the page does not begin with the heading %q", "# "+rule.Name)
	}
	for _, part := range []string{"Fails", "Passes", "How to fix it"} {
		if section(rule.Page(), part) == "" {
			t.Errorf("the page has no part %q", part)
		}
	}
	failing := Findings("failing.fsm", []byte(example(section(rule.Page(), "Fails"))))
	if len(failing) == 0 {
		t.Error("the failing example has no finding")
	}
	for _, d := range failing {
		if d.Rule != rule.Name || d.Severity != rule.Severity {
			t.Errorf("the failing example has %s %s: %s: %s", d.Severity, d.Rule, d.Span, d.Message)
		}
	}
	passing := example(section(rule.Page(), "Passes"))
	if passing == "" {
		t.Error("the page has no passing example")
	}
	for _, d := range Findings("passing.fsm", []byte(passing)) {
		t.Errorf("the passing example has %s %s: %s: %s", d.Severity, d.Rule, d.Span, d.Message)
	}
}

// section is the text below the heading `## title` of a page.
func section(page, title string) string {
	_, rest, _ := strings.Cut(page, "\n## "+title+"\n")
	text, _, _ := strings.Cut(rest, "\n## ")
	return strings.TrimSpace(text)
}

// example is the first machine in a part of a page.
func example(part string) string {
	_, rest, _ := strings.Cut(part, "```fsm\n")
	text, _, _ := strings.Cut(rest, "```")
	return text
}
