// Package foreigntest holds the readers of foreign formats to what all of them promise.
package foreigntest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/lang"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Meaning is a text, lines of the machine that it is read as, and how much of it comes over.
type Meaning struct {
	Text  string
	Want  []string
	Grade foreign.Grade
}

// Golden reads files and compares each machine with testdata/NAME.golden, which has no errors of names and types.
func Golden(t *testing.T, source foreign.Source, pattern string) {
	for _, path := range files(t, pattern) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		base, _, _ := strings.Cut(filepath.Base(path), ".")
		result, err := source.Read(base, text)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		resolves(t, path, result.Text)
		golden := filepath.Join("testdata", base+".golden")
		if *update {
			if err := os.WriteFile(golden, result.Text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, _ := os.ReadFile(golden)
		if string(want) != string(result.Text) {
			t.Errorf("%s: the machine differs from %s (run with -update): %s", path, golden, result.Text)
		}
	}
}

// Refused reads texts that are refused, each with an *foreign.Error that has some words.
func Refused(t *testing.T, source foreign.Source, texts map[string]string) {
	for text, want := range texts {
		_, err := source.Read("x", []byte(text))
		if _, ok := err.(*foreign.Error); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
}

// Means reads texts and looks for lines of the machine, and for the grade of the report.
func Means(t *testing.T, source foreign.Source, meanings []Meaning) {
	for _, m := range meanings {
		result, err := source.Read("x", []byte(m.Text))
		if err != nil {
			t.Errorf("%s: %v", m.Text, err)
			continue
		}
		resolves(t, "x.fsm", result.Text)
		for _, line := range m.Want {
			if !strings.Contains(string(result.Text), line) {
				t.Errorf("%s: the machine does not have %q\n%s", m.Text, line, result.Text)
			}
		}
		if got := result.Report.Grade(); got != m.Grade {
			t.Errorf("%s: it came over %s, want %s", m.Text, got, m.Grade)
		}
	}
}

// Fuzz checks that every text is refused with an *foreign.Error, or gives a machine with no errors of names
// and types. The files and the texts of meanings are its seeds.
func Fuzz(f *testing.F, source foreign.Source, pattern string, meanings []Meaning) {
	for _, path := range files(f, pattern) {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, m := range meanings {
		f.Add([]byte(m.Text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<16 {
			return
		}
		result, err := source.Read("fuzz", text)
		if err == nil {
			resolves(t, "fuzz", result.Text)
		} else if _, ok := err.(*foreign.Error); !ok {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

func files(t testing.TB, pattern string) []string {
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no files %s: %v", pattern, err)
	}
	return paths
}

func resolves(t *testing.T, name string, text []byte) {
	t.Helper()
	for _, d := range lang.Load([]lang.Source{{Name: name, Src: text}}).Diags {
		t.Errorf("%s: %s\n%s", name, d.Message, text)
	}
}
