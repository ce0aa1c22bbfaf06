package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// bar is how wide the widest bar may be.
const bar = 30

// distribution prints what `fsmc stats` has to say, in the order of a document's
// life.
func (s *show) distribution(ctx context.Context, engine *runtime.Engine) error {
	stats, err := engine.Stats(ctx, runtime.StatsQuery{Machine: "DocumentAgent"})
	if err != nil {
		return err
	}
	byState := map[string]runtime.StateStats{}
	most := int64(1)
	for _, state := range stats.States {
		byState[state.State] = state
		most = max(most, state.Runs)
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  STATE\tNOW\t\tVISITS\tMEDIAN\t95 OF 100")
	open, inError := int64(0), int64(0)
	for _, state := range DocumentAgentMachine().Definition().States {
		if state.Kind == machine.CompositeState {
			continue
		}
		now := byState[state.Path]
		fmt.Fprintf(t, "  %s\t%d\t%s\t%d\t%s\t%s\n", state.Path, now.Runs, strings.Repeat("#", int(now.Runs*bar/most)), now.Visits, rounded(now.Median), rounded(now.P95))
		if state.Kind == machine.LeafState {
			open += now.Runs
		}
		if state.Path == string(DocumentAgentStateError) {
			inError = now.Runs
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Printf("  %.0f %% of the sessions that are open stand in Error; the article worries at 30 %%\n", 100*float64(inError)/float64(max(1, open)))
	for _, cost := range stats.Costs {
		fmt.Printf("  %s %s were used\n", cost.Spent, cost.Name)
	}
	fmt.Println("  How failures went on:")
	for _, f := range stats.Failures {
		fmt.Printf("  %4d  %s in %s: %s, to %s\n", f.Count, f.Input, f.From, f.Effect, f.To)
	}
	fmt.Printf("  The same: go run ./cmd/fsmc stats --db %s\n", s.database())
	return nil
}

// rounded is a duration of the figures to the second, or nothing where there is none.
func rounded(text string) string {
	d, err := time.ParseDuration(text)
	if err != nil {
		return ""
	}
	return d.Round(time.Second).String()
}
