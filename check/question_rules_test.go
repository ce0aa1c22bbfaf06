package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/all"
)

// TestRulesHaveQuestions: what a rule shows with a run may turn out not to be one,
// and what it leaves open is told; both need words for the question.
func TestRulesHaveQuestions(t *testing.T) {
	asking := 0
	for _, r := range all.Rules {
		paths, err := filepath.Glob(filepath.Join("rule", r.Name, "*.go"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s has no code: %v", r.Name, err)
		}
		shows := false
		for _, path := range paths {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			code := string(src)
			shows = shows || strings.Contains(code, "Witness:") || strings.Contains(code, "LeaveOpen(")
		}
		if shows {
			asking++
		}
		switch {
		case shows && !strings.HasPrefix(r.Question, "whether "):
			t.Errorf("%s can be left open; its question is %q", r.Name, r.Question)
		case r.Static && !shows:
			t.Errorf("%s is static, and shows no run", r.Name)
		}
	}
	if asking < 10 {
		t.Errorf("only %d rules show runs: the test sees nothing", asking)
	}
}
