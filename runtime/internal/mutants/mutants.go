// Package mutants takes conditions out of the statements of a package, one at a time, and has its tests find
// that. It serves tests of stores.
package mutants

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// fence is a condition of a statement on the number of a step, the epoch of a claim or the token of
// a commit.
var fence = regexp.MustCompile(`(?:WHERE|AND|ON|WHEN) ((?:\w+\.)?(?:seq|epoch|token) (=|<>) (?:(?:\w+\.)?(?:seq|epoch|token|expect|task)|\$\d|\?))`)

// Test takes away each of these conditions in the package of the test, and has those of its tests that
// match a pattern find that. There are n at the least. No test can find the redundant ones: "file.go seq = $2". It serves
// FSMC_MUTANTS=1.
func Test(t *testing.T, pattern string, n int, redundant ...string) {
	asked(t)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			found += mutate(t, file, pattern, &redundant)
		}
	}
	if len(redundant) > 0 {
		t.Errorf("there are no conditions %q", redundant)
	}
	if found < n {
		t.Errorf("%d conditions, and there are %d at the least: the test sees nothing", found, n)
	}
}

// asked skips a test that FSMC_MUTANTS does not ask for.
func asked(t *testing.T) {
	t.Helper()
	if os.Getenv("FSMC_MUTANTS") == "" {
		t.Skip("FSMC_MUTANTS is not set")
	}
}

// mutate takes away each condition of a file, and says how many there are.
func mutate(t *testing.T, file, pattern string, redundant *[]string) int {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := fence.FindAllSubmatchIndex(text, -1)
	for _, at := range all {
		condition, never := string(text[at[2]:at[3]]), " OR true)"
		if string(text[at[4]:at[5]]) == "<>" {
			never = " AND false)"
		}
		if i := slices.Index(*redundant, file+" "+condition); i >= 0 {
			*redundant = slices.Delete(*redundant, i, i+1)
			continue
		}
		line := 1 + strings.Count(string(text[:at[2]]), "\n")
		t.Run(fmt.Sprintf("%s:%d %s", file, line, condition), func(t *testing.T) {
			without := string(text[:at[2]]) + "(" + condition + never + string(text[at[3]:])
			if out := testedWith(t, file, without, pattern); !strings.Contains(out, "--- FAIL") {
				t.Errorf("no test finds that it is gone:\n%s", out)
			}
		})
	}
	return len(all)
}

// testedWith runs the tests of a package with another text of a file of it.
func testedWith(t *testing.T, file, text, pattern string) string {
	t.Helper()
	where, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	other, overlay := filepath.Join(t.TempDir(), "other.go"), filepath.Join(t.TempDir(), "overlay.json")
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{where: other}})
	if err == nil {
		err = os.WriteFile(other, []byte(text), 0o644)
	}
	if err == nil {
		err = os.WriteFile(overlay, replaced, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count", "1", "-short", "-failfast", "-overlay", overlay,
		"-run", pattern, ".")
	cmd.Env = append(os.Environ(), "FSMC_MUTANTS=", "FSMC_PLANS=1000")
	out, _ := cmd.CombinedOutput() // a failure is what is looked for
	return string(out)
}

// Change is one of a file of a package: From, which the file has once, becomes To.
type Change struct{ From, To string }

// Each makes each of the changes to a file in the package of the test, one at a time, and has those of its tests that match a
// pattern find that. Each line of the file with a WHERE has a part of one. It serves FSMC_MUTANTS=1.
func Each(t *testing.T, file, pattern string, changes ...Change) {
	asked(t)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	changed := make([]bool, len(lines))
	for _, c := range changes {
		before, after, found := strings.Cut(string(text), c.From)
		if !found || strings.Contains(after, c.From) {
			t.Fatalf("%s does not have this once: %s", file, c.From)
		}
		at := strings.Count(before, "\n")
		for n := range strings.Count(c.From, "\n") + 1 {
			changed[at+n] = true
		}
		t.Run(fmt.Sprintf("%s:%d %s", file, at+1, c.From), func(t *testing.T) {
			if out := testedWith(t, file, before+c.To+after, pattern); !strings.Contains(out, "--- FAIL") {
				t.Errorf("no test finds that it is %q:\n%s", c.To, out)
			}
		})
	}
	for n, line := range lines {
		if strings.Contains(line, "WHERE ") && !strings.Contains(line, "CREATE INDEX") && !changed[n] {
			t.Errorf("%s:%d: no change takes this away: %s", file, n+1, line)
		}
	}
}
