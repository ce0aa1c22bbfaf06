package all_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/internal/rulelist"
)

func TestListIsFresh(t *testing.T) {
	want, err := rulelist.Source("..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("all.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("all.go is stale: run go generate ./check/all")
	}
}

// TestRecords holds every rule to the form that a reader of `fsmc explain`
// expects, and to its folder's name.
func TestRecords(t *testing.T) {
	names, err := rulelist.Names("..")
	if err != nil {
		t.Fatal(err)
	}
	kebab := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	known := map[string]bool{}
	for i, r := range all.Rules {
		known[r.Name] = true
		if r.Name != names[i] {
			t.Errorf("rule %q lies in the folder %q", r.Name, names[i])
		}
		if !kebab.MatchString(r.Name) {
			t.Errorf("%q is not in kebab case", r.Name)
		}
		if r.Summary == "" || strings.HasSuffix(r.Summary, ".") || strings.Contains(r.Summary, "\n") {
			t.Errorf("%s: summary %q is not one line without a full stop", r.Name, r.Summary)
		}
	}
	for _, r := range all.Rules {
		for _, s := range r.SilencedBy {
			if !known[s.Rule] {
				t.Errorf("%s is silenced by %q, which is no rule", r.Name, s.Rule)
			}
		}
	}
}
