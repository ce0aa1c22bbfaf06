package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/fsmc-dev/fsmc/runtime"
)

// race has two agents who have read an order at the same step authorize its
// payment at the same time. One of them does; the other is told that the order
// has moved on, tries all the same, and is told what may be done instead.
func race(ctx context.Context, runs OrderFulfillmentRuns, id string, seq int64) error {
	read, err := runs.Get(ctx, id)
	if err != nil {
		return err
	}
	fmt.Printf("  both read   %s\n", answerTo(read))
	type try struct {
		agent string
		run   OrderFulfillmentRun
		err   error
	}
	tries := []*try{{agent: "ada"}, {agent: "bob"}}
	var group sync.WaitGroup
	for _, t := range tries {
		group.Go(func() {
			t.run, t.err = runs.Send(ctx, id, OrderFulfillmentAuthorizePayment{PaymentMethod: "card_good"},
				runtime.IfSeq(seq), runtime.WithActor(t.agent))
		})
	}
	group.Wait()
	won, lost := tries[0], tries[1]
	if won.err != nil {
		won, lost = lost, won
	}
	var refused *runtime.Rejected
	if won.err != nil || !errors.Is(lost.err, runtime.ErrConflict) || !errors.As(lost.err, &refused) {
		return fmt.Errorf("one of two had to win: %w", errors.Join(won.err, lost.err))
	}
	fmt.Printf("  %s sends it %s\n", won.agent, answerTo(won.run))
	fmt.Printf("  %s is told %s\n", lost.agent, refuse(refused))

	_, err = runs.Send(ctx, id, OrderFulfillmentAuthorizePayment{PaymentMethod: "card_good"}, runtime.WithActor(lost.agent))
	if !errors.As(err, &refused) {
		return fmt.Errorf("a second authorization was not refused: %w", err)
	}
	fmt.Printf("  tries again %s\n", refuse(refused))
	return nil
}
