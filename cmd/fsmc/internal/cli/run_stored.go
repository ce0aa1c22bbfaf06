package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// runStored continues the run that has the id without a file, with the version of its machine
// that the database has.
func (r *runner) runStored(ctx context.Context) error {
	return r.withEngine(ctx, readWrite, func(ctx context.Context, engine *runtime.Engine, store runtime.Store) error {
		row, err := store.Load(ctx, r.id)
		switch {
		case errors.Is(err, runtime.ErrNotFound):
			return findingf("there is no run %q in the database%s; to start it, name the file of its machine", r.id, engine.DidYouMean(ctx, r.id))
		case err != nil:
			return err
		}
		p, err := storedProgram(ctx, store, row.Definition, map[string]bool{})
		if err == nil {
			err = r.refuseIdle(p)
		}
		if err != nil {
			return err
		}
		return r.workOnOne(ctx, engine, p)
	})
}

// storedProgram is the version of a machine with a hash, with those that it calls that are not known.
func storedProgram(ctx context.Context, store runtime.Store, hash string, known map[string]bool) (*program, error) {
	row, err := store.Definition(ctx, hash)
	if err != nil {
		return nil, fmt.Errorf("the definition %.12s of a run cannot be read: %w", hash, err)
	}
	p := &program{source: row.Source}
	definition, err := machine.ParseDefinition(row.Definition)
	if err != nil {
		return nil, fmt.Errorf("the definition %.12s of %q cannot be read: %w", hash, row.Machine, err)
	}
	if p.machine, err = machine.Compile(definition); err != nil {
		return nil, fmt.Errorf("the definition %.12s of %q does not compile: %w", hash, row.Machine, err)
	}
	known[hash] = true
	for _, a := range definition.Activities {
		if a.Callee == "" || known[a.Callee] {
			continue
		}
		callee, err := storedProgram(ctx, store, a.Callee, known)
		if err != nil {
			return nil, err
		}
		p.callees = append(append(p.callees, callee.callees...), callee)
	}
	return p, nil
}
