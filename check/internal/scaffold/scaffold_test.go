package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestScaffoldedRuleWorks copies what a rule needs, scaffolds one there, and
// runs its tests and those of the list.
func TestScaffoldedRuleWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a copy of the module")
	}
	const root = "../../.."
	dir := t.TempDir()
	for _, part := range []string{"lang", "check", "codegen/table", "runtime"} {
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(root, part))); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := scaffold(filepath.Join(dir, "check"), "sample-rule", "a state is called \"Bad\""); err != nil {
		t.Fatal(err)
	}
	test := exec.Command("go", "test", "./check/rule", "./check/all", "-run", "^Test$/sample-rule|TestListIsFresh|TestRecords")
	test.Dir = dir
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestScaffoldRefuses(t *testing.T) {
	check := t.TempDir()
	if err := os.MkdirAll(filepath.Join(check, "rule", "taken"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"taken", "Upper", "under_score", "", "../elsewhere"} {
		if err := scaffold(check, name, "a summary"); err == nil {
			t.Errorf("a rule called %q was made", name)
		}
	}
}
