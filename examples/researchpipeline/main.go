// Command researchpipeline lets two researchers work side by side and a third
// put together what both found, and kills the orchestrator wherever it can.
//
// First it shows how two workers that end in the same instant lose a result in
// a status file, and that they cannot here. Then it runs one pipeline whose
// orchestrator is killed with SIGKILL once at every point at which something
// happens, and holds what is left against what was promised.
//
//	go run ./examples/researchpipeline
package main

import (
	"context"
	"flag"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
)

//go:generate go tool fsmc gen --tests researchpipeline.fsm

func main() {
	program.Main("researchpipeline", command())
}

// command is what the flags ask for.
func command() func(context.Context) error {
	var (
		dir   = flag.String("dir", "", "keep databases, reports and logs in this folder")
		topic = flag.String("topic", "finite state machines", "what is researched")
		pairs = flag.Int("pairs", 100, "how many pipelines have researchers that end in the same instant")
		work  = flag.String("work", "", "be an orchestrator (`walk`) or a worker of the race (`race`) in -dir; the program starts itself so")
	)
	flag.Parse()
	switch *work {
	case "walk":
		return (&orchestrator{dir: *dir, topic: *topic}).run
	case "race":
		return (&racer{dir: *dir}).run
	}
	return (&show{dir: *dir, topic: *topic, pairs: *pairs}).run
}
