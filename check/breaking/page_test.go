package breaking_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/breaking"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

var example = regexp.MustCompile("(?s)## (Before|Breaks|Does not break)\n\n```fsm\n(.*?)```")

// examples are the texts of a page, by their headings.
func examples(t *testing.T, r *breaking.Rule) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, m := range example.FindAllStringSubmatch(r.Page(), -1) {
		out[m[1]] = m[2]
	}
	if len(out) != 3 {
		t.Fatalf("the page of %s has %d examples, and not Before, Breaks and Does not break", r.Name, len(out))
	}
	return out
}

// TestPages: the change that the page of a rule shows as breaking gives a point of that
// rule, and the other change none.
func TestPages(t *testing.T) {
	for _, r := range breaking.Rules {
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			texts := examples(t, r)
			if !strings.HasPrefix(r.Page(), "# "+r.Name+"\n") {
				t.Errorf("the page does not open with the name of its rule")
			}
			before := load(t, "old.fsm", texts["Before"])
			found := compare(before, load(t, "new.fsm", texts["Breaks"]))
			if !slices.Contains(names(found), r.Name) {
				t.Errorf("the change that breaks gives %v", describe(found))
			}
			if r.Family == breaking.Wire && slices.ContainsFunc(found.Points, func(p breaking.Point) bool {
				return p.Rule.Family == breaking.Wire && p.Rule != r
			}) {
				t.Errorf("the change that breaks gives points of other wire rules, too: %v", describe(found))
			}
			fine := compare(before, load(t, "new.fsm", texts["Does not break"]))
			if slices.Contains(names(fine), r.Name) {
				t.Errorf("the change that does not break gives %v", describe(fine))
			}
		})
	}
}

// TestNames: no rule is called like another one, or like a rule of check.
func TestNames(t *testing.T) {
	known := map[string]bool{}
	for _, r := range all.Rules {
		known[r.Name] = true
	}
	for _, r := range breaking.Rules {
		if known[r.Name] || r.Summary == "" {
			t.Errorf("rule %q has the name of another one, or no summary", r.Name)
		}
		known[r.Name] = true
	}
}

// load resolves a text that has no errors.
func load(t *testing.T, name, src string) *ir.Program {
	t.Helper()
	unit := lang.Load([]lang.Source{{Name: name, Src: []byte(src)}})
	if unit.Diags.HasErrors() {
		var b strings.Builder
		diag.WriteText(&b, unit.Diags, unit.File, diag.TextOptions{})
		t.Fatalf("%s\n%s", b.String(), src)
	}
	return unit.Program
}

func compare(old, new *ir.Program) *breaking.Result {
	return breaking.Compare(old, new, breaking.Options{Limit: 2000})
}

// names are the rules of the points, in order.
func names(r *breaking.Result) []string {
	var out []string
	for _, p := range r.Points {
		out = append(out, p.Rule.Name)
	}
	return out
}

func describe(r *breaking.Result) []string {
	var out []string
	for _, p := range r.Points {
		out = append(out, p.Rule.Name+": "+p.Message)
	}
	return out
}
