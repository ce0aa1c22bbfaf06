package fsmtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Scenarios runs the scenarios in files, each as a subtest with its title, as `fsmc test` does:
// in simulated time, by the rules of the runtime. A file may import others by their paths.
//
//	func TestReview(t *testing.T) { fsmtest.Scenarios(t, "review_test.fsm") }
func Scenarios(t *testing.T, files ...string) {
	t.Helper()
	sources, err := read(files)
	if err != nil {
		t.Fatal(err)
	}
	unit := lang.LoadFrom(sources, importFile)
	for _, d := range unit.Diags {
		t.Errorf("%s: %s", d.Span, d.Message)
	}
	tests, err := table.Tests(unit.Program.Scenarios, func(s *ir.Scenario) bool { return !s.Broken }, func(at token.Span) string {
		line, _, _ := strings.Cut(string(unit.File(at.Start.Filename).Src[at.Start.Offset:at.End.Offset]), "\n")
		return line
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(tests) == 0 {
		t.Fatal("there is no scenario")
	}
	for _, test := range tests {
		t.Run(test.Plan.Title, func(t *testing.T) {
			if f := test.Play().Failure; f != nil {
				t.Errorf("%s: %s\nexpected: %s\nis:       %s", f.Place, f.Line, f.Expected, f.Is)
			}
		})
	}
}

// importFile finds what a file imports: another one, or those of a folder.
func importFile(from, path string) ([]lang.Source, error) {
	target := filepath.Join(filepath.Dir(from), filepath.FromSlash(path))
	names := []string{target}
	if info, err := os.Stat(target); err != nil {
		return nil, lang.ErrNowhere
	} else if info.IsDir() {
		found, err := filepath.Glob(filepath.Join(target, "*.fsm"))
		if err != nil {
			return nil, fmt.Errorf("cannot be read: %w", err)
		}
		names = slices.DeleteFunc(found, func(name string) bool { return !lang.InFolder(name) })
	}
	sources, err := read(names)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return sources, nil
}

func read(files []string) (sources []lang.Source, err error) {
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		sources = append(sources, lang.Source{Name: name, Src: src})
	}
	return sources, nil
}
