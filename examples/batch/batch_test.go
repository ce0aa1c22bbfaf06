package main

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/examples/internal/transcript"
)

func TestMain(m *testing.M) { transcript.Main(m, main) }

// TestKilled runs the whole example with fewer documents: workers are killed in the middle of
// them, and the program itself holds what is left against what was promised.
func TestKilled(t *testing.T) {
	t.Parallel() // it mostly waits
	documents, kills := "400", 6
	if testing.Short() {
		documents, kills = "200", 3
	}
	out := transcript.Run(t, "-dir", t.TempDir(), "-documents", documents, "-kills", strconv.Itoa(kills), "-after", "80")
	transcript.Check(t, "README.md", "go run ./examples/batch", out)
	if n := strings.Count(out, "  killed: "); n != kills {
		t.Errorf("%d workers were killed, want %d:\n%s", n, kills, out)
	}
	if strings.Contains(out, "FAIL") {
		t.Errorf("a promise is broken:\n%s", out)
	}
}

// TestRefuses: a folder that has a batch is left as it is, and so is a count that no machine takes.
func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(database(dir), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range []show{{dir: dir, documents: 1}, {dir: t.TempDir(), documents: 1001}, {dir: t.TempDir()}} {
		if err := s.run(t.Context()); err == nil {
			t.Errorf("%+v is no error", s)
		}
	}
}
