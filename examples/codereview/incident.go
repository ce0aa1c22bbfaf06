package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/fsmc-dev/fsmc/examples/codereview/forge"
	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// incident replays the day of the article: 200 reviews, and a forge that
// limits its rate in the middle. First the loop that the article began with,
// then this machine, whose workers are killed all day.
type incident struct {
	dir     string
	reviews int
	seed    uint64

	day    *day
	forge  *forge.Server
	inbox  *inbox
	store  runtime.Store
	engine *runtime.Engine
	crew   *program.Crew
}

// crew is how many workers there are at any time.
const crew = 3

func (n *incident) run(ctx context.Context) error {
	n.day = newDay(n.seed, n.reviews)
	program.Say(fmt.Sprintf("1. The loop: %d pull requests, and a forge that allows next to nothing for a third of the day.", n.reviews))
	naive, err := n.day.playNaive(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("  %d reviews were called complete with comments missing: %.1f %% (the article: 34 %%)\n", naive.incomplete, naive.share())

	program.Say(fmt.Sprintf("2. fsmc: the same day, %d worker processes, and one of them killed with SIGKILL every half second.", crew))
	if err := n.open(ctx); err != nil {
		return err
	}
	defer n.close()
	if err := n.play(ctx); err != nil {
		return err
	}
	program.Say("3. What happened, from the forge and from the database.")
	return n.account(ctx, naive)
}

// open makes the folder, the forge, the inbox and the database.
func (n *incident) open(ctx context.Context) (err error) {
	if n.dir, err = freshFolder(n.dir); err != nil {
		return err
	}
	if n.store, err = sqlite.Open(ctx, database(n.dir)); err != nil {
		return err
	}
	n.engine = runtime.NewEngine(n.store, runtime.WithPoll(100*time.Millisecond))
	if err := RegisterCodeReview(n.engine, nil); err != nil { // it starts reviews, and does none
		return err
	}
	if n.forge, err = forge.Start(dayLimit, dayWindow); err != nil {
		return err
	}
	n.day.host(n.forge)
	if n.inbox, err = openInbox(); err != nil {
		return err
	}
	n.crew = &program.Crew{
		Size: crew, Least: 200 * time.Millisecond, Spread: 500 * time.Millisecond, Random: rand.New(rand.NewPCG(n.seed, 1)),
		Args: []string{"-incident", "-worker", "-dir", n.dir, "-forge", n.forge.URL, "-notices", n.inbox.url},
	}
	return nil
}

func (n *incident) close() {
	if n.crew != nil {
		n.crew.KillAll() // what they have done is in the database
		n.inbox.close()
	}
	if n.forge != nil {
		n.forge.Close()
	}
	n.store.Close()
}

// play lets the day pass: reviews are started as pull requests come, and workers
// are killed, until every review has ended and every message is delivered.
func (n *incident) play(ctx context.Context) error {
	working, stop := context.WithCancel(ctx)
	defer stop()
	worked := make(chan error, 1)
	go func() {
		worked <- n.crew.Work(working)
		stop() // it may have given up
	}()
	err := n.arrivals(working)
	if err == nil {
		err = n.ended(working)
	}
	stop()
	if err := errors.Join(<-worked, err); err != nil {
		return err
	}
	return n.engine.WaitDelivered(ctx)
}

// ended waits until every review has ended.
func (n *incident) ended(ctx context.Context) error {
	for {
		open, err := n.engine.List(ctx, runtime.RunFilter{Status: runtime.Running, Limit: 1})
		if err != nil || len(open) == 0 {
			return err
		}
		if err := program.Sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// arrivals starts a review for each pull request as it comes.
func (n *incident) arrivals(ctx context.Context) error {
	runs := CodeReviewRuns{Engine: n.engine}
	clock := time.NewTicker(gap)
	defer clock.Stop()
	return n.day.pass(n.forge, func(p *pull) error {
		if _, err := runs.Start(ctx, p.id, CodeReviewParams{Pr: p.id}); err != nil {
			return err
		}
		if _, err := runs.Send(ctx, p.id, CodeReviewStartReview{}); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-clock.C:
			return nil
		}
	})
}
