package runtime

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// What operators name is held against what the store knows, so that a slip of the finger is
// not an empty answer. As long as the store knows no machine, nothing is refused.

// CheckMachine refuses a name that no machine in the store has. The empty name means all
// machines.
func (e *Engine) CheckMachine(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	machines, err := e.machineNames(ctx)
	if err != nil {
		return err
	}
	return unlessKnown(name, machines, fmt.Sprintf("no machine %q in the database", name))
}

// CheckFilter refuses a machine that the store does not know, and a state in which no run that f
// means can be.
func (e *Engine) CheckFilter(ctx context.Context, f *RunFilter) error {
	if err := e.CheckMachine(ctx, f.Machine); err != nil || f.State == "" {
		return err
	}
	name := "machine"
	if f.Machine != "" {
		name = fmt.Sprintf("version of %q", f.Machine)
	}
	known, err := e.statesOf(ctx, func(row *store.DefinitionRow, s *machine.State) bool {
		return (f.Machine == "" || row.Machine == f.Machine) && (s.Kind == machine.LeafState || s.Kind == machine.TerminalState)
	})
	if err != nil {
		return err
	}
	return unlessKnown(f.State, known, fmt.Sprintf("no %s in the database has runs that can be in %q", name, f.State))
}

// CheckStates refuses states, such as those of HealthQuery.StuckIn, in which no run can wait.
func (e *Engine) CheckStates(ctx context.Context, states map[string]time.Duration) error {
	if len(states) == 0 {
		return nil
	}
	leaves, err := e.statesOf(ctx, func(_ *store.DefinitionRow, s *machine.State) bool { return s.Kind == machine.LeafState })
	if err != nil {
		return err
	}
	for _, state := range slices.Sorted(maps.Keys(states)) {
		fault := fmt.Sprintf("no machine in the database has runs that can be in %q", state)
		if err := unlessKnown(state, leaves, fault); err != nil {
			return err
		}
	}
	return nil
}

// statesOf are the paths of those states of the store's machines that are asked for; none
// where a definition is damaged, since it may have more.
func (e *Engine) statesOf(ctx context.Context, asked func(*store.DefinitionRow, *machine.State) bool) ([]string, error) {
	rows, err := e.store.Definitions(ctx)
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

// unlessKnown is the fault of a name that is none of those that are known, with the one that
// was likely meant; nothing where none is known.
func unlessKnown(name string, known []string, fault string) error {
	if len(known) == 0 || slices.Contains(known, name) {
		return nil
	}
	return fmt.Errorf("%s%s", fault, machine.DidYouMean(name, known))
}

// ParseStuck reads how long is too long in a state, as operators write it: "1h" for all
// states, "Analyzing=10m" for one, with commas between them.
func ParseStuck(text string, into *HealthQuery) error {
	for part := range strings.SplitSeq(text, ",") {
		state, value, single := strings.Cut(strings.TrimSpace(part), "=")
		if !single {
			value = state
		}
		age, err := ParseSomeAge(value)
		switch {
		case err != nil:
			return err
		case !single:
			into.Stuck = age
			continue
		case into.StuckIn == nil:
			into.StuckIn = map[string]time.Duration{}
		}
		into.StuckIn[state] = age
	}
	return nil
}

// ParseSomeAge is ParseAge for an age that is more than zero.
func ParseSomeAge(text string) (time.Duration, error) {
	d, err := ParseAge(text)
	if err == nil && d == 0 {
		err = fmt.Errorf("%q is not more than 0s", text)
	}
	return d, err
}
