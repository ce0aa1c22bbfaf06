package runtime

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// oneRun is the scope of RunUntilIdle: one run with the runs below it in its tree, and
// nothing of the others.
type oneRun struct {
	engine *Engine
	run    string
	tree   bool  // its machine calls machines
	once   bool  // nothing begins once the run has moved on from there:
	from   int64 // its Seq; the beginnings of attempts, and what they spend, aside
}

func (o *oneRun) moved(ctx context.Context) (bool, error) {
	if !o.once {
		return false, nil
	}
	row, err := o.engine.store.Load(ctx, o.run)
	if err != nil {
		return false, fmt.Errorf("run %q: %w", o.run, err)
	}
	if row.Seq == o.from {
		return false, nil
	}
	since, err := o.engine.store.History(ctx, o.run, o.from, 0)
	if err != nil {
		return false, fmt.Errorf("run %q: %w", o.run, err)
	}
	aside := []InputKind{machine.BeginInput, machine.SpentInput, machine.ToldInput}
	return slices.ContainsFunc(since, func(h store.HistoryRow) bool { return !slices.Contains(aside, h.Kind) }), nil
}

func (o *oneRun) prepare(ctx context.Context) error {
	row, h, _, err := o.engine.read(ctx, o.run)
	if err != nil || !h.machine.Calls() {
		return err
	}
	o.tree = true
	err = o.engine.eachRun(ctx, RunFilter{Root: row.Root}, unfinished, batch, func(row *RunRow) error {
		if !below(row.Run, o.run) {
			return nil
		}
		_, err := o.engine.host(ctx, row.Definition)
		return err
	})
	if err != nil {
		return fmt.Errorf("the runs below %q: %w", o.run, err)
	}
	return nil
}

// below reports whether the id of a run is that of a run below another one in its tree.
func below(run, of string) bool { return strings.HasPrefix(run, of+"/") }

func (o *oneRun) covers(run string) bool { return run == o.run || o.tree && below(run, o.run) }

func (o *oneRun) asks(*store.LookQuery) {}

func (o *oneRun) fire(ctx context.Context, work *store.Work, _ time.Time) (fired bool, err error) {
	if len(work.Due) == 0 {
		return false, nil
	}
	if moved, err := o.moved(ctx); moved || err != nil {
		return false, err
	}
	for _, row := range work.Due {
		if !o.covers(row.Run) {
			continue
		}
		out, err := o.engine.apply(ctx, &request{run: row.Run})
		if err != nil {
			return fired, err
		}
		fired = fired || out.steps > 0
	}
	return fired, nil
}

func (o *oneRun) claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	if moved, err := o.moved(ctx); moved || err != nil {
		return nil, err
	}
	return o.engine.store.Claim(ctx, q)
}

func (o *oneRun) wake(time.Time) time.Time { return time.Time{} }
