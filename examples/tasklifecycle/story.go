package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// patience is how long the program may take before it gives up.
const patience = 10 * time.Minute

// run lets a swarm live, and gives account of it.
func run(ctx context.Context, c config, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if c.agents < 1 || c.tasks < 1 {
		return errors.New("there must be an agent and a task")
	}
	dir, err := program.Folder(c.dir, "tasklifecycle", database(c.dir), "an earlier swarm")
	if err != nil {
		return err
	}
	c.dir = dir
	store, err := sqlite.Open(ctx, database(c.dir))
	if err != nil {
		return err
	}
	defer store.Close()
	s, err := live(ctx, c, store, out)
	if err != nil {
		return err
	}
	broken := s.account(out, fmt.Sprintf("  a host was cut off for 5 minutes: %d of its attempts were taken over", s.tally.Lost[hostName(1)]))
	db := database(s.dir)
	fmt.Fprintf(out, `
The database stays in %s. Look at it:
  go run ./cmd/fsmc stats --db %s
  go run ./cmd/fsmc health --db %s
  go run ./cmd/fsmc history --db %s %s
`, s.dir, db, db, db, s.longest())
	return broken
}

// live makes a swarm over store and lets it live.
func live(ctx context.Context, c config, store runtime.Store, out io.Writer) (*swarm, error) {
	// What happened to the swarm lies behind us when the story is told.
	s, clock, err := alone(ctx, c, store, time.Now().Add(-day))
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "%d agents on %d hosts, %d tasks of %d rows, a checkpoint every %d\n\n", c.agents, hosts, c.tasks, rows, batch)
	fmt.Fprintf(out, "  minute%s\n", header)
	return s, s.live(clock, func(minute int) error { return s.line(out, minute) })
}

const day = 24 * time.Hour

func database(dir string) string { return filepath.Join(dir, "tasks.db") }

// columns are what a line of the story counts: states, by the beginning of
// their names.
var columns = []struct{ title, states string }{
	{"unassigned", "Unassigned"}, {"offered", "Offered"}, {"pending", "Pending"}, {"working", "InProgress"},
	{"stalled", "Stalled"}, {"paused", "Paused"}, {"patching", "Re Te"}, {"done", "Completed"}, {"failed", "Failed"}, {"cancelled", "Canc"},
}

var header = func() (line string) {
	for _, c := range columns {
		line += fmt.Sprintf("%11s", c.title)
	}
	return line
}()

// line prints where the tasks stand.
func (s *swarm) line(out io.Writer, minute int) error {
	stats, err := s.lead.engine.Stats(s.ctx, runtime.StatsQuery{})
	if err != nil {
		return err
	}
	line := fmt.Sprintf("  %6d", minute)
	for _, c := range columns {
		var n int64
		for _, st := range stats.States {
			for _, begin := range strings.Fields(c.states) {
				if strings.HasPrefix(st.State, begin) {
					n += st.Runs
				}
			}
		}
		line += fmt.Sprintf("%11d", n)
	}
	_, err = fmt.Fprintln(out, line)
	return err
}

// account says what befell the swarm and its hosts, what became of it, and what was promised.
func (s *swarm) account(out io.Writer, hosts string) error {
	ctx := context.Background()
	engine := runtime.NewEngine(s.store)
	fmt.Fprintf(out, "\nWhat befell the agents, and where the machine sent the task.\n\n")
	if err := s.routes(ctx, engine, out); err != nil {
		return err
	}
	t := &s.tally
	fmt.Fprintf(out, "\n  offers: %d declined, %d accepted too late, %d starts after the lease, %d leases left by a clock that is ahead\n",
		t.Declined, t.LateAccepts, t.LateStarts, t.GaveUp)
	fmt.Fprintf(out, "%s\n\nWhat was promised.\n\n", hosts)
	promises, err := s.audit(ctx, engine)
	if err != nil {
		return err
	}
	return program.Keep(out, promises)
}

// longest is the task that most befell.
func (s *swarm) longest() string {
	most := s.fates[0]
	for _, f := range s.fates {
		if len(f.mishaps) > len(most.mishaps) {
			most = f
		}
	}
	return most.id
}

// routes prints the mishaps, and how often a failure of InProgress went where.
func (s *swarm) routes(ctx context.Context, engine *runtime.Engine, out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, o := range odds {
		fmt.Fprintf(w, "  %s\t%d\n", o.trouble, s.tally.Befell[o.trouble])
	}
	fmt.Fprintln(w)
	stats, err := engine.Stats(ctx, runtime.StatsQuery{})
	if err != nil {
		return err
	}
	for _, f := range stats.Failures {
		if f.From == string(TaskLifecycleStateInProgress) {
			then := "-> " + f.To
			if f.Effect == machine.Retried {
				then = "retry"
			}
			fmt.Fprintf(w, "  %s\t%s\t%d times\n", f.Input, then, f.Count)
		}
	}
	return w.Flush()
}
