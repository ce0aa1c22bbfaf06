package runtime

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// namesOf are the names of a definition that a Mapping may speak of.
type namesOf struct{ states, fields, params []string }

func (n *namesOf) add(d *Definition) {
	for i := range d.States {
		n.states = append(n.states, d.States[i].Path)
	}
	for i := range d.Fields {
		n.fields = withRecords(n.fields, d.Fields[i].Name)
	}
	for i := range d.Params {
		n.params = withRecords(n.params, d.Params[i].Name)
	}
}

// withRecords is names with name and, of a leaf, the records in which it stands.
func withRecords(names []string, name string) []string {
	for at, c := range name {
		if c == '.' && !slices.Contains(names, name[:at]) {
			names = append(names, name[:at])
		}
	}
	return append(names, name)
}

// checkMapping refuses a mapping with a name that would never be met: an old one
// that no earlier version in the store has, a new one that h has not. Which of
// the earlier versions does not matter, because one mapping may be for several.
// It also refuses one by which two fields of a version that has unfinished runs
// would become one.
func (e *Engine) checkMapping(ctx context.Context, h *host, p *Mapping) error {
	if len(p.States)+len(p.Fields)+len(p.Set) == 0 {
		return nil
	}
	var old, now namesOf
	var ambiguous error
	now.add(h.machine.Definition())
	rows, err := e.store.Definitions(ctx)
	if err != nil {
		return fmt.Errorf("the definitions cannot be read: %w", err)
	}
	for _, row := range rows {
		if row.Machine != h.machine.Definition().Name || row.Hash == h.machine.Hash() {
			continue
		}
		d, err := machine.ParseDefinition(row.Definition)
		if err != nil {
			return fmt.Errorf("the definition %s in the store: %w", row.Hash, err)
		}
		old.add(d)
		if _, err := p.Origins(d.Fields); err != nil && ambiguous == nil {
			unfinished, failed := e.hasUnfinished(ctx, &row)
			if failed != nil {
				return failed
			}
			if unfinished {
				ambiguous = err
			}
		}
	}
	if len(old.states) == 0 {
		return nil // no run can be meant
	}
	return cmp.Or(
		mappedNames("state", p.States, old.states, now.states),
		mappedNames("field", p.Fields, old.fields, now.fields),
		setNames(p, append(now.fields, now.params...)),
		ambiguous,
	)
}

// hasUnfinished reports whether a run of a definition goes on.
func (e *Engine) hasUnfinished(ctx context.Context, d *store.DefinitionRow) (bool, error) {
	for _, status := range []Status{Running, Halted} {
		runs, err := e.store.Runs(ctx, RunFilter{Machine: d.Machine, Definition: d.Hash, Status: status, Limit: 1})
		if err != nil {
			return false, fmt.Errorf("the runs of %q cannot be read: %w", d.Machine, err)
		}
		if len(runs) > 0 {
			return true, nil
		}
	}
	return false, nil
}

func mappedNames(what string, mapped map[string]string, old, now []string) error {
	for _, from := range slices.Sorted(maps.Keys(mapped)) {
		if !slices.Contains(old, from) {
			return fmt.Errorf("the mapping renames %s %q, which no earlier version has%s", what, from, machine.DidYouMean(from, old))
		}
		givesUp := what == "field" && mapped[from] == ""
		if to := mapped[from]; !givesUp && !slices.Contains(now, to) {
			return fmt.Errorf("the mapping renames %s %q to %q, which the new version does not have%s", what, from, to, machine.DidYouMean(to, now))
		}
	}
	return nil
}

func setNames(p *Mapping, names []string) error {
	for _, name := range slices.Sorted(maps.Keys(p.Set)) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("the mapping sets %q, which is no field or parameter of the new version%s", name, machine.DidYouMean(name, names))
		}
		if err := machine.CheckJSON(p.Set[name]); err != nil {
			return fmt.Errorf("what the mapping sets %q to is not valid JSON: %w", name, err)
		}
	}
	return nil
}
