package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/fsmc-dev/fsmc/check/breaking"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// gitPrefix begins an OLD that stands in git.
const gitPrefix = "git:"

// older reads the older machines: one unit, or of a database one for each version.
func (b *breaker) older(ctx context.Context, paths []string, new *ir.Program) ([]*lang.Unit, error) {
	var unit *lang.Unit
	var err error
	switch ref, git := strings.CutPrefix(b.against, gitPrefix); {
	case git:
		unit, err = b.sound(fromGit(ref, paths))
	case isDatabase(b.against):
		return b.stored(ctx, new)
	default:
		if unit, err = b.sound(b.load([]string{b.against})); err != nil && b.meansGit(paths[0]) {
			err = fmt.Errorf("%w; did you mean --against %s%s?", err, gitPrefix, b.against)
		}
	}
	return []*lang.Unit{unit}, err
}

// meansGit reports whether OLD is no file, but what git knows in the repository of path.
func (b *breaker) meansGit(path string) bool {
	if _, err := os.Stat(b.against); err == nil {
		return false
	}
	_, err := openGit(b.against, path)
	return err == nil
}

// isDatabase reports whether OLD is a database: a URL of PostgreSQL, or a file of SQLite.
func isDatabase(name string) bool {
	if isServer(name) {
		return true
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := []byte("SQLite format 3\x00")
	head := make([]byte, len(magic))
	_, err = f.Read(head)
	return err == nil && bytes.Equal(head, magic)
}

// stored loads the definitions that unfinished runs have of the machines of new, each as a
// unit of its own. Machines that new has not are told.
func (b *breaker) stored(ctx context.Context, new *ir.Program) (units []*lang.Unit, err error) {
	known := map[string]*ir.Machine{}
	for _, m := range new.Machines {
		known[m.Name] = m
	}
	b.called = map[*ir.Machine]bool{}
	old := target{streams: b.streams, db: b.against}
	err = old.with(ctx, readOnly, "", func(of runtime.Store) error {
		all, err := versionsOf(ctx, of)
		if err != nil {
			return err
		}
		called, err := all.called(ctx)
		if err != nil {
			return err
		}
		for _, name := range all.names() {
			rows := all.older(name, "")
			if known[name] == nil {
				if err := b.tellMissing(ctx, all, name, rows); err != nil {
					return err
				}
				continue
			}
			for i, row := range rows {
				n, err := all.runs(ctx, []store.DefinitionRow{row}, "", 1)
				if err != nil {
					return err
				}
				if n.Count == 0 {
					continue
				}
				unit, err := b.definition(all, &rows[i], known[name])
				if err != nil {
					return err
				}
				for _, m := range unit.Program.Machines {
					b.called[m] = called[row.Hash]
				}
				units = append(units, unit)
			}
		}
		return nil
	})
	return units, err
}

// tellMissing says which machine has unfinished runs, and is not among those that are compared.
func (b *breaker) tellMissing(ctx context.Context, all *versions, name string, rows []store.DefinitionRow) error {
	n, err := all.runs(ctx, rows, "", countedRuns)
	if err == nil && n.Count > 0 {
		fmt.Fprintf(b.err, "fsmc: machine %q is not in the input, and has %s\n", diag.Harmless(name), n.text())
	}
	return err
}

// joined are the results of comparing with several versions, each point once.
func joined(results []*breaking.Result) *breaking.Result {
	if len(results) == 1 {
		return results[0]
	}
	type told struct{ rule, place, message string }
	seen := map[told]bool{}
	once := func(to, list []breaking.Point) []breaking.Point {
		for _, p := range list {
			key := told{p.Rule.Name, p.New.String(), p.Message}
			if !seen[key] {
				seen[key] = true
				to = append(to, p)
			}
		}
		return to
	}
	out := &breaking.Result{}
	for _, r := range results {
		out.Points, out.Allowed = once(out.Points, r.Points), once(out.Allowed, r.Allowed)
		out.Paired, out.Same = out.Paired+r.Paired, out.Same+r.Same
		out.Pairs = append(out.Pairs, r.Pairs...)
	}
	return out
}
