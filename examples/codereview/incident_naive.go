package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/fsmc-dev/fsmc/examples/codereview/forge"
	"github.com/fsmc-dev/fsmc/examples/codereview/review"
	"github.com/fsmc-dev/fsmc/runtime"
)

// naive reviews one pull request as the article's `while (hasMoreSteps)` does:
// what fails is skipped, and the last step says that the review is complete.
func naive(ctx context.Context, client forge.Client, pull string) error {
	diff, err := client.Diff(ctx, pull)
	for err != nil && forge.Temporary(err) && ctx.Err() == nil { // as often as it takes
		diff, err = client.Diff(ctx, pull)
	}
	if err != nil {
		return err
	}
	for _, c := range review.Analyze(diff) {
		if err := client.Comment(ctx, pull, c.ID); err != nil {
			continue // the tool call failed; on with the next step
		}
	}
	return nil // "Review complete"
}

// playNaive lets the day pass for the naive loop, and tells what it has
// done. The forge's clock goes by the arrivals here, so that the figures are the
// same on every machine.
func (d *day) playNaive(ctx context.Context) (tally, error) {
	server, err := forge.Start(dayLimit, dayWindow)
	if err != nil {
		return tally{}, err
	}
	defer server.Close()
	d.host(server)
	var passed atomic.Int64
	server.Clock(func() time.Time { return time.Unix(0, passed.Load()) })
	var t tally
	err = d.pass(server, func(p *pull) error {
		if err := naive(ctx, forgeAt(server.URL), p.id); err != nil {
			return err
		}
		t.count(p, server.Thread(p.id), runtime.Success)
		passed.Add(int64(gap))
		return nil
	})
	return t, err
}
