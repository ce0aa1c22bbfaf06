package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/process"
)

func newRun(s *streams) *cobra.Command {
	r := &runner{streams: s}
	c := &cobra.Command{
		Use:   "run [PATH...]",
		Short: "Start a run, or continue one, and work on it",
		Long: `Run starts a run of the machine in PATH. If there is a run with the given --id,
the command continues that run instead. It works until the run ends, or until the
run waits only for events from outside. Without --follow, it does not wait for a
timer that runs beside such events: start the command again when the timer is due.
But if only a state around the state of the run takes events, it waits for the timers
of that inner state. When it begins to wait for a timer of more than a few seconds, it
says so on standard error.

Without PATH, but with the --id of a run, it continues that run with the version of
the machine that the database has. Without both, it works on every unfinished run in
the database, each with its own version. With --follow, it then also works on
runs that start later, and waits for a database that does not exist yet, or for a
server that does not answer. If an activity has no executable, the command says so
once, and looks for it again each second. Without --follow, it ends with the names of
the runs that wait for such an activity, and exit status 2.

Activities are executables in one folder, with the names of the activities. A host
guard is the executable guard-NAME. Each gets one JSON object on standard input.
The last line of its standard output is the answer, one JSON object.

With --worker, the command starts processes that do many attempts. They read and
write the same objects, one on each line; see docs/activities.md. If the worker
cannot be started, or ends before it is given anything, the command ends with exit
status 2, and no attempt counts.

With --outbox, the command gives each published message to CMD, as one JSON object
on standard input, in order for each run. It repeats a message until CMD exits with
status 0. It works on a run until all messages of the run are delivered.

You can kill the command at any point and start it again: the run continues where
it was. After a SIGTERM or an interrupt, the command lets activities work for ten
more seconds, then stops them and ends. A second signal ends it at once.

What an activity writes to its standard error, the command writes to its own, each line
with the run, the activity and the attempt. If the attempt fails, the last lines are in
the history. With --log-format json, each step, each attempt, each such line and each
problem is one line with a JSON object, on standard output, or with --format json on
standard error; see docs/logs.md.

Exit status 1: the run, or one below it, is halted, or the run ended with an outcome
other than success. Exit status 3, with PATH or --id, and without --detach: the run has
not ended, because it waits for something, or because the command was stopped.`,
		Example: `  fsmc run --db runs.db --activities ./activities --id pr-17 --param pr=17 review.fsm
  fsmc run --db runs.db --activities ./activities --id pr-17
  fsmc run --db runs.db --detach --param pr=18 review.fsm
  fsmc run --db runs.db --detach --params - month.fsm < november.json
  fsmc run --db runs.db --activities ./activities --follow`,
		RunE: func(cmd *cobra.Command, paths []string) error {
			if cmd.Flags().Changed("id") && r.id == "" {
				return errors.New("--id is empty: leave it out for a new run with an id of its own")
			}
			var err error
			if r.given, err = r.object(cmd, "params", r.allParams, "where the machine has none"); err != nil {
				return err
			}
			return r.run(cmd.Context(), paths)
		},
	}
	dbFlag(c, &r.db)
	formatFlag(c, &r.asJSON)
	chooseFlag(c, &r.logJSON, "log-format", "text", "how to print steps and attempts", option[bool]{"text", false}, option[bool]{"json", true})
	machineFlag(c, &r.machine)
	f := c.Flags()
	f.StringVar(&r.activities, "activities", "", "the folder with the executables, `DIR`/<activity>")
	f.StringVar(&r.worker, "worker", "", "start `CMD`, which reads attempts on standard input and makes them")
	f.IntVar(&r.workers, "workers", 1, "start `N` processes of --worker")
	f.StringVar(&r.outbox, "outbox", "", "give each published message to `CMD`")
	f.StringVar(&r.id, "id", "", "the `ID` of the run; without this flag, a new one is made")
	f.StringArrayVar(&r.params, "param", nil, "a parameter of the machine, `NAME=VALUE`; repeat for more")
	f.StringVar(&r.allParams, "params", "", "all parameters, as a `JSON` object; - reads standard input")
	tagFlag(c, &r.tagged, "a tag of the run, `NAME=VALUE`, to find it by: at most 8; its children have the same")
	f.BoolVar(&r.follow, "follow", false, "do not return while the run waits for events from outside, or for a timer beside them")
	f.BoolVar(&r.once, "once", false, "return after one input: the end of an activity, or a timer")
	f.BoolVar(&r.detach, "detach", false, "start the run and return at once; another fsmc run works on it")
	f.IntVar(&r.concurrency, "concurrency", 16, "run at most `N` activities at once")
	f.DurationVar(&r.lease, "lease", 30*time.Second, "how long a claim is valid: after a crash, another worker can claim the attempt after `DURATION`")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "do not print the steps, or what timer is waited for")
	c.MarkFlagsMutuallyExclusive("follow", "detach", "once")
	c.MarkFlagsMutuallyExclusive("activities", "worker")
	c.MarkFlagsMutuallyExclusive("param", "params")
	return c
}

