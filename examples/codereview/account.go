package main

import (
	"context"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/fsmc-dev/fsmc/examples/codereview/review"
	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// read opens the database for f, without touching it.
func (s *show) read(ctx context.Context, f func(engine *runtime.Engine) error) error {
	store, err := sqlite.Open(ctx, database(s.dir), sqlite.ReadOnly())
	if err != nil {
		return err
	}
	defer store.Close()
	return f(runtime.NewEngine(store))
}

// look is the run as it stands.
func (s *show) look(ctx context.Context) (run CodeReviewRun, err error) {
	err = s.read(ctx, func(engine *runtime.Engine) error {
		run, err = CodeReviewRuns{Engine: engine}.Get(ctx, runID)
		return err
	})
	return run, err
}

// files is how many of its files have been analyzed.
func (s *show) files(ctx context.Context) (n int, err error) {
	err = s.read(ctx, func(engine *runtime.Engine) error {
		runs, err := engine.List(ctx, runtime.RunFilter{Parent: runID, Status: runtime.Finished})
		for _, run := range runs {
			if run.State == string(FileReviewStateReviewed) {
				n++
			}
		}
		return err
	})
	return n, err
}

// bounds says how far the run's bounds are used.
func bounds(run CodeReviewRun) string {
	for _, b := range run.Bounds {
		return fmt.Sprintf("%d of %d used of %q", b.Used, b.Max, b.Text)
	}
	return "no bound is used"
}

// account prints the history and holds the result against what was promised.
func (s *show) account(ctx context.Context, before CodeReviewRun) error {
	if err := s.history(ctx); err != nil {
		return err
	}
	run, err := s.look(ctx)
	if err != nil {
		return err
	}
	comments, err := review.Load(commentsFolder(s.dir, runID), run.Data.Comments)
	if err != nil {
		return err
	}
	posted, err := review.Thread{Path: reviewFile(s.dir)}.Posted()
	if err != nil {
		return err
	}
	once := 0
	for _, c := range comments {
		if posted[c.ID] == 1 {
			once++
		}
	}
	files, err := s.files(ctx)
	if err != nil {
		return err
	}
	fmt.Println()
	broken := program.Keep(os.Stdout, []program.Promise{
		{Kept: files == len(run.Data.Patches), Text: fmt.Sprintf("%d of %d files were analyzed, each by one run of FileReview", files, len(run.Data.Patches))},
		{Kept: once == len(comments) && len(posted) == once, Text: fmt.Sprintf("%d of %d comments stand in the review exactly once", once, len(comments))},
		{Kept: used(run) >= used(before), Text: fmt.Sprintf("the retry counter survived: %d before the kill, %d at the end", used(before), used(run))},
		{Kept: run.State == CodeReviewStateCompleted, Text: fmt.Sprintf("the run ended in %s with outcome %s", run.State, run.Outcome)},
	})
	fmt.Printf("\nThe review is %s, the database %s.\nLook at it: go run ./cmd/fsmc history --tree --db %s %s\n",
		reviewFile(s.dir), database(s.dir), database(s.dir), runID)
	return broken
}

// used is how often the arm behind RateLimited has been taken.
func used(run CodeReviewRun) int64 {
	for _, b := range run.Bounds {
		return b.Used
	}
	return 0
}

// history prints every step of the run.
func (s *show) history(ctx context.Context) error {
	var steps []runtime.StepView
	err := s.read(ctx, func(engine *runtime.Engine) (err error) {
		steps, err = engine.History(ctx, runID, 0, 1000)
		return err
	})
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  #\tTIME\tFROM\tINPUT\tTO\tBOUND")
	for _, step := range steps {
		bound := ""
		if step.Max > 0 {
			bound = fmt.Sprintf("%d of %d", step.Count, step.Max)
		}
		fmt.Fprintf(t, "  %d\t%s\t%s\t%s\t%s\t%s\n", step.Seq, step.At.Local().Format(time.TimeOnly+".000"), step.From, step.Input, step.To, bound)
	}
	return t.Flush()
}
