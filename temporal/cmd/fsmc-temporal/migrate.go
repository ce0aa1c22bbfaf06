package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// errMisfit says that some runs have not moved, or would not.
var errMisfit = errors.New("not all runs fit the definition; those that do not fit stay as they are")

// migrated is what migrate prints.
type migrated struct {
	Machine    string                `json:"machine"`
	Definition string                `json:"definition"` // hash of the new one
	Applied    bool                  `json:"applied"`
	Runs       []runtime.MigratedRun `json:"runs"`
}

func (o *options) migrate(ctx context.Context, c *temporal.Client, m *machine.Machine, by machine.Operator) error {
	of := runtime.MigrateOptions{Apply: o.apply, Operator: by}
	if o.mapping != "" {
		text, err := os.ReadFile(o.mapping)
		if err != nil {
			return err
		}
		if of.Mapping, err = machine.DecodeMapping(text); err != nil {
			return fmt.Errorf("--map: file %q is no mapping: %w", o.mapping, err)
		}
	}
	report := migrated{m.Definition().Name, m.Hash(), o.apply, []runtime.MigratedRun{}}
	misfit := error(nil)
	err := c.Migrate(ctx, m, of, func(r runtime.MigratedRun) error {
		if report.Runs = append(report.Runs, r); r.Why != "" {
			misfit = errMisfit
		}
		return nil
	})
	if err != nil && len(report.Runs) == 0 {
		return err
	}
	return errors.Join(o.print(report, nil), err, misfit)
}
