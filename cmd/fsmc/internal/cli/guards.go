package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/process"
)

// guards is where a command that takes a step of its own finds host guards: the
// folder in which fsmc run finds them.
type guards struct{ activities string }

func (g *guards) flag(c *cobra.Command) {
	c.Flags().StringVar(&g.activities, "activities", "", "the folder with the host guards, `DIR`/guard-<name>, where the step asks one")
}

// engine gives an engine for one step of the run, which can ask the guards of
// its version where their folder is known.
func (g *guards) engine(ctx context.Context, store runtime.Store, run string) (*runtime.Engine, error) {
	engine := runtime.NewEngine(store)
	if g.activities == "" {
		return engine, nil
	}
	row, err := store.Load(ctx, run)
	if err != nil {
		return nil, err
	}
	return engine, registerVersion(ctx, engine, store, row.Definition,
		func(m *runtime.Machine) (runtime.Handlers, error) { return process.Load(g.activities, m) })
}

// step takes a step of a run with such an engine, and gives the run as it then
// is.
func (g *guards) step(ctx context.Context, store runtime.Store, run string,
	take func(*runtime.Engine) (runtime.View, error)) (runtime.View, error) {
	engine, err := g.engine(ctx, store, run)
	if err != nil {
		return runtime.View{}, err
	}
	v, err := take(engine)
	return v, g.unanswered(err)
}

// answer takes a step of the run that a command line names, and prints the
// answer.
func (g *guards) answer(ctx context.Context, t *target, run string, take func(*runtime.Engine) (runtime.View, error)) error {
	return t.with(ctx, readWrite, run, func(store runtime.Store) error {
		v, err := g.step(ctx, store, run, take)
		if err != nil {
			return err
		}
		return t.answer(&v)
	})
}

// unanswered says of a step that needs a guard which flag gives it.
func (g *guards) unanswered(err error) error {
	if errors.Is(err, runtime.ErrNoGuard) && g.activities == "" {
		return fmt.Errorf("%w; --activities DIR says where its executable is", err)
	}
	return err
}
