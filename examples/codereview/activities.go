package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/examples/codereview/forge"
	"github.com/fsmc-dev/fsmc/examples/codereview/review"
	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
)

// reviewer does the work of the four activities. Each may be killed at any
// point and called again; the comments between analysis and posting lie in
// files, because a run's data is for what decides about the run.
type reviewer struct {
	repo, dir string
	model     *review.Model // nil: the built-in patterns review
	forge     forge.Client

	hangs    bool // on every file but one
	mu       sync.Mutex
	analyzed int
}

// newReviewer reads the model's endpoint from the environment, if there is one.
func newReviewer(w *worker) *reviewer {
	r := &reviewer{repo: w.repo, dir: w.dir, forge: forgeAt(w.forge), hangs: w.hangs}
	if url := os.Getenv("CODEREVIEW_ENDPOINT"); url != "" {
		r.model = &review.Model{URL: url, Name: os.Getenv("CODEREVIEW_MODEL"), Key: os.Getenv("CODEREVIEW_API_KEY")}
	}
	return r
}

// forgeAt is a client that does not wait for ever.
func forgeAt(url string) forge.Client {
	return forge.Client{URL: url, HTTP: &http.Client{Timeout: 10 * time.Second}}
}

var (
	_ CodeReviewActivities = (*reviewer)(nil)
	_ FileReviewActivities = (*reviewer)(nil)
)

func (r *reviewer) FetchDiff(ctx context.Context, _ *runtime.Attempt, pr string) (CodeReviewDiffLoaded, error) {
	diff, err := review.Diff(ctx, r.repo, pr)
	return CodeReviewDiffLoaded{Patches: review.Patches(diff)}, err
}

// Analyze looks at one file. The run of each file has a file of comments.
func (r *reviewer) Analyze(ctx context.Context, attempt *runtime.Attempt, patch string) (FileReviewAnalyzed, error) {
	if r.hang(ctx) {
		return FileReviewAnalyzed{}, ctx.Err()
	}
	comments, err := r.analyze(ctx, attempt, patch)
	if err != nil {
		return FileReviewAnalyzed{}, err
	}
	return FileReviewAnalyzed{Comments: int64(len(comments))}, review.Save(commentsFile(r.dir, attempt.Run), comments)
}

// hang lets the first worker that the example kills not get beyond one file.
func (r *reviewer) hang(ctx context.Context) bool {
	r.mu.Lock()
	r.analyzed++
	first := r.analyzed == 1
	r.mu.Unlock()
	if r.hangs && !first {
		<-ctx.Done()
	}
	return r.hangs && !first
}

// beatEvery keeps well below the machine's `heartbeat 30s`.
const beatEvery = 10 * time.Second

func (r *reviewer) analyze(ctx context.Context, attempt *runtime.Attempt, patch string) ([]review.Comment, error) {
	if r.model == nil {
		return review.Analyze(patch), nil
	}
	done := make(chan struct{})
	defer close(done)
	go func() { // a model may think for long
		beat := time.NewTicker(beatEvery)
		defer beat.Stop()
		for {
			select {
			case <-done:
				return
			case <-beat.C:
				attempt.Heartbeat()
			}
		}
	}()
	comments, tokens, err := r.model.Analyze(ctx, patch)
	return comments, errors.Join(err, attempt.Spend("tokens", json.Number(strconv.FormatInt(tokens, 10))))
}

// pace lets a person watch the comments being posted.
const pace = 60 * time.Millisecond

// PostComments posts what has not been posted yet. An earlier attempt may have
// died between any two comments, so it looks into the thread first.
func (r *reviewer) PostComments(ctx context.Context, attempt *runtime.Attempt, _ string, count int64) (CodeReviewPostCommentsResult, error) {
	comments, err := review.Load(commentsFolder(r.dir, attempt.Run), count)
	if err != nil {
		return nil, err
	}
	thread := review.Thread{Path: reviewFile(r.dir)}
	posted, err := thread.Posted()
	if err != nil {
		return nil, err
	}
	for _, c := range comments {
		if posted[c.ID] > 0 {
			continue
		}
		var limit *forge.LimitError
		switch err := r.forge.Announce(ctx, c.ID); {
		case errors.As(err, &limit):
			return CodeReviewRateLimited{RetryAfter: limit.RetryAfter}, nil
		case err != nil:
			return nil, runtime.Fail(CodeReviewFailTransient, err.Error())
		}
		if err := thread.Post(c); err != nil {
			return nil, err
		}
		if err := program.Sleep(ctx, pace); err != nil {
			return nil, err
		}
	}
	return CodeReviewCommentsPosted{}, nil
}

func (r *reviewer) Summarize(_ context.Context, _ *runtime.Attempt, pr string) (CodeReviewSummaryDone, error) {
	posted, err := review.Thread{Path: reviewFile(r.dir)}.Posted()
	if err != nil {
		return CodeReviewSummaryDone{}, err
	}
	text := fmt.Sprintf("%d comments on %s\n", len(posted), pr)
	return CodeReviewSummaryDone{}, os.WriteFile(filepath.Join(r.dir, "summary.md"), []byte(text), 0o644)
}

// commentsFolder has the comments of a review, commentsFile those of one file in it: the id of
// that file's run begins with the id of the review.
func commentsFolder(dir, run string) string { return filepath.Join(dir, "comments", run) }
func commentsFile(dir, run string) string   { return commentsFolder(dir, run) + ".json" }
func reviewFile(dir string) string          { return filepath.Join(dir, "review.md") }
