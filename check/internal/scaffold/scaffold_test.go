package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// inCopy runs a test of the package in which the go command runs it in the same folder of the copy.
const inCopy = `cd "$COPY${PWD#"$ROOT"}" && exec "$@"`

// TestScaffoldedRuleWorks scaffolds a rule in a copy of this folder's parent, and runs its tests
// and those of the list there. They are built in place, with the files of the copy laid over it:
// what a rule needs is compiled already.
func TestScaffoldedRuleWorks(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the tests of all rules")
	}
	root, err := filepath.Abs("../../..")
	must(t, err)
	dir := t.TempDir()
	check := filepath.Join(dir, "check")
	must(t, os.CopyFS(check, os.DirFS(filepath.Join(root, "check"))))
	must(t, scaffold(check, "sample-rule", "a state is called \"Bad\""))
	changed := map[string]string{}
	must(t, filepath.WalkDir(check, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		original := filepath.Join(root, path[len(dir):])
		if before, gone := os.ReadFile(original); gone != nil || !bytes.Equal(text, before) {
			changed[original] = path
		}
		return err
	}))
	overlay, err := json.Marshal(map[string]any{"Replace": changed})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "overlay"), overlay, 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "in-copy"), []byte(inCopy), 0o644))
	test := exec.Command("go", "test", "-overlay", filepath.Join(dir, "overlay"), "-exec", "sh "+filepath.Join(dir, "in-copy"), "-vet=off", // which does not look there
		"-v", "-count=1", "-run", "^Test$/sample-rule|TestListIsFresh|TestRecords", "./check/rule", "./check/all")
	test.Dir = root
	test.Env = append(test.Environ(), "ROOT="+root, "COPY="+dir)
	out, err := test.CombinedOutput()
	for _, passed := range []string{"Test/sample-rule/bad.fsm", "TestListIsFresh", "TestRecords"} {
		if err != nil || !bytes.Contains(out, []byte("--- PASS: "+passed)) {
			t.Fatalf("%v, for %s\n%s", err, passed, out)
		}
	}

	rule := filepath.Join(check, "rule", "sample-rule") // as a module of its own
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	must(t, err)
	const module = "github.com/fsmc-dev/fsmc"
	text = bytes.Replace(text, []byte("module "+module), []byte("module "+module+"/check/rule/sample-rule"), 1)
	text = fmt.Appendf(text, "require %[1]s v0.0.0\nreplace %[1]s => %[2]s\n", module, root)
	must(t, os.WriteFile(filepath.Join(rule, "go.mod"), text, 0o644))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(rule, "go.sum"), sums, 0o644))
	vet := exec.Command("go", "vet", ".")
	vet.Dir = rule
	vet.Env = append(vet.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
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
