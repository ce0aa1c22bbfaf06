package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/runtime/describe"
)

// checkWatcher is a check with --watch: it checks again whenever what it has read is not
// what is there now. It looks at the files again and again, since a few files are looked at
// in no time, on every system and over every network.
type checkWatcher struct {
	*checker
	paths []string

	texts    map[string][]byte // by name: of the last check
	imported map[string]bool   // the places to which imports lead, whether or not something is there
	away     bool              // something could not be read
	last     diag.List         // findings of the last check
	ended    error             // the status of the last check
}

// run checks until ctx is done, and ends with the status of the last check.
func (w *checkWatcher) run(ctx context.Context) error {
	if slices.Contains(w.paths, "-") {
		return errors.New("--watch needs files: standard input (-) does not change")
	}
	defer w.catchSignals()()
	w.ended = errUnfinished
	seen := w.look()
	unit, err := w.read()
	if err != nil {
		return err
	}
	if err := w.first(ctx, unit); err != nil {
		return err
	}
	for before := seen; ; {
		select {
		case <-ctx.Done():
			return w.ended
		case <-time.After(lookAgain):
		}
		now := w.look()
		still := maps.Equal(now, before) // else somebody is still writing
		before = now
		if !still || maps.Equal(now, seen) {
			continue
		}
		seen = now
		if err := w.again(ctx); err != nil {
			return err
		}
	}
}

// read reads what is named, and notes where its imports lead.
func (w *checkWatcher) read() (*lang.Unit, error) {
	r, err := w.readSources(w.paths)
	if err != nil {
		return nil, err
	}
	w.imported = map[string]bool{}
	return loadLean(r.sources, func(from, path string) ([]lang.Source, error) {
		w.imported[filepath.Join(filepath.Dir(from), filepath.FromSlash(path))] = true
		return r.find(from, path)
	}), nil
}

// first prints the whole report.
func (w *checkWatcher) first(ctx context.Context, unit *lang.Unit) error {
	r, err := w.check(ctx, unit)
	if err != nil {
		return nil // given up
	}
	writeFindings(w.out, r)
	_, err = fmt.Fprintln(w.out, "watching; Ctrl-C ends it")
	return err
}

// check applies the rules, and keeps what came of it.
func (w *checkWatcher) check(ctx context.Context, unit *lang.Unit) (report, error) {
	list, err := check.RunContext(ctx, unit.Program, all.Rules, w.limit)
	if err != nil {
		return report{}, err
	}
	r := report{unit: unit, list: withFrontEnd(unit, list), expand: w.expand}
	r.fold()
	w.texts = map[string][]byte{}
	for name, file := range unit.Sources {
		w.texts[name] = []byte(file.Src)
	}
	w.last, w.ended = r.list, r.status(w.strict)
	return r, nil
}

// again checks what is there now, and prints what is different. Files that cannot be read
// are an error until they can.
func (w *checkWatcher) again(ctx context.Context) error {
	unit, err := w.read()
	if err != nil {
		if w.ended == nil || w.ended.Error() != err.Error() {
			fmt.Fprintln(w.err, "fsmc:", describe.Printable(err.Error()))
		}
		w.ended, w.away = err, true
		return nil
	}
	changed := w.changed(unit)
	if len(changed) == 0 && !w.away {
		return nil
	}
	w.away = false
	before := w.last
	r, err := w.check(ctx, unit)
	if err != nil {
		return nil
	}
	return writeChange(w.out, changed, before, r)
}

// changed are the names of the files that are not as they were checked.
func (w *checkWatcher) changed(unit *lang.Unit) []string {
	var names []string
	for name, file := range unit.Sources {
		if old, known := w.texts[name]; !known || !bytes.Equal(old, []byte(file.Src)) {
			names = append(names, name)
		}
	}
	for name := range w.texts {
		if unit.Sources[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// writeChange prints which files have changed, the findings that are gone, and those that
// have come.
func writeChange(out io.Writer, changed []string, before diag.List, r report) error {
	if len(changed) == 0 {
		changed = []string{"nothing; all files can be read again"}
	}
	names := strings.Join(changed[:min(len(changed), 3)], ", ")
	if more := len(changed) - 3; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "\nchanged: %s\n", diag.Harmless(names))
	for _, d := range without(before, r.list) {
		fmt.Fprintf(&text, "gone: %s [%s]\n", d.Message, d.Rule)
	}
	fresh := without(r.list, before)
	diag.WriteText(&text, fresh, r.unit.File, diag.TextOptions{Color: color(out)})
	if len(r.list) > 0 {
		fmt.Fprintf(&text, "%s, %d of them new\n", diag.Summary(r.list), len(fresh))
	} else {
		writeFindings(&text, r)
	}
	_, err := out.Write(text.Bytes())
	return err
}

// without are those of list of which others says nothing, wherever in their file.
func without(list, others diag.List) diag.List {
	key := func(d diag.Diagnostic) string {
		return strings.Join([]string{d.Rule, d.Machine, d.Span.Start.Filename, d.Message}, "\x00")
	}
	known := map[string]int{}
	for _, d := range others {
		known[key(d)]++
	}
	return slices.DeleteFunc(slices.Clone(list), func(d diag.Diagnostic) bool {
		known[key(d)]--
		return known[key(d)] >= 0
	})
}

// look is what can be seen of the files that are named and imported, by path.
func (w *checkWatcher) look() map[string]string {
	seen := map[string]string{}
	for _, p := range w.paths {
		names, err := expand(p, lang.InFolder)
		if err != nil {
			seen[p] = "gone"
		}
		for _, name := range names {
			seen[name] = stampOf(name)
		}
	}
	for path := range w.imported {
		seen[path] = stampOf(path)
	}
	return seen
}

// smallFile is up to how many bytes a file is read each time: an edit may leave its size and,
// as clocks of file systems are coarse, its time as they were.
const smallFile = 1 << 20

// stampOf is another one whenever the file or folder at path has changed.
func stampOf(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "gone"
	case info.IsDir():
		entries, err := os.ReadDir(path)
		if err != nil {
			return "closed"
		}
		var stamps strings.Builder
		for _, e := range entries {
			if lang.InFolder(e.Name()) {
				stamps.WriteString(e.Name() + " " + stampOf(filepath.Join(path, e.Name())) + "\n")
			}
		}
		return stamps.String()
	case info.Mode().IsRegular() && info.Size() <= smallFile:
		if text, err := os.ReadFile(path); err == nil {
			return fmt.Sprintf("%x", sha256.Sum256(text))
		}
	}
	return fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano())
}
