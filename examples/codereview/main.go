// Command codereview reviews a change with a workflow that survives being
// killed. It checks the machine, starts a worker process, kills it with SIGKILL
// in the middle of posting comments, starts it again, and shows that every
// comment was posted exactly once.
//
//	go run ./examples/codereview
//	go run ./examples/codereview -repo ~/src/project -range main..topic
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

//go:generate go run github.com/fsmc-dev/fsmc/cmd/fsmc gen --tests codereview.fsm

// errWrong ends the program after it has said what is wrong.
var errWrong = errors.New("something is wrong")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var (
		s      show
		w      worker
		worker bool
	)
	flag.StringVar(&s.repo, "repo", "", "review this git repository instead of one made for the occasion")
	flag.StringVar(&s.commits, "range", "", "the commits to review, as git diff takes them")
	flag.StringVar(&s.dir, "dir", "", "keep database and review in this folder")
	flag.BoolVar(&worker, "worker", false, "work on the run in -dir and do nothing else; the program starts itself so")
	flag.StringVar(&w.forge, "forge", "", "with -worker: where the forge listens")
	flag.Parse()

	var err error
	if worker {
		w.repo, w.commits, w.dir = s.repo, s.commits, s.dir
		err = w.run(ctx)
	} else {
		err = s.run(ctx)
	}
	if err != nil {
		if !errors.Is(err, errWrong) {
			fmt.Fprintln(os.Stderr, "codereview:", err)
		}
		os.Exit(1)
	}
}
