package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
)

// show is the example as a person sees it.
type show struct {
	dir, topic string
	pairs      int
}

func (s *show) run(ctx context.Context) (err error) {
	if s.dir, err = program.Folder(s.dir, "researchpipeline", database(s.dir), "an earlier pipeline"); err != nil {
		return err
	}
	program.Say("1. Two researchers that end in the same instant.")
	if err := s.race(ctx); err != nil {
		return err
	}
	program.Say("2. One pipeline, whose orchestrator is killed with SIGKILL at every point, once at each.")
	if err := s.walk(ctx); err != nil {
		return err
	}
	program.Say("3. What is left, and what was promised.")
	return s.account(ctx)
}

// race compares a status file that workers share with a run that they do not.
func (s *show) race(ctx context.Context) error {
	lost := 0
	for range s.pairs {
		stalled, err := stalls(s.dir)
		if err != nil {
			return err
		}
		if stalled {
			lost++
		}
	}
	fmt.Printf("  status.json: %d of %d pipelines lost a result, and stand still without an error\n", lost, s.pairs)
	f, err := race(ctx, filepath.Join(s.dir, "race"), s.pairs)
	if err != nil {
		return err
	}
	fmt.Printf("  fsmc:        %d of %d have both results and went on; %d processes took part, in %d of the pairs both,\n"+
		"               and half of the pairs were less than %s apart\n", f.both, f.pipelines, racers, f.processes, f.median())
	if f.both != s.pairs || f.completed != s.pairs {
		return program.ErrWrong
	}
	return nil
}
