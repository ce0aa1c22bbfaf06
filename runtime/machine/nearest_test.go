package machine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNearest holds nearest to the table of lang/diag.Nearest.
func TestNearest(t *testing.T) {
	table, err := os.ReadFile(filepath.Join("..", "..", "lang", "diag", "testdata", "nearest.txt"))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(table)) {
		line, _, _ = strings.Cut(line, "#")
		row := strings.Fields(line)
		if len(row) == 0 {
			continue
		}
		rows++
		word, want, names := row[0], strings.TrimPrefix(row[1], "-"), row[2:]
		if got := nearest(word, names); got != want {
			t.Errorf("nearest(%q, %q) = %q, want %q", word, names, got, want)
		}
	}
	if rows < 10 {
		t.Errorf("the table has %d rows: the test sees nothing", rows)
	}
	if got, want := DidYouMean("idle", []string{"Idle"}), ` (did you mean "Idle"?)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
