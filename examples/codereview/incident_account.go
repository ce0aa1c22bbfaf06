package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// account holds the day against what was promised.
func (n *incident) account(ctx context.Context, naive tally) error {
	var (
		kept    tally
		counted counters
		runs    = CodeReviewRuns{Engine: n.engine}
		wrong   []string // reviews that ended in another way than they had to
	)
	for i := range n.day.pulls {
		p := &n.day.pulls[i]
		run, err := runs.Get(ctx, p.id)
		if err != nil {
			return err
		}
		kept.count(p, n.forge.Thread(p.id), run.Outcome)
		if (run.State == CodeReviewStateFailed) != p.hopeless() {
			wrong = append(wrong, p.id)
		}
		steps, err := n.engine.History(ctx, p.id, 0, 1000)
		if err != nil {
			return err
		}
		counted.add(p.id, steps)
	}
	if err := compare(naive, kept); err != nil {
		return err
	}
	fmt.Printf("\n  %d workers were killed, %d attempts were lost with them and handed out again;\n", n.crew.Kills, counted.lost)
	_, refused := n.forge.Counts()
	fmt.Printf("  the forge refused %d comments, and %d times a review was continued in the middle of its comments\n", refused, n.forge.Resumed())
	if err := n.failures(ctx); err != nil {
		return err
	}
	if counted.across != "" {
		fmt.Printf("\nA counter that outlived its worker, %s:\n%s", counted.across, counted.shown)
	}
	return n.promises(ctx, kept, &counted, wrong)
}

// failures prints what fsmc stats says of them, and what the developers were told.
func (n *incident) failures(ctx context.Context) error {
	stats, err := n.engine.Stats(ctx, runtime.StatsQuery{})
	if err != nil {
		return err
	}
	fmt.Println("\nFailures, by class:")
	for _, f := range stats.Failures {
		fmt.Printf("  %3d  %s: %s -> %s (%s)\n", f.Count, f.Input, f.From, f.To, f.Effect)
	}
	fmt.Println("\nWhat the developers of failed reviews were told:")
	for _, p := range n.day.pulls {
		if why := n.inbox.reasons[p.id]; why != "" {
			fmt.Printf("  %s  %s\n", p.id, why)
		}
	}
	return nil
}

func (n *incident) promises(ctx context.Context, kept tally, counted *counters, wrong []string) error {
	replayed, differ, err := program.Replay(ctx, n.engine)
	if err != nil {
		return err
	}
	files := replayed["FileReview"]
	notices, deliveries := n.inbox.counts()
	fmt.Println()
	broken := program.Keep(os.Stdout, []program.Promise{
		{Kept: kept.incomplete == 0, Text: fmt.Sprintf("%d incomplete reviews were called complete", kept.incomplete)},
		{Kept: kept.duplicates == 0, Text: fmt.Sprintf("%d comments were posted twice", kept.duplicates)},
		{Kept: kept.open == 0 && len(wrong) == 0, Text: fmt.Sprintf("%d reviews ended, %d of them in Failed: those that the forge would never take%s",
			kept.reviews-kept.open, kept.failed, named(wrong))},
		{Kept: notices == kept.failed && deliveries > notices, Text: fmt.Sprintf("%d ReviewFailed were delivered %d times, and known by their ids the second time", notices, deliveries)},
		{Kept: counted.broken == "", Text: fmt.Sprintf("%d RateLimited were counted 1, 2, 3 in each review, across %d changes of the worker%s",
			counted.refusals, counted.changes, counted.broken)},
		{Kept: replayed["CodeReview"] == kept.reviews && files == n.day.files() && differ == 0, Text: fmt.Sprintf("the history of %d reviews, and of %d files in them, was replayed: %d differ",
			kept.reviews, files, differ)},
	})
	fmt.Printf("\nThe database is %s.\n", database(n.dir))
	for _, command := range []string{"stats --db %s", "history --db %s pr-021", "health --db %s"} {
		fmt.Printf("Look at it: go run ./cmd/fsmc "+command+"\n", database(n.dir))
	}
	return broken
}

func named(runs []string) string {
	if len(runs) == 0 {
		return ""
	}
	return "; otherwise ended " + strings.Join(runs, ", ")
}

// counters holds what the bound `max 5` of RateLimited has counted against what
// the history says that it met.
type counters struct {
	lost     int    // attempts whose worker was killed
	refusals int    // RateLimited that were counted
	changes  int    // of those, how many by another worker than the one before in the review
	broken   string // the first review whose count was not that before and one
	across   string // the review with the most of them among those with a change
	shown    string
	most     int64
}

func (c *counters) add(run string, steps []runtime.StepView) {
	var (
		count   int64
		worker  string
		changed bool
		shown   strings.Builder
	)
	for _, s := range steps {
		if s.Kind == machine.LostInput {
			c.lost++
		}
		if s.Input != "RateLimited" || s.Max == 0 {
			continue
		}
		count++
		c.refusals++
		if s.Count != count && c.broken == "" {
			c.broken = fmt.Sprintf("; %s counts %d at step %d", run, s.Count, s.Seq)
		}
		if worker != "" && worker != s.Worker {
			changed = true
			c.changes++
		}
		worker = s.Worker
		fmt.Fprintf(&shown, "  step %-3d  %s  %d of %d, counted by %s\n", s.Seq, s.Input, s.Count, s.Max, s.Worker)
	}
	if changed && count > c.most {
		c.across, c.shown, c.most = run, shown.String(), count
	}
}
