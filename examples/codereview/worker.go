package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// runID is the run that the example works on. A service would take the id of
// the pull request.
const runID = "review-1"

// lease is how long a dead worker's activity stays its own. Services choose
// longer ones; here nobody should wait.
const lease = 1500 * time.Millisecond

// worker is the process that does the work, and is killed.
type worker struct {
	repo, commits, dir string
	forge              string
	hangs              bool // in the middle of the files
}

// run starts the review, or goes on with it where an earlier worker died, and
// returns when it has ended.
func (w *worker) run(ctx context.Context) error {
	store, err := sqlite.Open(ctx, database(w.dir))
	if err != nil {
		return err
	}
	defer store.Close()

	engine := runtime.NewEngine(store, runtime.WithLease(lease), runtime.WithObserver(journal{}))
	reviewer := newReviewer(w)
	if err := errors.Join(RegisterFileReview(engine, reviewer), RegisterCodeReview(engine, reviewer)); err != nil {
		return err
	}
	runs := CodeReviewRuns{Engine: engine}
	if _, err := runs.Start(ctx, runID, CodeReviewParams{Pr: w.commits}); err != nil && !errors.Is(err, runtime.ErrExists) {
		return err
	}
	// The event's id makes sending it again harmless: it is taken once.
	if _, err := runs.Send(ctx, runID, CodeReviewStartReview{}, runtime.WithEventID("start")); err != nil {
		return err
	}
	_, err = engine.RunUntilDone(ctx, runID)
	return err
}

// journal prints what the engine does as it does it.
type journal struct{}

func (journal) OnStep(s runtime.StepInfo) {
	if s.Run != runID {
		return // of a file
	}
	fmt.Printf("  worker: %s: %s -> %s\n", s.Input, s.From, s.To)
}

func (journal) OnAttempt(a runtime.AttemptInfo) {
	if a.End == runtime.AttemptLost {
		fmt.Printf("  worker: %s: attempt %d was lost with its worker; it is handed out again\n", a.Activity, a.Attempt)
	}
}

func database(dir string) string { return filepath.Join(dir, "runs.db") }