type runner struct {
	*streams
	db, activities, id, machine   string
	worker, outbox                string
	workers                       int
	pool                          *process.Workers // of --worker
	once                          bool
	params, tagged                []string
	allParams                     string
	given                         json.RawMessage   // what --params says
	tags                          map[string]string // of tagged
	asJSON, follow, detach, quiet bool
	logJSON                       bool
	log                           *slog.Logger // of logJSON
	concurrency                   int
	lease                         time.Duration
	begun                         atomic.Pointer[string] // the run of the file, when it has been found or started
}

func (r *runner) run(ctx context.Context, paths []string) error {
	if err := r.usage(paths); err != nil {
		return err
	}
	switch {
	case len(paths) == 0 && r.id != "":
		return r.runStored(ctx)
	case len(paths) == 0:
		return r.runAll(ctx)
	}
	m, err := r.compile(paths)
	if err != nil {
		return err
	}
	if err := r.refuseIdle(m); err != nil {
		return err
	}
	if err := r.refuseParams(m.machine); err != nil {
		return err
	}
	return r.withEngine(ctx, create, func(ctx context.Context, engine *runtime.Engine, _ runtime.Store) error {
		return r.workOnOne(ctx, engine, m)
	})
}

// runAll works on all runs of a database.
func (r *runner) runAll(ctx context.Context) error {
	if err := r.checkActivities(); err != nil {
		return err
	}
	found := &finder{runner: r, said: map[string]string{}}
	m := readWrite
	switch {
	case isServer(r.db):
		m = create // the first worker makes the tables
	case r.follow && r.waitForDatabase(ctx) != nil:
		return nil // stopped before there was anything to do
	}
	return r.withEngine(ctx, m, r.workOnAll, runtime.WithHandlers(found.find))
}

// The most processes of --worker, and activities at once.
const (
	maxWorkers     = 1_000
	maxConcurrency = 10_000
)

// usage refuses flags that do not go together.
func (r *runner) usage(paths []string) error {
	switch {
	case checkDatabase(r.db) != nil:
		return checkDatabase(r.db)
	case r.workers < 1 || r.workers > maxWorkers:
		return fmt.Errorf("--workers is 1 to %d", maxWorkers)
	case r.concurrency < 1 || r.concurrency > maxConcurrency:
		return fmt.Errorf("--concurrency is 1 to %d", maxConcurrency)
	case r.lease < time.Second:
		return errors.New("--lease is at least 1s")
	case len(paths) > 0:
		var err error
		r.tags, err = readTags(r.tagged)
		return err
	case !r.works() && !r.detach && r.id == "": // of one with an id, its machine is asked
		return errNoWork
	case len(r.params) > 0 || len(r.given) > 0 || len(r.tagged) > 0 || r.machine != "" || r.detach:
		return errors.New("--param, --params, --tag, --machine and --detach are about a run that starts: name the file of its machine")
	case r.once && r.id == "":
		return errors.New("--once is about one run: name it with --id, or name the file of its machine")
	case r.follow && r.asJSON && r.id == "":
		return errors.New("--follow without a file never ends, so --format json could print nothing")
	}
	return nil
}

// options are those of every engine that works.
func (r *runner) options() []runtime.Option {
	opts := append(r.logging(), runtime.WithConcurrency(r.concurrency), runtime.WithLease(r.lease))
	if r.outbox != "" {
		opts = append(opts, runtime.WithOutbox(process.Outbox(r.outbox)))
	}
	return opts
}

// withEngine opens the database and gives f an engine on it.
func (r *runner) withEngine(ctx context.Context, m mode, f func(context.Context, *runtime.Engine, runtime.Store) error, opts ...runtime.Option) error {
	t := target{streams: r.streams, db: r.db, waits: r.follow}
	opts = append(opts, r.options()...)
	if r.once {
		opts = append(opts, runtime.WithConcurrency(1)) // no second activity ends beside the first
	}
	opened := false
	err := t.with(ctx, m, r.id, func(store runtime.Store) error {
		opened = true
		return r.withWorkers(ctx, func(ctx context.Context) error {
			return f(ctx, runtime.NewEngine(store, opts...), store)
		})
	})
	if !opened && r.follow && ctx.Err() != nil {
		return nil // stopped before there was anything to do
	}
	return err
}

// workerTrial is how long is waited before any work for the shell to say that it
// does not find the command. Where that takes longer no harm is done: attempts are
// released, but the run has started.
const workerTrial = 100 * time.Millisecond

