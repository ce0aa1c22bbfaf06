package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/examples/orderfulfillment/outside"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// story is the example as a person sees it, over 31 days.
type story struct {
	orders    int
	seed      uint64
	dir       string
	forgetful bool

	store *sqlite.Store
	world *outside.World
	all   []fate
	byID  map[string]fate
	begin time.Time
	races races
	kills int
}

const day = 24 * time.Hour

// patience is how long the program may take before it gives up.
const patience = 5 * time.Minute

func (s *story) run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.prepare(ctx); err != nil {
		return err
	}
	defer s.store.Close()
	defer s.world.Close()
	for _, c := range []struct {
		after time.Duration
		title string
		what  func(context.Context, *chapter) error
	}{
		{0, "1. Two agents race on one order.", s.race},
		{time.Minute, fmt.Sprintf("2. %d orders, two agents on each, workers killed with SIGKILL.", s.orders), s.rush},
		{3 * time.Hour, "3. Three hours later: who is stuck? The packing line is repaired, vans come again, and support resumes them.", s.repair},
		{5 * time.Hour, "4. Managers are reminded, and the next day what none has approved runs out.", s.wait},
		{26 * time.Hour, "", s.wait},
		{29 * day, "5. A month later things are sent back, and what was kept is closed.", s.sendBack},
		{31 * day, "", s.wait},
	} {
		if c.title != "" {
			fmt.Printf("\n%s\n", c.title)
		}
		if err := s.chapter(ctx, c.after, c.what); err != nil {
			return err
		}
	}
	fmt.Println("\n6. What happened, from the provider's book and the database.")
	return s.account(ctx)
}

// prepare makes the folder, the database and the world.
func (s *story) prepare(ctx context.Context) (err error) {
	if s.orders < 1 {
		return errors.New("there must be an order")
	}
	if s.dir, err = program.Folder(s.dir, "orderfulfillment", database(s.dir), "earlier orders"); err != nil {
		return err
	}
	s.all, s.byID = fates(s.orders, s.seed), map[string]fate{}
	for _, f := range s.all {
		s.byID[f.id] = f
	}
	// The story ends now, so that what the command line says of the database
	// afterwards is true.
	s.begin = time.Now().Add(-31*day - patience)
	if s.store, err = sqlite.Open(ctx, database(s.dir)); err != nil {
		return err
	}
	s.world, err = outside.Start(outside.Config{Seed: s.seed, Stock: stock(s.all), Forgetful: s.forgetful})
	return err
}

// race lets two agents do the same thing to the first order at once.
func (s *story) race(ctx context.Context, c *chapter) error {
	first := s.all[:1]
	if err := c.start(ctx, first); err != nil {
		return err
	}
	id := first[0].id
	if _, err := c.runs.Send(ctx, id, OrderFulfillmentReserveInventory{}, runtime.WithActor("ada")); err != nil {
		return err
	}
	run, err := c.runs.Engine.Wait(ctx, id)
	if err != nil {
		return err
	}
	return race(ctx, c.runs, id, run.Seq)
}

// rush is the day on which all orders come in.
func (s *story) rush(ctx context.Context, c *chapter) error {
	if err := c.start(ctx, s.all[1:]); err != nil {
		return err
	}
	return s.wait(ctx, c)
}

// repair shows what is stuck, and has people do something about it.
func (s *story) repair(ctx context.Context, c *chapter) error {
	if err := s.health(ctx, c); err != nil {
		return err
	}
	s.world.Repair()
	stuck, err := c.need(ctx, OrderFulfillmentStateNeedsAttention)
	if err != nil {
		return err
	}
	for _, id := range stuck {
		if _, err := c.runs.Send(ctx, id, OrderFulfillmentResume{}, runtime.WithActor("support"), runtime.WithReason("the packing line is repaired, and vans come again")); err != nil {
			return err
		}
	}
	fmt.Printf("  support resumes %d orders where they got stuck\n", len(stuck))
	return s.wait(ctx, c)
}

// wait lets time pass: timers fire, and agents do what has become possible.
func (s *story) wait(ctx context.Context, c *chapter) error {
	if err := c.work(ctx, s.all); err != nil {
		return err
	}
	return s.states(ctx, c)
}

// sendBack is when customers return things.
func (s *story) sendBack(ctx context.Context, c *chapter) error {
	c.month = true
	return s.wait(ctx, c)
}
