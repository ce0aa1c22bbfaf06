package main

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// asked is a store that sees what an engine at work asks for.
type asked struct {
	runtime.Store
	claims atomic.Int32
	rounds chan struct{}
}

func (a *asked) Claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	if slices.ContainsFunc(q.Activities, func(c store.Claimable) bool { return c.Activity == "reserve_inventory" }) {
		a.claims.Add(1)
	}
	return a.Store.Claim(ctx, q)
}

func (a *asked) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	select {
	case a.rounds <- struct{}{}:
	default:
	}
	return a.Store.Look(ctx, q)
}

// TestOfficeLeavesActivities: the engine that was given no activities starts and
// sends, and works on none.
func TestOfficeLeavesActivities(t *testing.T) {
	store := &asked{Store: memstore.New(), rounds: make(chan struct{}, 1)}
	defer store.Close()
	office := runtime.NewEngine(store)
	if err := RegisterOrderFulfillment(office, nil); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	runs := OrderFulfillmentRuns{Engine: office}
	if _, err := runs.Start(ctx, "o", OrderFulfillmentParams{Order: "o", Amount: 1, Customer: "c"}); err != nil {
		t.Fatal(err)
	}
	run, err := runs.Send(ctx, "o", OrderFulfillmentReserveInventory{})
	if err != nil || run.State != OrderFulfillmentStateUnpaidReserving {
		t.Fatal(run.State, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- office.Run(ctx) }()
	for range 2 {
		<-store.rounds // at the second it has been through all that there is to do
	}
	stop()
	if err := <-ended; err != nil || store.claims.Load() > 0 {
		t.Errorf("%v; claimed %d times", err, store.claims.Load())
	}
}
