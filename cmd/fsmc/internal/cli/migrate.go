package cli

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

func newMigrate(s *streams) *cobra.Command {
	m := &migrator{runner: runner{streams: s}, target: target{streams: s}}
	c := &cobra.Command{
		Use:   "migrate PATH...",
		Short: "Move unfinished runs to the new definition of their machine",
		Long: `Migrate shows which unfinished runs of a machine fit the definition in PATH. With
--apply, it moves the runs that fit, each with a line of history. The other runs
do not change: exit status 1.

A run fits if the new definition has its state, its fields and parameters, and its
deferred events, with the same names and types, and if the "require" of the state
holds.

What a move does:
  - An open activity stays open. An attempt under way is told to stop; when it has
    stopped, the new definition starts another attempt.
  - Running timers continue. New timers start now.
  - A counter is dropped if its arm is gone, or has other inputs or another place in its
    chain; fsmc breaking says so. Other counters are kept, but do not exceed the new
    bound. If two states become one, their counters are added.
  - Children that have started keep their versions: migrate their machine, too. A child
    whose "do" is gone, or has another label, is cancelled. The output says how many;
    --format json names them.

If names have changed, --map FILE says how, as JSON:

  {"states": {"Working": "Busy"},           old name: new name of a state
   "fields": {"n": "count", "gone": ""},    the same for fields; "" drops the field
   "set": {"limit": "1h"}}                  values for fields and parameters

A value of "set" is for all runs that are moved, also for those that have another. With
--where, only some are moved: one to try it with, or those that need another mapping.

Two states can become one. Two fields cannot: drop one of them.`,
		Example: `  fsmc migrate --db runs.db review.fsm
  fsmc migrate --db runs.db --where id=pr-1 --apply review.fsm
  fsmc migrate --db runs.db --map moves.json --apply --reason "version 2" review.fsm`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("where") {
				var err error
				if m.options.Of, err = runtime.ParseWhere(m.where, time.Now()); err != nil {
					return fmt.Errorf("--where: %w", err)
				}
			}
			return m.run(cmd.Context(), args)
		},
	}
	m.flags(c)
	machineFlag(c, &m.runner.machine)
	operatorFlags(c, &m.options.Operator)
	c.Flags().StringVar(&m.runner.activities, "activities", "", "the folder with the executables of activities and host guards, `DIR`; needed if a require asks a guard")
	c.Flags().StringVar(&m.mapping, "map", "", "the `FILE` with the old and new names; - is standard input")
	c.Flags().StringVar(&m.where, "where", "", "only runs for which all `TERMS` hold, as in fsmc list")
	c.Flags().BoolVar(&m.options.Apply, "apply", false, "move the runs that fit; without this flag, only show them")
	return c
}

type migrator struct {
	runner runner // which reads machines
	target
	mapping string
	where   string
	options runtime.MigrateOptions
}

type migrateReport struct {
	Machine    string                `json:"machine"`
	Definition string                `json:"definition"` // hash of the new one
	Applied    bool                  `json:"applied"`
	Runs       []runtime.MigratedRun `json:"runs"`
}

func (m *migrator) run(ctx context.Context, paths []string) error {
	if err := m.readMapping(); err != nil {
		return err
	}
	p, err := m.runner.compile(paths)
	if err != nil {
		return err
	}
	report := &migrateReport{
		Machine: p.machine.Definition().Name, Definition: p.machine.Hash(),
		Applied: m.options.Apply, Runs: []runtime.MigratedRun{},
	}
	return m.with(ctx, writing(m.options.Apply), "", func(store runtime.Store) error {
		engine := runtime.NewEngine(store)
		if err := p.register(engine); err != nil {
			return err
		}
		if err := engine.CheckFilter(ctx, &m.options.Of); err != nil {
			return err
		}
		err := engine.Migrate(ctx, report.Machine, m.options, func(r runtime.MigratedRun) error {
			report.Runs = append(report.Runs, r)
			return nil
		})
		if err != nil && len(report.Runs) == 0 {
			if m.mapping != "" && m.runner.machine == "" && len(p.callees) > 0 {
				return fmt.Errorf("machine %q: %w; --machine chooses another machine", report.Machine, err)
			}
			return err
		}
		return errors.Join(m.show(report), m.others(ctx, store, p.callees), err)
	})
}

// others says which of the called machines have runs that could be moved, too.
func (m *migrator) others(ctx context.Context, of runtime.Store, callees []*program) error {
	if m.asJSON || len(callees) == 0 {
		return nil
	}
	all, err := versionsOf(ctx, of)
	if err != nil {
		return err
	}
	for _, p := range callees {
		name := p.machine.Definition().Name
		n, err := all.runs(ctx, all.older(name, p.machine.Hash()), "", countedRuns)
		if err != nil {
			return err
		}
		if n.Count > 0 {
			fmt.Fprintf(m.out, "%s has %s of other versions: --machine %s chooses it\n", name, n.count("run"), name)
		}
	}
	return nil
}

// maxMapping is how much of a mapping is read: more than the data of any run.
const maxMapping = 16 << 20

func (m *migrator) readMapping() error {
	if m.mapping == "" {
		return nil
	}
	text, err := m.readUpTo(maxMapping, m.mapping)
	if err != nil {
		return fmt.Errorf("--map: file %q cannot be read: %w", m.mapping, reason(err))
	}
	if m.options.Mapping, err = machine.DecodeMapping(text); err != nil {
		return fmt.Errorf("--map: file %q is no mapping: %w", m.mapping, err)
	}
	return nil
}

func (m *migrator) show(r *migrateReport) error {
	refused := 0
	for _, run := range r.Runs {
		if run.Why != "" {
			refused++
		}
	}
	return m.print(r, refused > 0, func() { m.write(r, refused) })
}

// childrenPhrase says what becomes of the children of a run that moves.
func childrenPhrase(r *runtime.MigratedRun) (text string) {
	say := func(n int, one, several string) {
		if n == 1 {
			text += "; 1 child " + one
		} else if n > 1 {
			text += fmt.Sprintf("; %d children %s", n, several)
		}
	}
	say(len(r.Keeps), "keeps its version", "keep their versions")
	say(len(r.Cancels), "is cancelled", "are cancelled")
	return text
}

func (m *migrator) write(r *migrateReport, refused int) {
	t := tabwriter.NewWriter(m.out, 0, 0, 2, ' ', 0)
	for _, run := range r.Runs {
		if run.Why != "" {
			fmt.Fprintf(t, "%s\t%s\tdoes not fit: %s\n", run.Run, run.State, describe.Plain(run.Why, 300))
		} else {
			fmt.Fprintf(t, "%s\t%s\tto %s%s\n", run.Run, run.State, run.To, childrenPhrase(&run))
		}
	}
	t.Flush()
	fits := len(r.Runs) - refused
	runs := describe.Count(fits, "run") + " of " + r.Machine
	switch {
	case r.Applied:
		fmt.Fprintf(m.out, "%s moved to version %.12s\n", runs, r.Definition)
	case fits == 0:
		fmt.Fprintf(m.out, "%s to move to version %.12s\n", runs, r.Definition)
	default:
		fmt.Fprintf(m.out, "%s to move to version %.12s; nothing has been done, --apply does it\n", runs, r.Definition)
	}
}
