package fsmc_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// runbookWord finds the constants of the runtime that say what is wrong with a run.
var runbookWord = regexp.MustCompile(`\b(?:ProblemKind|CauseCode)\s*=\s*"([a-z-]+)"`)

// TestRunbook: docs/operating.md has a row for each kind of finding of fsmc health, and
// for each code of a halt or of an arm that is not taken.
func TestRunbook(t *testing.T) {
	page, err := os.ReadFile("docs/operating.md")
	must(t, err)
	rows := map[string]bool{}
	for line := range strings.Lines(string(page)) {
		if cell, _, found := strings.Cut(strings.TrimPrefix(line, "| "), " | "); found {
			for _, name := range quotedWord.FindAllStringSubmatch(cell, -1) {
				rows[name[1]] = true
			}
		}
	}
	words := 0
	err = filepath.WalkDir("runtime", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		for _, word := range runbookWord.FindAllStringSubmatch(string(src), -1) {
			words++
			if !rows[word[1]] {
				t.Errorf("docs/operating.md has no row for %q of %s", word[1], path)
			}
		}
		return err
	})
	must(t, err)
	if words < 30 {
		t.Errorf("%d words: the test sees nothing", words)
	}
}

var quotedWord = regexp.MustCompile("`([a-z][a-z-]*)`")
