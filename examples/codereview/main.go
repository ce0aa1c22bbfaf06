// Command codereview reviews a change with a workflow that survives being
// killed. It checks the machines, starts a worker process, kills it with SIGKILL
// in the middle of the files, kills the next one in the middle of posting comments,
// starts a third, and shows that every comment was posted exactly once.
//
//	go run ./examples/codereview
//	go run ./examples/codereview -repo ~/src/project -range main..topic
//
// With -serve it opens a page on the run in a browser, as fsmc serve does.
//
// With -incident it replays a day of 200 reviews in which the forge limits its
// rate and workers are killed all the time, and before that shows what the same
// day does to a loop.
//
//	go run ./examples/codereview -incident
package main

import (
	"context"
	"flag"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
)

//go:generate go tool fsmc gen --tests codereview.fsm

func main() {
	program.Main("codereview", command())
}

// command is what the flags ask for.
func command() func(context.Context) error {
	var (
		s          show
		w          worker
		n          incident
		d          dayWorker
		replay     bool
		isWorker   bool
		dir, forge string
	)
	flag.StringVar(&s.repo, "repo", "", "review this git repository instead of one made for the occasion")
	flag.StringVar(&s.commits, "range", "", "the commits to review, as git diff takes them")
	flag.StringVar(&dir, "dir", "", "keep database and review in this folder")
	flag.BoolVar(&s.serve, "serve", false, "open a page on the run in a browser, and keep it until an interrupt")
	flag.StringVar(&s.addr, "addr", "127.0.0.1:8376", "with -serve: where the page is")
	flag.BoolVar(&replay, "incident", false, "replay the incident of the article")
	flag.IntVar(&n.reviews, "reviews", 200, "with -incident: how many")
	flag.Uint64Var(&n.seed, "seed", 1, "with -incident: of the pull requests and the kills")
	flag.BoolVar(&isWorker, "worker", false, "work on the runs in -dir and do nothing else; the program starts itself so")
	flag.BoolVar(&w.hangs, "hangs", false, "with -worker: hang in the middle of the files, until someone kills it")
	flag.StringVar(&forge, "forge", "", "with -worker: where the forge listens")
	flag.StringVar(&d.notices, "notices", "", "with -worker and -incident: where notices go")
	flag.StringVar(&d.name, "name", "", "with -worker and -incident: the worker's name")
	flag.Parse()
	switch {
	case replay && isWorker:
		d.dir, d.forge = dir, forge
		return d.run
	case replay:
		n.dir = dir
		return n.run
	case isWorker:
		w.repo, w.commits, w.dir, w.forge = s.repo, s.commits, dir, forge
		return w.run
	}
	s.dir = dir
	return s.run
}
