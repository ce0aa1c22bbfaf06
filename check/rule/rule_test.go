package rule_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/checktest"
	_ "github.com/fsmc-dev/fsmc/internal/seldom"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// Test runs each rule on the examples in its own folder: those of one are
// `go test ./check/rule -run Test/dead-end`.
func Test(t *testing.T) {
	for _, rule := range all.Rules {
		t.Run(rule.Name, func(t *testing.T) {
			t.Parallel()
			checktest.Run(t, rule)
		})
	}
}

// TestTogether lists what all rules say of the examples of all.
func TestTogether(t *testing.T) {
	compare(t, "testdata/findings.golden", checktest.Together(t))
}

// TestNoFixIsSaid: the page of a rule without fixes ends with why there is none.
func TestNoFixIsSaid(t *testing.T) {
	for _, rule := range all.Rules {
		_, why, said := strings.Cut(rule.Page(), "\nThere is no quick fix: ")
		switch {
		case rule.Fix != "" && said:
			t.Errorf("%s has fixes: %q; but its page says: There is no quick fix", rule.Name, rule.Fix)
		case rule.Fix == "" && !strings.HasSuffix(strings.TrimSpace(why), "."):
			t.Errorf("%s has no fixes: end its page with a line that says why, \"There is no quick fix: … .\"", rule.Name)
		}
	}
}

// TestFixes makes all fixes of the examples of all rules.
func TestFixes(t *testing.T) {
	compare(t, "testdata/fixes.golden", checktest.Fixes(t))
}

// compare holds got against a golden file.
func compare(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("this is not %s (-want +got); where it should change, run go test ./check/rule -update:\n%s", golden, diff)
	}
}
