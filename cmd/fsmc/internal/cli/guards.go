package cli

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/process"
)

// guards is where a command that takes a step of its own finds host guards: the
// folder in which fsmc run finds them.
type guards struct {
	activities string
	missing    atomic.Pointer[error] // what the folder lacks for the version that was met last
}

func (g *guards) flag(c *cobra.Command) {
	c.Flags().StringVar(&g.activities, "activities", "", "the folder with the host guards, `DIR`/guard-<name>")
}

// engine gives an engine for one step, which can ask the guards of a run's version
// where their folder is known.
func (g *guards) engine(store runtime.Store) (*runtime.Engine, error) {
	if g.activities == "" {
		return runtime.NewEngine(store), nil
	}
	return runtime.NewEngine(store, runtime.WithHandlers(func(m *runtime.Machine) runtime.Handlers {
		h, err := process.Load(g.activities, m)
		g.missing.Store(&err)
		return h
	})), process.CheckFolder(g.activities)
}

// step takes a step of a run with such an engine, and gives the run as it then is.
func (g *guards) step(store runtime.Store, take func(*runtime.Engine) (runtime.View, error)) (runtime.View, error) {
	engine, err := g.engine(store)
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
		v, err := g.step(store, take)
		if err != nil {
			return err
		}
		return t.answer(&v)
	})
}

// unanswered says of a step that needs a guard which flag gives it.
func (g *guards) unanswered(err error) error {
	switch {
	case !errors.Is(err, runtime.ErrNoGuard):
		return err
	case g.activities == "":
		return fmt.Errorf("%w; --activities DIR says where its executable is", err)
	}
	if missing := g.missing.Load(); missing != nil && *missing != nil {
		return fmt.Errorf("%w; %w", err, *missing)
	}
	return err
}
