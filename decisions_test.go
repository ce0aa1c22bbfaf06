package fsmc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDecisions holds the list in docs/decisions/README.md against the records. With -update it is
// written again.
func TestDecisions(t *testing.T) {
	const page, mark = "docs/decisions/README.md", "\n## All of them\n\n"
	files, err := filepath.Glob("docs/decisions/0*.md") // sorted
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	var list strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		title, _, _ := strings.Cut(string(text), "\n")
		number, rest, ok := strings.Cut(strings.TrimPrefix(title, "# "), ". ")
		name := filepath.Base(file)
		if !ok || fmt.Sprintf("%04s", number) != name[:4] {
			t.Errorf("%s begins with %q, not with its number", file, title)
		}
		fmt.Fprintf(&list, "- [%s](%s). %s\n", number, name, rest)
	}
	text, err := os.ReadFile(page)
	must(t, err)
	before, _, _ := strings.Cut(string(text), mark)
	want := strings.TrimRight(before, "\n") + "\n" + mark + list.String()
	if *update {
		must(t, os.WriteFile(page, []byte(want), 0o644))
	} else if want != string(text) {
		t.Errorf("%s does not list all records: run go test . -run TestDecisions -update", page)
	}
}
