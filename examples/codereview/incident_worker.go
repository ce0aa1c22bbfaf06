package main

import (
	"context"
	"errors"
	"time"

	"github.com/fsmc-dev/fsmc/examples/codereview/forge"
	"github.com/fsmc-dev/fsmc/examples/codereview/review"
	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// dayLease is how long a dead worker's activities stay its own.
const dayLease = 3 * time.Second

// dayWorker is one of the processes that review all day, and are killed.
type dayWorker struct {
	dir, name      string
	forge, notices string // where they listen
}

// run works on whatever is in the database until it is killed.
func (w *dayWorker) run(ctx context.Context) error {
	store, err := sqlite.Open(ctx, database(w.dir))
	if err != nil {
		return err
	}
	defer store.Close()
	developer := &notifier{url: w.notices}
	engine := runtime.NewEngine(store, runtime.WithWorker(w.name), runtime.WithLease(dayLease),
		runtime.WithPoll(200*time.Millisecond), runtime.WithOutbox(developer.notify))
	developer.engine = engine
	reviewer := &dayReviewer{dir: w.dir, forge: forgeAt(w.forge)}
	if err := errors.Join(RegisterFileReview(engine, reviewer), RegisterCodeReview(engine, reviewer)); err != nil {
		return err
	}
	return engine.Run(ctx)
}

// dayReviewer does the activities of all reviews of the day, against the forge.
type dayReviewer struct {
	dir   string
	forge forge.Client
}

var (
	_ CodeReviewActivities = (*dayReviewer)(nil)
	_ FileReviewActivities = (*dayReviewer)(nil)
)

// classify is where errors get the classes that the machine knows: what may
// differ the next time is transient, and a retry does not help with the rest.
func classify(err error) error {
	if err != nil && forge.Temporary(err) {
		return runtime.Fail(CodeReviewFailTransient, err.Error())
	}
	return err
}

func (r *dayReviewer) FetchDiff(ctx context.Context, _ *runtime.Attempt, pr string) (CodeReviewDiffLoaded, error) {
	diff, err := r.forge.Diff(ctx, pr)
	return CodeReviewDiffLoaded{Patches: review.Patches(diff)}, classify(err)
}

func (r *dayReviewer) Analyze(_ context.Context, attempt *runtime.Attempt, patch string) (FileReviewAnalyzed, error) {
	comments := review.Analyze(patch)
	return FileReviewAnalyzed{Comments: int64(len(comments))}, review.Save(commentsFile(r.dir, attempt.Run), comments)
}

// dayPace is how long the forge takes for a comment.
const dayPace = 20 * time.Millisecond

// PostComments looks which comments stand in the thread, and posts the others.
func (r *dayReviewer) PostComments(ctx context.Context, attempt *runtime.Attempt, pr string, count int64) (CodeReviewPostCommentsResult, error) {
	comments, err := review.Load(commentsFolder(r.dir, attempt.Run), count)
	if err != nil {
		return nil, err
	}
	posted, err := r.forge.Comments(ctx, pr)
	if err != nil {
		return nil, classify(err)
	}
	for _, c := range comments {
		if posted[c.ID] {
			continue
		}
		var limit *forge.LimitError
		switch err := r.forge.Comment(ctx, pr, c.ID); {
		case errors.As(err, &limit):
			return CodeReviewRateLimited{RetryAfter: limit.RetryAfter}, nil
		case err != nil:
			return nil, classify(err)
		}
		if err := program.Sleep(ctx, dayPace); err != nil {
			return nil, err
		}
	}
	return CodeReviewCommentsPosted{}, nil
}

func (r *dayReviewer) Summarize(context.Context, *runtime.Attempt, string) (CodeReviewSummaryDone, error) {
	return CodeReviewSummaryDone{}, nil
}
