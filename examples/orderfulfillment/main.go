// Command orderfulfillment runs several hundred orders through a payment
// provider and a warehouse that fail after they have done the work, with worker
// processes that are killed with SIGKILL all the while, two agents on every
// order, and people who approve some of them, some too late. At the end it
// holds the provider's book against the runs: nobody is charged twice, nothing
// leaves the house unpaid, and who cancels has the money back.
//
//	go run ./examples/orderfulfillment
//	go run ./examples/orderfulfillment -orders 1000 -seed 7
//	go run ./examples/orderfulfillment -forgetful
package main

import (
	"flag"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
)

//go:generate go tool fsmc gen --tests orderfulfillment.fsm

func main() {
	var (
		s      story
		w      worker
		worker bool
	)
	flag.IntVar(&s.orders, "orders", 300, "how many orders there are")
	flag.Uint64Var(&s.seed, "seed", 1, "what becomes of whom: the same number, the same customers, cards and faults")
	flag.StringVar(&s.dir, "dir", "", "keep the database in this folder")
	flag.BoolVar(&s.forgetful, "forgetful", false, "let the provider ignore idempotency keys, to see what they are there for")
	flag.BoolVar(&worker, "worker", false, "work on the runs in -dir and do nothing else; the program starts itself so")
	flag.StringVar(&w.name, "name", "", "with -worker: its name")
	flag.StringVar(&w.outside, "outside", "", "with -worker: where the services listen")
	flag.Var(&w.clock, "clock", "with -worker: the clock of the story")
	flag.Parse()

	run := s.run
	if worker {
		w.dir = s.dir
		run = w.run
	}
	program.Main("orderfulfillment", run)
}
