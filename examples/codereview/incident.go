package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/fsmc-dev/fsmc/examples/codereview/forge"
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
	fleet  *fleet
}

// crew is how many workers there are at any time.
const crew = 3

func (n *incident) run(ctx context.Context) error {
	n.day = newDay(n.seed, n.reviews)
	say(fmt.Sprintf("1. The loop: %d pull requests, and a forge that allows next to nothing for a third of the day.", n.reviews))
	naive, err := n.day.playNaive(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("  %d reviews were called complete with comments missing: %.1f %% (the article: 34 %%)\n", naive.incomplete, naive.share())

	say(fmt.Sprintf("2. fsmc: the same day, %d worker processes, and one of them killed with SIGKILL every half second.", crew))
	if err := n.open(ctx); err != nil {
		return err
	}
	defer n.close()
	if err := n.play(ctx); err != nil {
		return err
	}
	say("3. What happened, from the forge and from the database.")
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
	n.fleet = &fleet{
		args:   []string{"-incident", "-worker", "-dir", n.dir, "-forge", n.forge.URL, "-notices", n.inbox.url},
		random: rand.New(rand.NewPCG(n.seed, 1)),
	}
	return nil
}

func (n *incident) close() {
	if n.fleet != nil {
		n.fleet.end()
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
	for range crew {
		if err := n.fleet.launch(ctx); err != nil {
			return err
		}
	}
	var arrived atomic.Bool
	failed := make(chan error, 1)
	go func() {
		failed <- n.arrivals(ctx)
		arrived.Store(true)
	}()
	err := n.fleet.killUntil(ctx, func() (bool, error) {
		if !arrived.Load() {
			return false, nil
		}
		open, err := n.engine.List(ctx, runtime.RunFilter{Status: runtime.Running, Limit: 1})
		return len(open) == 0, err
	})
	if err := errors.Join(err, <-failed); err != nil {
		return err
	}
	return n.engine.WaitDelivered(ctx)
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
