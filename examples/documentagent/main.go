// Command documentagent lets some hundred sessions write documents with people
// who answer late, twice, or never, for three days that pass in seconds, and
// shows where they stand at the end and how long they were in each state. Then
// it damages two of them and repairs them.
//
//	go run ./examples/documentagent
package main

import (
	"flag"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
)

//go:generate go tool fsmc gen --tests documentagent.fsm

func main() {
	var s show
	flag.StringVar(&s.dir, "dir", "", "keep the database in this folder")
	flag.IntVar(&s.sessions, "sessions", 300, "how many there are")
	flag.Uint64Var(&s.seed, "seed", 1, "of what people and models do")
	flag.Parse()
	program.Main("documentagent", s.run)
}