// withWorkers does f, with the processes of --worker if that is given. If its command turns out to be
// none that can be started, f is stopped, and that is the error.
func (r *runner) withWorkers(ctx context.Context, f func(context.Context) error) error {
	if r.worker == "" || r.detach {
		return f(ctx)
	}
	pool := process.StartWorkers(r.worker, r.workers, r.err)
	defer pool.Close()
	r.pool = pool
	select {
	case <-pool.Broken():
		return pool.Err()
	case <-ctx.Done():
	case <-time.After(workerTrial):
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-pool.Broken():
			stop()
		case <-ctx.Done():
		}
	}()
	err := f(ctx)
	return cmp.Or(pool.Err(), err)
}

// workOnOne starts the run, or continues it, and works until it ends or
// waits.
func (r *runner) workOnOne(ctx context.Context, engine *runtime.Engine, p *program) error {
	if err := r.equip(p); err != nil {
		return err
	}
	if err := p.register(engine); err != nil {
		return err
	}
	v, err := r.begin(ctx, engine, p.machine)
	if err != nil {
		return err
	}
	if r.detach {
		return r.leave(&v)
	}
	r.begun.Store(&v.Run)
	work := engine.RunUntilIdle
	switch {
	case r.follow:
		work = engine.RunUntilDone
	case r.once:
		work = engine.RunOnce
	}
	v, err = work(ctx, v.Run)
	stopped := errors.Is(err, context.Canceled)
	if err != nil && !stopped {
		return err
	}
	if err := r.report(&v); err != nil {
		return err
	}
	if stopped {
		r.say("stopped: --id %s continues it", v.Run)
	} else if err := r.sayDue(ctx, engine, &v); err != nil {
		return err
	}
	return runStatus(context.WithoutCancel(ctx), engine, &v)
}

// sayDue says when a run below v goes on, which what is printed of v does not tell.
func (r *runner) sayDue(ctx context.Context, engine *runtime.Engine, v *runtime.View) error {
	if v.Status == runtime.Finished || r.once {
		return nil
	}
	rows, err := engine.Tree(ctx, v.Run)
	if err != nil {
		return err
	}
	var first time.Time
	for i := range rows {
		if row := &rows[i]; row.Run == v.Run || row.Status != runtime.Running || row.Paused {
			continue
		}
		below, err := engine.Get(ctx, rows[i].Run)
		if err != nil {
			return err
		}
		for _, t := range below.Timers {
			if first.IsZero() || t.Due.Before(first) {
				first = t.Due
			}
		}
	}
	if !first.IsZero() {
		r.say("nothing to do until %s, when a timer of a child is due; --follow waits", describe.When(first, time.Now()))
	}
	return nil
}

// runStatus is the exit status of a command about one run: of its end; or errFinding where it or a run
// below it is halted, and else errUnfinished.
func runStatus(ctx context.Context, engine *runtime.Engine, v *runtime.View) error {
	if err := outcomeError(v); err != nil || v.Status == runtime.Finished {
		return err
	}
	rows, err := engine.Tree(ctx, v.Run)
	switch {
	case err != nil:
		return err
	case slices.ContainsFunc(rows, func(row runtime.RunRow) bool { return row.Status == runtime.Halted }):
		return errFinding
	}
	return errUnfinished
}

// leave says of a run what has not been said: its start has, but not that it is
// halted or has ended.
func (r *runner) leave(v *runtime.View) error {
	if r.asJSON || v.Status != runtime.Running {
		if err := r.report(v); err != nil {
			return err
		}
	}
	return outcomeError(v)
}

// outcomeError makes an end without success, and a run or child that is halted, an exit status.
func outcomeError(v *runtime.View) error {
	if v.Status == runtime.Halted || v.Status == runtime.Finished && v.Outcome != runtime.Success ||
		slices.ContainsFunc(v.Activities, func(a machine.ActivityView) bool { return isHalted(a.Child) }) {
		return errFinding
	}
	return nil
}

// isHalted reports whether a child, or the run below it that does not go on, is halted.
func isHalted(c *machine.ChildView) bool {
	return c != nil && (c.Status == runtime.Halted || isHalted(c.Below))
}

var errNoWork = errors.New("--activities DIR or --worker CMD is missing: it says what does the work")

// works reports whether there is something that does the work.
func (r *runner) works() bool { return r.activities != "" || r.worker != "" }

// refuseIdle refuses to work on a run of a machine whose activities, or those of one below it, nothing
// would do. A machine without any needs nothing.
func (r *runner) refuseIdle(p *program) error {
	if r.works() || r.detach {
		return nil
	}
	for _, one := range append(slices.Clip(p.callees), p) {
		d := one.machine.Definition()
		if len(d.Guards) > 0 || slices.ContainsFunc(d.Activities, func(a machine.Activity) bool { return a.Callee == "" }) {
			return errNoWork
		}
	}
	return nil
}
