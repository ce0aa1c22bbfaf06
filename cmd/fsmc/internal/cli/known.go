package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/runtime"
)

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
