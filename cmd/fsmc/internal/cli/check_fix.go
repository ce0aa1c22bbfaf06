package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/format"
)

// fixer is a check with --fix.
type fixer struct {
	*streams
	limit int
	rules []string // of which all findings are fixed, by their first fix, and not only by safe ones
	diff  bool

	reader *reader
	before []lang.Source // the named sources, as they were read
	said   []string      // what was fixed, a line each
	open   []string      // the rules of findings with fixes that were not asked for
}

// maxRounds is how often fixes are looked for: one may uncover another.
const maxRounds = 10

// run fixes what is named by paths, and gives what is then left of it.
func (f *fixer) run(paths []string) (*lang.Unit, error) {
	if slices.Contains(paths, "-") && len(paths) > 1 {
		return nil, errors.New("--fix of standard input (-) takes no other file")
	}
	if err := f.known(); err != nil {
		return nil, err
	}
	var err error
	if f.reader, err = f.readSources(paths); err != nil {
		return nil, err
	}
	f.before = slices.Clone(f.reader.sources)
	for range maxRounds {
		if !f.round() {
			break
		}
	}
	for i, src := range f.reader.sources {
		if after, list := lang.Format(src.Name, src.Src); f.changed(i) && !list.HasErrors() {
			f.put(i, after)
		}
	}
	if err := f.save(); err != nil {
		return nil, err
	}
	return f.load(), nil
}

// known refuses names that are no rules with fixes.
func (f *fixer) known() error {
	for _, name := range f.rules {
		rule, err := findRule(name)
		switch {
		case err != nil:
			return err
		case rule.Fix == "":
			return fmt.Errorf("--fix-rules: findings of %q have no fix", name)
		}
	}
	return nil
}

func (f *fixer) load() *lang.Unit {
	return loadLean(f.reader.sources, f.reader.find)
}

// round makes the fixes that can be made side by side, and reports whether there was one.
func (f *fixer) round() bool {
	unit := f.load()
	f.open = nil
	edits := map[string][]diag.Edit{}
	for _, d := range findings(unit, f.limit) {
		fix, ok := f.choose(d)
		name := d.Span.Start.Filename
		if !ok && len(d.Fixes) > 0 && !slices.Contains(f.open, d.Rule) {
			f.open = append(f.open, d.Rule)
		}
		if !ok || f.index(name) < 0 || diag.Meet(edits[name], fix.Edits) {
			continue
		}
		edits[name] = append(edits[name], fix.Edits...)
		f.said = append(f.said, fmt.Sprintf("%s: %s [%s]", diag.Harmless(d.Span.String()), fix.Message, d.Rule))
	}
	for name, list := range edits {
		f.put(f.index(name), diag.Apply(unit.File(name), list))
	}
	return len(edits) > 0
}

// choose is the fix of d that is made, if one is.
func (f *fixer) choose(d diag.Diagnostic) (diag.Fix, bool) {
	for _, fix := range d.Fixes {
		if fix.Safe || slices.Contains(f.rules, d.Rule) {
			return fix, true
		}
	}
	return diag.Fix{}, false
}

func (f *fixer) index(name string) int {
	return slices.IndexFunc(f.reader.sources, func(s lang.Source) bool { return s.Name == name })
}

// put makes text the source with the number i, also for those that import it.
func (f *fixer) put(i int, text []byte) {
	src := lang.Source{Name: f.reader.sources[i].Name, Src: text}
	f.reader.sources[i] = src
	for file, read := range f.reader.read {
		if read.Name == src.Name {
			f.reader.read[file] = src
		}
	}
	clear(f.reader.folders)
}

func (f *fixer) changed(i int) bool { return !bytes.Equal(f.before[i].Src, f.reader.sources[i].Src) }

// save writes what has changed, or shows it. Every file is looked at before the first is
// written.
func (f *fixer) save() error {
	var ready []int
	for i, old := range f.before {
		switch {
		case f.diff && f.changed(i):
			if _, err := f.out.Write(format.Diff(old.Name, old.Src, f.reader.sources[i].Src)); err != nil {
				return err
			}
		case old.Name == standardInput && !f.diff:
			if _, err := f.out.Write(f.reader.sources[i].Src); err != nil {
				return err
			}
		case !f.diff && f.changed(i):
			if err := f.writable(old); err != nil {
				return err
			}
			ready = append(ready, i)
		}
	}
	for _, i := range ready {
		if err := f.write(f.before[i].Name, f.reader.sources[i].Src); err != nil {
			return err
		}
	}
	if f.diff {
		return nil
	}
	for _, line := range f.said {
		fmt.Fprintln(f.err, "fixed "+line)
	}
	return nil
}

// writable refuses a file that may not be written, or is not what was read any more.
func (f *fixer) writable(old lang.Source) error {
	info, err := os.Stat(old.Name)
	if err != nil {
		return readError(old.Name, err)
	}
	if info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("file %q is read-only; nothing is written", old.Name)
	}
	now, err := f.readSource(old.Name)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(now.Src, old.Src):
		return fmt.Errorf("file %q has changed meanwhile; nothing is written", old.Name)
	}
	return nil
}

// verdict is errFinding where the changes that were shown are some. It names the rules of the
// fixes that were not made.
func (f *fixer) verdict() error {
	if len(f.open) > 0 {
		fmt.Fprintf(f.err, "fsmc: other fixes decide something for you; to see them: --fix-rules %s\n", strings.Join(f.open, ","))
	}
	for i := range f.before {
		if f.changed(i) {
			return errFinding
		}
	}
	return nil
}

func fixesHelp() string {
	var text string
	for _, r := range all.Rules {
		if r.Fix != "" {
			text += fmt.Sprintf("  %-20s %s\n", r.Name, r.Fix)
		}
	}
	return text
}
