package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/runtime"
)

// checkFilter refuses a machine that the database does not know, and a state in
// which no run of the machines that are meant can stand.
func checkFilter(ctx context.Context, store runtime.Store, f *runtime.RunFilter) error {
	if err := checkMachine(ctx, store, f.Machine); err != nil || f.State == "" {
		return err
	}
	machine := "machine"
	if f.Machine != "" {
		machine = fmt.Sprintf("version of %q", f.Machine)
	}
	known, err := statesOf(ctx, store, func(row *runtime.DefinitionRow, s *runtime.State) bool {
		return (f.Machine == "" || row.Machine == f.Machine) && (s.Kind == runtime.LeafState || s.Kind == runtime.TerminalState)
	})
	if err != nil {
		return err
	}
	return unlessKnown(f.State, known, fmt.Errorf("no %s in the database has runs that stand in %q", machine, f.State))
}

// statesOf are the paths of those states of the database's machines that are asked
// for; none where a definition is damaged, since it may have more.
func statesOf(ctx context.Context, store runtime.Store, asked func(*runtime.DefinitionRow, *runtime.State) bool) ([]string, error) {
	rows, err := store.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	var paths []string
	for i := range rows {
		d, err := runtime.ParseDefinition(rows[i].Definition)
		if err != nil {
			return nil, nil
		}
		for j := range d.States {
			if asked(&rows[i], &d.States[j]) {
				paths = append(paths, d.States[j].Path)
			}
		}
	}
	return paths, nil
}

// checkMachine refuses a name that no machine of the database has, as long as
// there are any. The empty name is all of them.
func checkMachine(ctx context.Context, store runtime.Store, name string) error {
	if name == "" {
		return nil
	}
	rows, err := store.Definitions(ctx)
	if err != nil {
		return err
	}
	var machines []string
	for _, row := range rows {
		machines = append(machines, row.Machine)
	}
	return unlessKnown(name, machines, fmt.Errorf("no machine %q in the database", name))
}

// unlessKnown is the fault of a name that is none of those that are known, with
// the one that was likely meant; nothing where none is known.
func unlessKnown(name string, known []string, fault error) error {
	if len(known) == 0 || slices.Contains(known, name) {
		return nil
	}
	if near, ok := diag.Nearest(name, known); ok {
		return fmt.Errorf("%w; did you mean %q?", fault, near)
	}
	return fault
}
