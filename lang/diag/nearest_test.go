package diag

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNearest holds Nearest to the table that the runtime's twin is held to.
func TestNearest(t *testing.T) {
	table, err := os.ReadFile(filepath.Join("testdata", "nearest.txt"))
	must(t, err)
	rows := 0
	for line := range strings.Lines(string(table)) {
		line, _, _ = strings.Cut(line, "#")
		row := strings.Fields(line)
		if len(row) == 0 {
			continue
		}
		rows++
		word, want, names := row[0], strings.TrimPrefix(row[1], "-"), row[2:]
		if got, ok := Nearest(word, names); got != want || ok != (want != "") {
			t.Errorf("Nearest(%q, %q) = %q, %v; want %q", word, names, got, ok, want)
		}
	}
	if rows < 10 {
		t.Errorf("the table has %d rows: the test sees nothing", rows)
	}
	if got, ok := Nearest("", []string{"x", "Idle"}); ok {
		t.Errorf("nothing at all was taken for %q", got)
	}
}

func TestEditDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"kitten", "sitting", 3},
		{"ab", "ba", 1},
		{"ca", "abc", 3}, // restricted: the unrestricted distance is 2
		{"Analyzing", "Analyzing", 0},
	} {
		if got := editDistance(tc.a, tc.b); got != tc.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
}
