package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
)

// states prints where the orders stand.
func (s *story) states(ctx context.Context, c *chapter) error {
	stats, err := c.engine.Stats(ctx, runtime.StatsQuery{Machine: orderMachine})
	if err != nil {
		return err
	}
	var parts []string
	for _, st := range stats.States {
		if st.Runs > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", st.Runs, st.State))
		}
	}
	fmt.Printf("  %s\n", strings.Join(parts, ", "))
	return nil
}

// tooLong is how long an order may stand where a person has to do something.
var tooLong = map[string]time.Duration{
	string(OrderFulfillmentStateNeedsAttention):                time.Hour,
	string(OrderFulfillmentStateUnpaidAwaitingManagerApproval): time.Hour,
}

// stuckFlag is tooLong as the command line takes it.
const stuckFlag = "--stuck NeedsAttention=1h,Unpaid.AwaitingManagerApproval=1h"

// health prints what fsmc health would say at that time of the story.
func (s *story) health(ctx context.Context, c *chapter) error {
	health, err := c.engine.Health(ctx, runtime.HealthQuery{StuckIn: tooLong})
	if err != nil {
		return err
	}
	fmt.Printf("  $ fsmc health --db %s %s\n", database(s.dir), stuckFlag)
	const shown = 6
	count := map[string]int{}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, p := range health.Problems {
		if count[p.State]++; count[p.State] <= shown {
			fmt.Fprintf(t, "  %s\t%s\t%s\t%s\n", p.Kind, p.Run, p.State, p.Why)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, state := range slices.Sorted(maps.Keys(count)) {
		if n := count[state] - shown; n > 0 {
			fmt.Printf("  and %d more in %s\n", n, state)
		}
	}
	return nil
}

// account holds the book against the runs, and every run against its history.
func (s *story) account(ctx context.Context) error {
	engine := runtime.NewEngine(s.store)
	rows, err := engine.List(ctx, runtime.RunFilter{Machine: orderMachine, Limit: s.orders})
	if err != nil {
		return err
	}
	runs, differ, err := program.Replay(ctx, engine)
	if err != nil {
		return err
	}
	replayed := 0
	for _, n := range runs {
		replayed += n
	}
	t := s.world.Tally()
	fmt.Printf("  %d workers were killed with SIGKILL\n", s.kills)
	fmt.Printf("  %d events of the agents were taken, %d came second to the other agent's, %d were refused\n",
		s.races.taken, s.races.moved, s.races.refused)
	fmt.Printf("  %d requests reached the services: %d failed before the work, %d after it, %d were repeats\n",
		t.Requests, t.Before, t.After, t.Repeats)
	fmt.Printf("  %d of them were to charge\n", t.Captures)

	promises := append(audit(rows, s.world.Entries()),
		program.Promise{Kept: runs[orderMachine] == s.orders && differ == 0, Text: fmt.Sprintf("%d histories replayed, %d of them of child runs; %d differ from what is stored", replayed, replayed-runs[orderMachine], differ)})
	broken := program.Keep(os.Stdout, promises)
	db := database(s.dir)
	fmt.Printf(`
The database stays in %s. Look at it:
  go run ./cmd/fsmc health --db %s --stuck NeedsAttention=1h
  go run ./cmd/fsmc stats --db %s
  go run ./cmd/fsmc history --db %s %s
`, s.dir, db, db, db, s.all[0].id)
	return broken
}
