package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/examples/internal/transcript"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// TestNaiveDay holds the figure that the README gives of the loop: the day is
// made from a seed, and the forge's clock goes by its arrivals.
func TestNaiveDay(t *testing.T) {
	got, err := newDay(1, 200).playNaive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := (tally{reviews: 200, complete: 200, incomplete: 69}); got != want {
		t.Errorf("%+v, not %+v", got, want)
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "69 of 200") {
		t.Error("the README does not give the figure")
	}
}

// TestIncident replays a part of the day with real workers and real kills. What
// the program says of itself is not all: the database is read again, and
// every review that is called complete must have ended behind CommentsPosted.
func TestIncident(t *testing.T) {
	t.Parallel() // it mostly waits
	dir := filepath.Join(t.TempDir(), "day")
	out := transcript.Run(t, "-incident", "-reviews", "60", "-dir", dir)
	killed := regexp.MustCompile(`(\d+) workers were killed`).FindStringSubmatch(out)
	if killed == nil {
		t.Fatalf("no word of the kills:\n%s", out)
	}
	if n, err := strconv.Atoi(killed[1]); err != nil || n < 3 {
		t.Errorf("%d workers were killed, %v", n, err)
	}
	transcript.Check(t, "README.md", "go run ./examples/codereview -incident", out)
	for _, want := range []string{
		"ok    0 incomplete reviews were called complete",
		"ok    0 comments were posted twice",
		"ok    60 reviews ended, 2 of them in Failed",
		"ok    2 ReviewFailed were delivered",
		"pr-021  RateLimited: \"-> AwaitingRetry max 5\": bound is used up",
		"pr-046  failed(unknown): the forge answered 403 Forbidden: the conversation is locked",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	readDay(t, database(dir))
}

func readDay(t *testing.T, db string) {
	ctx := context.Background()
	store, err := sqlite.Open(ctx, db, sqlite.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	engine := runtime.NewEngine(store)
	runs, err := engine.List(ctx, runtime.RunFilter{Machine: "CodeReview", Limit: 1000})
	if err != nil || len(runs) != 60 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	workers := map[string]bool{}
	for _, run := range runs {
		steps, err := engine.History(ctx, run.Run, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		posted := false
		for _, s := range steps {
			posted = posted || s.Input == "CommentsPosted"
			if s.Worker != "" {
				workers[s.Worker] = true
			}
		}
		if complete := run.Outcome == runtime.Success; complete != posted {
			t.Errorf("%s: complete is %t, and CommentsPosted is %t", run.Run, complete, posted)
		}
	}
	if len(workers) <= crew {
		t.Errorf("only %d workers have worked: no one took the place of one that was killed", len(workers))
	}
}
