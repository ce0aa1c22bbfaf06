package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// ttl is how long a session may idle.
const ttl = 24 * time.Hour

// findings are the figures of all sessions together, by their histories.
type findings struct {
	byState  map[string]int64
	expired  int
	tooSoon  int           // expired at another time than a day after the last input
	oldest   time.Duration // of a session that is done, from its start
	insisted int           // a sixth wish, which was not taken
	rounds   int64         // the most that one had
}

// promises holds the sessions against what the machine says of them.
func (s *show) promises(ctx context.Context, engine *runtime.Engine) error {
	f, err := s.read(ctx, engine)
	if err != nil {
		return err
	}
	stats, err := engine.Stats(ctx, runtime.StatsQuery{})
	if err != nil {
		return err
	}
	counted := len(stats.States) > 0
	for _, state := range stats.States {
		counted = counted && state.Runs == f.byState[state.State]
	}
	startedOver, left, resumed := 0, 0, 0
	for _, one := range s.all {
		startedOver, left, resumed = startedOver+one.startedOver, left+one.left, resumed+one.agent.resumed
	}
	replayed, differ, err := program.Replay(ctx, engine)
	if err != nil {
		return err
	}
	broken := program.Keep(os.Stdout, []program.Promise{
		{Kept: f.tooSoon == 0 && f.expired > 0, Text: fmt.Sprintf("%d sessions expired, each 24 hours after the last that happened in it; one that was used lived %d hours",
			f.expired, int(f.oldest.Hours()))},
		{Kept: f.rounds <= 5 && f.insisted > 0, Text: fmt.Sprintf("no session had more than %d rounds of feedback; %d asked for a sixth, and were finalized", f.rounds, f.insisted)},
		{Kept: left == 0 && startedOver > 0, Text: fmt.Sprintf("%d started over from Error: in %d of them something of the old document was left", startedOver, left)},
		{Kept: resumed > 0, Text: fmt.Sprintf("%d times writing was cut off and went on behind its last checkpoint", resumed)},
		{Kept: counted, Text: "the figures of fsmc stats are what counting the sessions gives"},
		{Kept: differ == 0, Text: fmt.Sprintf("the history of %d sessions was replayed: %d differ", replayed["DocumentAgent"], differ)},
	})
	fmt.Printf("\nThe database is %s.\n", s.database())
	for _, command := range []string{"list --db %s --where \"state=AwaitingFeedback older than 8h\"", "history --db %s careless-draft", "health --db %s"} {
		fmt.Printf("Look at it: go run ./cmd/fsmc "+command+"\n", s.database())
	}
	return broken
}

// read goes through the history of every session.
func (s *show) read(ctx context.Context, engine *runtime.Engine) (findings, error) {
	f := findings{byState: map[string]int64{}}
	err := store.EachRun(ctx, s.store, runtime.RunFilter{}, 100, func(row *runtime.RunRow) error {
		f.byState[row.State]++
		steps, err := engine.History(ctx, row.Run, 0, 10_000)
		if err != nil {
			return err
		}
		f.add(row, steps)
		return nil
	})
	return f, err
}

func (f *findings) add(row *runtime.RunRow, steps []runtime.StepView) {
	last := steps[len(steps)-1]
	switch row.State {
	case "Expired":
		f.expired++
		if !last.At.Equal(steps[len(steps)-2].At.Add(ttl)) {
			f.tooSoon++
		}
	case "Complete":
		f.oldest = max(f.oldest, last.At.Sub(steps[0].At))
	}
	rounds := int64(0)
	for _, step := range steps {
		switch {
		case step.Input == "StartOver":
			rounds = 0
		case step.Input == "FeedbackGiven" && step.To == "Finalizing":
			f.insisted++
		case step.Input == "FeedbackGiven":
			rounds++
		}
		f.rounds = max(f.rounds, rounds)
	}
}
