// Corpus imports every file of a folder and checks the machines: it prints how many came
// over whole and in part, and the findings by rule. docs/migrating.md shows its table. Of the States
// Language, the folder may have clones of repositories: it takes the definitions that stand in their files.
//
//	go run ./cmd/fsmc/internal/corpus [-v] asl FOLDER
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/formats"
	"github.com/fsmc-dev/fsmc/lang"
)

func main() {
	verbose := flag.Bool("v", false, "print what each file is refused for, and each difference")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: corpus [-v] FORMAT FOLDER")
		os.Exit(2)
	}
	i := slices.IndexFunc(formats.Sources, func(s foreign.Source) bool { return s.Name == flag.Arg(0) })
	if i < 0 {
		fmt.Fprintf(os.Stderr, "corpus: there is no format %q\n", flag.Arg(0))
		os.Exit(2)
	}
	t := &table{source: formats.Sources[i], verbose: *verbose, grades: map[string]int{}, rules: map[string]int{}, shapes: map[string]int{}, seen: map[string]bool{}}
	if err := filepath.WalkDir(flag.Arg(1), t.file); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(2)
	}
	t.print()
}

// table is the counts.
type table struct {
	source  foreign.Source
	verbose bool
	files   int
	same    int // files with the text of another one
	refused int
	made    int            // machines
	grades  map[string]int // of files
	rules   map[string]int // files with a finding of a rule
	shapes  map[string]int // files with a shape, and of those the ones that lead where they led
	seen    map[string]bool
}

func (t *table) file(path string, d fs.DirEntry, err error) error {
	if err != nil || !d.Type().IsRegular() {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	all := [][]byte{text}
	if t.source.Name == "asl" {
		all = definitionsIn(path, text)
	}
	for _, text := range all {
		t.definition(path, text)
	}
	return nil
}

func (t *table) definition(path string, text []byte) {
	if t.seen[string(text)] {
		t.same++
		return
	}
	t.seen[string(text)] = true
	t.files++
	base, _, _ := strings.Cut(filepath.Base(path), ".")
	result, err := t.source.Read(base, text)
	if err != nil {
		t.refused++
		t.say("%s: refused: %v", path, err)
		return
	}
	t.made += len(result.Report.Machines)
	grade := result.Report.Grade()
	t.grades[string(grade)]++
	for name, has := range shapes {
		if has.Match(text) {
			t.shapes[name]++
			if grade != foreign.Lost {
				t.shapes[name+", and all leads where it led"]++
			}
		}
	}
	for _, i := range result.Report.Items {
		for _, why := range i.Why {
			t.say("%s:%d: %s: %s", path, i.Line, i.Grade, why)
		}
	}
	t.check(path, result.Text)
}

// shapes are what a definition in the States Language may have, by a member that says so.
var shapes = map[string]*regexp.Regexp{
	"payloads": regexp.MustCompile(`"?(Parameters|ResultSelector|ResultPath|InputPath|OutputPath|Result|Arguments|Output|Assign)"?\s*:`),
	"Map":      regexp.MustCompile(`"?Type"?\s*:\s*"?Map\b`),
	"Parallel": regexp.MustCompile(`"?Type"?\s*:\s*"?Parallel\b`),
}

func (t *table) check(path string, text []byte) {
	unit := lang.Load([]lang.Source{{Name: path, Src: text}})
	list := unit.Diags
	if !list.HasErrors() {
		list = check.RunUpTo(unit.Program, all.Rules, 200_000)
	}
	once := map[string]bool{}
	for _, f := range list {
		t.say("%s: %v: %s [%s]", path, f.Severity, f.Message, f.Rule)
		once[fmt.Sprintf("%s (%v)", f.Rule, f.Severity)] = true
	}
	if len(once) == 0 {
		once["nothing"] = true
	}
	for rule := range once {
		t.rules[rule]++
	}
}

func (t *table) say(format string, args ...any) {
	if t.verbose {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}

func (t *table) print() {
	fmt.Printf("%d files, and %d that are copies; %d refused; %d machines\n\n", t.files, t.same, t.refused, t.made)
	rows("how much of a file came over", t.grades)
	if t.source.Name == "asl" {
		rows("files with", t.shapes)
	}
	rows("findings of `fsmc check`, files", t.rules)
}

func rows(title string, counts map[string]int) {
	fmt.Printf("| %s | |\n| --- | ---: |\n", title)
	keys := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	for _, k := range keys {
		fmt.Printf("| %s | %d |\n", k, counts[k])
	}
	fmt.Println()
}
