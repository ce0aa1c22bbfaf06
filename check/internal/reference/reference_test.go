package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// TestReferenceIsFresh holds docs/rules against the rules.
func TestReferenceIsFresh(t *testing.T) {
	got, err := os.ReadFile("../../../docs/rules/README.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(index(all.Rules), string(got)); diff != "" {
		t.Errorf("docs/rules is stale: run go generate ./check/... (-want +got):\n%s", diff)
	}
	if files, err := filepath.Glob("../../../docs/rules/*"); err != nil || len(files) != 1 {
		t.Errorf("docs/rules has %v, %v; want README.md alone", files, err)
	}
}

// TestEveryRuleIsListedOnce: the index has each rule in one group.
func TestEveryRuleIsListedOnce(t *testing.T) {
	text, _, _ := strings.Cut(index(all.Rules), "\n## Fixes")
	for _, r := range all.Rules {
		if n := strings.Count(text, "| "+link(r.Name)+" |"); n != 1 {
			t.Errorf("%s is listed %d times: its Group is %q", r.Name, n, r.Group)
		}
	}
}

// TestIndex: a row has a link to the rule's page, and a bar does not end a cell; a rule
// that is silent beside another has a row of its own.
func TestIndex(t *testing.T) {
	text := index([]*check.Rule{
		{Name: "first-rule", Group: check.Graph, Severity: diag.Error, Summary: "a | b"},
		{Name: "second-rule", Group: check.Data, Severity: diag.Hint, Summary: "c",
			SilencedBy: []check.Silence{{Rule: "first-rule", At: check.SameState}}},
	})
	for _, row := range []string{
		"\n| [first-rule](../../check/rule/first-rule/page.md) | error | a \\| b |\n",
		"\n| [second-rule](../../check/rule/second-rule/page.md) | hint | c |\n",
		"\n| [second-rule](../../check/rule/second-rule/page.md) | [first-rule](../../check/rule/first-rule/page.md) | state |\n",
	} {
		if strings.Count(text, row) != 1 {
			t.Errorf("the index does not have the row %q one time:\n%s", row, text)
		}
	}
}

// TestPagesAreWritten: what the scaffold leaves to be written does not get into
// the pages.
func TestPagesAreWritten(t *testing.T) {
	template, err := os.ReadFile("../scaffold/template/page.md.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, placeholder := range []string{"What a finding means, in a few sentences", "What to change, and how to choose between the ways"} {
		if !strings.Contains(string(template), placeholder) {
			t.Errorf("the scaffold's page has no %q: the test sees nothing", placeholder)
		}
		for _, r := range all.Rules {
			if strings.Contains(r.Page(), placeholder) {
				t.Errorf("the page of %s still says %q", r.Name, placeholder)
			}
		}
	}
}
