package checktest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/format"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Fixes makes each fix of each finding in the machines in the working directory, and in the
// failing examples of pages, and gives what each changes. After it its finding is gone, and
// there is no other that was not there before.
func Fixes(t *testing.T) string {
	f := fixing{t: t, with: map[string]bool{}}
	for _, file := range machines(t, "*") {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f.all(filepath.ToSlash(strings.Replace(file, "testdata/", "", 1)), src)
	}
	for _, r := range all.Rules {
		f.all(r.Name+"/page.md", []byte(example(section(r.Page(), "Fails"))))
	}
	for _, r := range all.Rules {
		if f.with[r.Name] != (r.Fix != "") {
			t.Errorf("%s: its record says of its fixes %q, and one of its findings has a fix: %v", r.Name, r.Fix, f.with[r.Name])
		}
	}
	return f.out.String()
}

// fixing is one call of Fixes.
type fixing struct {
	t    *testing.T
	out  strings.Builder
	with map[string]bool // rules of which a finding has a fix
}

// all makes all fixes of src, each by itself.
func (f *fixing) all(name string, src []byte) {
	before, hidden := Findings(name, src), sync.OnceValue(func() diag.List { return unsilenced(name, src) })
	for _, d := range before {
		for _, fix := range d.Fixes {
			f.with[d.Rule] = true
			after := diag.Apply(token.NewFile(name, src), fix.Edits)
			f.t.Run(name+"/"+fix.Message, func(t *testing.T) { runFix(t, d, before, hidden, after) })
			safe := map[bool]string{true: " (safe)"}[fix.Safe]
			fmt.Fprintf(&f.out, "%s %s: %s%s\n%s\n", d.Span, d.Rule, fix.Message, safe, changed(format.Diff(name, src, after)))
		}
	}
}

// changed are the lines that a diff takes away or adds.
func changed(diff []byte) string {
	var lines []string
	for i, line := range strings.Split(string(diff), "\n") {
		if i > 2 && line != "" && strings.ContainsRune("+-", rune(line[0])) {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// runFix tests that d, of the findings before, is gone in the text after, and that
// nothing has come that was not said, or silenced by what was. A wrong name hides what rules
// would find: where d is one, only others like it count.
func runFix(t *testing.T, d diag.Diagnostic, before diag.List, hidden func() diag.List, after []byte) {
	now := Findings(d.Span.Start.Filename, after)
	if count(now, d) >= count(before, d) {
		t.Errorf("%s: %s: %s: it is still there in\n%s", d.Span, d.Rule, d.Message, after)
	}
	for _, other := range now {
		if (group(d) != check.Names || group(other) == check.Names) && count(now, other) > count(before, other) && count(now, other) > count(hidden(), other) {
			t.Errorf("%s: %s: %s: has come with the fix, in\n%s", other.Span, other.Rule, other.Message, after)
		}
	}
}

// count is how many findings of list say what d does, wherever. What stands behind a colon is
// its reason, such as which events lead out of a state: a fix may add one.
func count(list diag.List, d diag.Diagnostic) int {
	n := 0
	for _, other := range list {
		if other.Rule == d.Rule && other.Machine == d.Machine && what(other) == what(d) {
			n++
		}
	}
	return n
}

func what(d diag.Diagnostic) string {
	before, _, _ := strings.Cut(d.Message, ": ")
	return before
}

func group(d diag.Diagnostic) check.Group {
	return all.Rules[slices.IndexFunc(all.Rules, func(r *check.Rule) bool { return r.Name == d.Rule })].Group
}

// unsilenced are the findings of src with those that others silence.
func unsilenced(name string, src []byte) diag.List {
	var loud []*check.Rule
	for _, r := range all.Rules {
		own := *r
		own.SilencedBy = nil
		loud = append(loud, &own)
	}
	unit := lang.Load([]lang.Source{{Name: name, Src: src}})
	return append(unit.Diags, check.Run(unit.Program, loud)...)
}
