//go:build !hook

package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLoadOpen: a file that no editor has open has the text that one would show.
func TestLoadOpen(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.fsm": "import \"b.fsm\"\n", "b.fsm": "\ufeffrecord Label { city string }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b := filepath.Join(dir, "b.fsm")
	for _, path := range []string{dir, filepath.Join(dir, "a.fsm")} {
		unit, err := new(streams).loadOpen([]string{path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(unit.File(b).Src); text != "record Label { city string }\n" {
			t.Errorf("%s: %q", path, text)
		}
	}
}
