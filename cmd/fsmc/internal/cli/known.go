package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// checkFilter refuses a machine that the database does not know, and a state in
// which no run of the machines that are meant can stand.
func checkFilter(ctx context.Context, db runtime.Store, f *runtime.RunFilter) error {
	if err := checkMachine(ctx, db, f.Machine); err != nil || f.State == "" {
		return err
	}
	name := "machine"
	if f.Machine != "" {
		name = fmt.Sprintf("version of %q", f.Machine)
	}
	known, err := statesOf(ctx, db, func(row *store.DefinitionRow, s *machine.State) bool {
		return (f.Machine == "" || row.Machine == f.Machine) && (s.Kind == machine.LeafState || s.Kind == machine.TerminalState)
	})
	if err != nil {
		return err
	}
	return unlessKnown(f.State, known, fmt.Errorf("no %s in the database has runs that can be in %q", name, f.State))
}

// statesOf are the paths of those states of the database's machines that are asked
// for; none where a definition is damaged, since it may have more.
func statesOf(ctx context.Context, store runtime.Store, asked func(*store.DefinitionRow, *machine.State) bool) ([]string, error) {
	rows, err := store.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	var paths []string
	for i := range rows {
		d, err := machine.ParseDefinition(rows[i].Definition)
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
