package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// show is the example as a person sees it.
type show struct {
	dir      string
	sessions int
	seed     uint64

	store runtime.Store
	mail  mailbox
	all   []*session
	until time.Time // when the three days are over
}

// Sessions are opened during opening, and looked at when days are over.
const (
	days    = 75 * time.Hour
	opening = 72 * time.Hour
)

func (s *show) run(ctx context.Context) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	defer s.store.Close()
	program.Say(fmt.Sprintf("1. %d sessions in %.0f hours, each on a clock of its own.", s.sessions, days.Hours()))
	began := time.Now()
	if err := s.play(ctx); err != nil {
		return err
	}
	mail := s.mail.counts()
	fmt.Printf("  they took %.1f s; people were asked %d times, nudged %d times, told of an error %d times, and got %d documents\n",
		time.Since(began).Seconds(), mail["FeedbackWanted"], mail["Nudge"], mail["SessionFailed"], mail["DocumentWritten"])
	engine := runtime.NewEngine(s.store)
	program.Say("2. Where they stand, and how long they were in each state.")
	if err := s.distribution(ctx, engine); err != nil {
		return err
	}
	program.Say("3. Two sessions are damaged, and repaired.")
	if err := s.repairs(ctx); err != nil {
		return err
	}
	program.Say("4. What was promised.")
	return s.promises(ctx, engine)
}

func (s *show) database() string { return filepath.Join(s.dir, "runs.db") }

// open makes the folder and the database. A folder that has one is refused.
func (s *show) open(ctx context.Context) (err error) {
	s.until = time.Now().Truncate(time.Second)
	if s.dir, err = program.Folder(s.dir, "documentagent", s.database(), "earlier sessions"); err != nil {
		return err
	}
	s.store, err = sqlite.Open(ctx, s.database(), sqlite.Relaxed()) // what a power cut takes can be played again
	return err
}

// abreast is how many sessions are played at a time: they share the syncs of
// the disk.
const abreast = 32

// play plays all sessions, each from its own random numbers.
func (s *show) play(ctx context.Context) error {
	var (
		group  sync.WaitGroup
		slots  = make(chan struct{}, abreast)
		failed = make(chan error, s.sessions)
	)
	for i := range s.sessions {
		random := rand.New(rand.NewPCG(s.seed, uint64(i)))
		opened := s.until.Add(-days + time.Duration(random.Int64N(int64(opening))))
		one, err := newSession(s.store, &s.mail, fmt.Sprintf("session-%03d", i+1), random, opened, s.until)
		if err != nil {
			return err
		}
		s.all = append(s.all, one)
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			failed <- one.play(ctx)
		})
	}
	group.Wait()
	close(failed)
	for err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}
