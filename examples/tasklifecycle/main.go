// Command tasklifecycle runs a swarm of 500 simulated agents in one process,
// over a real database: they crash, hang, go round in circles, freeze and come
// back as zombies, decline offers, read clocks that are wrong, and are cut off
// from it for minutes. At the end it counts what the article behind it counted:
// tasks whose agent was dead and nobody noticed, work done twice, and work
// repeated after a recovery.
//
//	go run ./examples/tasklifecycle
//	go run ./examples/tasklifecycle -tasks 1000 -seed 7
//	go run ./examples/tasklifecycle -cold
//	go run ./examples/tasklifecycle -hosts
//
// In the order in which to read it:
//
//   - The machine in Go: tasklifecycle_fsm.go, which is generated, and activities.go.
//   - The swarm: swarm.go, with agent.go, task.go and job.go; lead.go, who starts and steers tasks.
//   - What goes wrong: fate.go, and what agents ask of it in world.go; link.go, of an agent that is
//     cut off.
//   - What is held against it: table.go, the world outside; tally.go and audit.go, the counts.
//   - How it runs: story.go in one process, with pace.go; hosts.go and host.go in several, with
//     hurry.go and suspend_*.go.
package main

import (
	"context"
	"flag"
	"os"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
)

//go:generate go tool fsmc gen --tests tasklifecycle.fsm

func main() {
	if os.Getenv(hostVariable) != "" {
		program.Main("tasklifecycle", beHost)
		return
	}
	var c config
	flag.IntVar(&c.agents, "agents", 500, "how many agents there are")
	flag.IntVar(&c.tasks, "tasks", 500, "how many tasks there are")
	flag.Uint64Var(&c.seed, "seed", 1, "what befalls whom: the same number, the same mishaps at the same rows")
	flag.StringVar(&c.dir, "dir", "", "keep the database in this folder")
	flag.BoolVar(&c.cold, "cold", false, "let agents ignore checkpoints and begin from zero, to see what checkpoints save")
	several := flag.Bool("hosts", false, "let four processes be the hosts, on PostgreSQL: one is cut off, one stopped, and the clock of one is wrong")
	flag.Parse()

	program.Main("tasklifecycle", func(ctx context.Context) error {
		if *several {
			return runHosts(ctx, c, os.Stdout)
		}
		return run(ctx, c, os.Stdout)
	})
}
