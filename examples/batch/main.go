// Command batch reads a thousand documents by child runs of child runs, while its workers
// are killed with SIGKILL again and again. A third of the documents cannot be read. Before
// it starts anything it prints what the batch can cost at most; at the end each document
// stands in exactly one of three lists.
//
//	go run ./examples/batch
package main

import (
	"context"
	"flag"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
)

//go:generate go tool fsmc gen --tests batch.fsm

func main() {
	program.Main("batch", command())
}

// command is what the flags ask for.
func command() func(context.Context) error {
	var s show
	var isWorker bool
	flag.StringVar(&s.dir, "dir", "", "keep the database and the documents in this folder")
	flag.IntVar(&s.documents, "documents", 1000, "how many; at most 1,000")
	flag.IntVar(&s.kills, "kills", 12, "how often the worker is killed")
	flag.IntVar(&s.after, "after", 150, "how many attempts a worker makes before it is killed")
	flag.BoolVar(&isWorker, "worker", false, "work on the batch in -dir; the program starts itself so")
	flag.Parse()
	if isWorker {
		return (&worker{dir: s.dir}).run
	}
	return s.run
}
