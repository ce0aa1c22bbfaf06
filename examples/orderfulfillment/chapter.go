package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
)

// orderMachine is the machine of the orders; the others are those of their child runs.
var orderMachine = OrderFulfillmentState("").MachineName()

// chapter is a few minutes of the story's time in which everyone works.
// Between two of them nothing runs: the database is all there is.
type chapter struct {
	*story
	clock  storyClock
	engine *runtime.Engine
	runs   OrderFulfillmentRuns
	month  bool
}

// chapter lets everyone work, from a time after the beginning of the story on,
// for as long as what goes on. This process takes the events and delivers the
// messages, the crew does the activities.
func (s *story) chapter(ctx context.Context, after time.Duration, what func(context.Context, *chapter) error) error {
	c := &chapter{story: s, clock: storyClock{origin: time.Now(), start: s.begin.Add(after)}}
	who := &people{world: s.world, fates: s.byID}
	c.engine = runtime.NewEngine(s.store, runtime.WithClock(c.clock), runtime.WithWorker("office"),
		runtime.WithLease(lease), runtime.WithPoll(poll), runtime.WithOutbox(who.deliver))
	who.engine, c.runs = c.engine, OrderFulfillmentRuns{Engine: c.engine}
	// Without activities: this engine starts, sends, fires timers and delivers.
	if err := RegisterOrderFulfillment(c.engine, nil); err != nil {
		return err
	}

	crew := &program.Crew{
		Size: 3, Least: 80 * time.Millisecond, Spread: 240 * time.Millisecond, Random: rand.New(rand.NewPCG(s.seed, uint64(after))),
		Args: []string{"-worker", "-dir", s.dir, "-outside", s.world.URL, "-clock", c.clock.String()},
	}
	working, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	var ran, crewed error
	group.Go(func() { ran = c.engine.Run(working) })
	group.Go(func() {
		crewed = crew.Work(working)
		crew.Home()
	})
	err := what(ctx, c)
	stop()
	group.Wait()
	s.kills += crew.Kills
	return errors.Join(err, ran, crewed)
}

// pairs is how many pairs of agents share the orders out among them.
const pairs = 8

// work lets agents advance orders until nothing moves any more, no message is
// on its way, and nobody's answer has changed that.
func (c *chapter) work(ctx context.Context, orders []fate) error {
	for before := int64(-1); ; {
		if err := c.timers(ctx); err != nil {
			return err
		}
		if err := c.push(ctx, orders); err != nil {
			return err
		}
		if err := c.engine.WaitDelivered(ctx); err != nil {
			return err
		}
		now, err := c.steps(ctx)
		if err != nil || now == before {
			return err
		}
		before = now
	}
}

// timers waits until what has fallen due between the chapters has fired.
func (c *chapter) timers(ctx context.Context) error {
	for {
		due, err := c.store.Due(ctx, c.clock.Now(), 1)
		if len(due) == 0 || err != nil {
			return err
		}
		if err := program.Sleep(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// push lets the agents sweep until nothing moves.
func (c *chapter) push(ctx context.Context, orders []fate) error {
	var (
		group sync.WaitGroup
		mu    sync.Mutex
		errs  error
	)
	size := (len(orders) + pairs - 1) / pairs
	for chunk := range slices.Chunk(orders, size) {
		for _, a := range []*agent{{name: "ada"}, {name: "bob", customer: true}} {
			a.runs, a.month, a.told = c.runs, c.month, map[string]bool{}
			group.Go(func() {
				err := a.until(ctx, chunk)
				mu.Lock()
				defer mu.Unlock()
				errs = errors.Join(errs, err)
				c.races.add(a.races)
			})
		}
	}
	group.Wait()
	return errs
}

// until sweeps until nothing moves.
func (a *agent) until(ctx context.Context, orders []fate) error {
	for {
		moving, err := a.sweep(ctx, orders)
		if !moving || err != nil {
			return err
		}
		if err := program.Sleep(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// steps is how many steps all orders have taken.
func (c *chapter) steps(ctx context.Context) (n int64, err error) {
	rows, err := c.engine.List(ctx, runtime.RunFilter{Machine: orderMachine, Limit: c.orders})
	for i := range rows {
		n += rows[i].Seq
	}
	return n, err
}

// need gives the orders that stand in a state.
func (c *chapter) need(ctx context.Context, state OrderFulfillmentState) ([]string, error) {
	rows, err := c.engine.List(ctx, runtime.RunFilter{Machine: orderMachine, State: string(state), Limit: c.orders})
	var ids []string
	for i := range rows {
		ids = append(ids, rows[i].Run)
	}
	slices.Sort(ids)
	return ids, err
}

// start starts all orders.
func (c *chapter) start(ctx context.Context, orders []fate) error {
	for _, f := range orders {
		p := OrderFulfillmentParams{Order: f.id, Amount: f.amount, Customer: "customer-of-" + f.id}
		if _, err := c.runs.Start(ctx, f.id, p); err != nil {
			return fmt.Errorf("starting %q: %w", f.id, err)
		}
	}
	return nil
}
