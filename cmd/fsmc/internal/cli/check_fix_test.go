package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestFixOfChangedFile edits a file between reading it and writing its fix.
func TestFixOfChangedFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "door.fsm")
	put := func(text string) {
		must(t, os.WriteFile(file, []byte(text), 0o644))
	}
	put("machine Door {}\n")
	s := &streams{out: new(bytes.Buffer), err: new(bytes.Buffer)}
	r, err := s.readSources([]string{file})
	must(t, err)
	f := &fixer{streams: s, reader: r, before: append(r.sources[:0:0], r.sources...)}
	f.put(0, []byte("machine Fixed {}\n"))
	put("machine Edited {}\n")
	if err := f.save(); err == nil || !strings.Contains(err.Error(), "has changed meanwhile") {
		t.Errorf("saving gives %v", err)
	}
	if text, _ := os.ReadFile(file); string(text) != "machine Edited {}\n" {
		t.Errorf("the file is %q", text)
	}
}
