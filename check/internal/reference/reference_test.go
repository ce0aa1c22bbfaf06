package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// TestReferenceIsFresh holds docs/rules against the rules.
func TestReferenceIsFresh(t *testing.T) {
	paths, err := filepath.Glob("../../../docs/rules/*.md")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		got[filepath.Base(p)] = string(text)
	}
	if diff := cmp.Diff(reference(all.Rules), got); diff != "" {
		t.Errorf("docs/rules is stale: run go generate ./check/... (-want +got):\n%s", diff)
	}
}

// TestEveryRuleIsListedOnce: the index has each rule in one group.
func TestEveryRuleIsListedOnce(t *testing.T) {
	text := index(all.Rules)
	for _, r := range all.Rules {
		if n := strings.Count(text, "| "+link(r.Name)+" |"); n != 1 {
			t.Errorf("%s is listed %d times: its Group is %q", r.Name, n, r.Group)
		}
	}
}

var target = regexp.MustCompile(`\]\(([^)#]+)`)

// TestLinks follows the links of a page that has every kind of them.
func TestLinks(t *testing.T) {
	rules := []*check.Rule{
		{Name: "first-rule", Group: check.Graph, Severity: diag.Error, Summary: "a | b",
			Page: "# first-rule\n\nSee `second-rule`, not `first-rule` or `on`.\n\n```fsm\n// `second-rule`\n```\n"},
		{Name: "second-rule", Group: check.Data, Severity: diag.Hint, Page: "# second-rule\n\nText.\n",
			SilencedBy: []check.Silence{{Rule: "first-rule", At: check.SameState}}},
	}
	files := reference(rules)
	want := map[string]string{
		"first-rule.md": generated + `# first-rule

*error · [Graph](README.md#graph)*

See [second-rule](second-rule.md), not ` + "`first-rule` or `on`" + `.

` + "```fsm\n// `second-rule`\n```" + `

## Related rules

- Silences [second-rule](second-rule.md) about the same state.
`,
		"second-rule.md": generated + `# second-rule

*hint · [Data](README.md#data)*

Text.

## Related rules

- Silent where [first-rule](first-rule.md) reports the same state.
`,
	}
	for name, text := range want {
		if diff := cmp.Diff(text, files[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for name, text := range files {
		for _, m := range target.FindAllStringSubmatch(text, -1) {
			if _, ok := files[m[1]]; !ok {
				t.Errorf("%s: the link to %s leads nowhere", name, m[1])
			}
		}
	}
	if !strings.Contains(files["README.md"], `| a \| b |`) {
		t.Error("a bar in a summary ends its cell")
	}
}

// TestPagesAreWritten: what the scaffold leaves to be written does not come into
// the reference.
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
			if strings.Contains(r.Page, placeholder) {
				t.Errorf("the page of %s still says %q", r.Name, placeholder)
			}
		}
	}
}

// TestWriteRemovesWhatIsGone: a rule that is no more leaves no page.
func TestWriteRemovesWhatIsGone(t *testing.T) {
	dir := t.TempDir()
	for _, files := range []map[string]string{{"a.md": "a", "b.md": "b"}, {"b.md": "c"}} {
		if err := write(dir, files); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadDir(dir)
	if err != nil || len(got) != 1 || got[0].Name() != "b.md" {
		t.Errorf("%v, %v; want b.md alone", got, err)
	}
}
