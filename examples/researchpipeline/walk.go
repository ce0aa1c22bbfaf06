package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// perspectives has a researcher for each. The last one finds nothing.
var perspectives = []string{"main sources, facts, current state", "alternative views, criticism, edge cases", closed}

// guidance is what the person between the phases says.
const guidance = "weigh criticism as much as facts"

// walk starts orchestrators, one after the other, until one reaches the end.
// Where the pipeline waits for a person, it is the person.
func (s *show) walk(ctx context.Context) error {
	for {
		before, err := readLines(deathsFile(s.dir))
		if err != nil {
			return err
		}
		failed := s.orchestrate(ctx)
		after, err := readLines(deathsFile(s.dir))
		if err != nil {
			return err
		}
		run, err := s.look(ctx)
		switch {
		case errors.Is(err, runtime.ErrNotFound):
			return errors.Join(failed, err)
		case err != nil:
			return err
		case len(after) > len(before):
			fmt.Printf("  killed: %-66s  the run stands in %s\n", after[len(after)-1], run.State)
		case failed != nil:
			return failed // of itself
		case run.State == ResearchPipelineStateAwaitingReview:
			if err := s.review(ctx, run); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// orchestrate runs one orchestrator. Its error says how it died.
func (s *show) orchestrate(ctx context.Context) error {
	cmd := program.Again(ctx, "-work", "walk", "-dir", s.dir, "-topic", s.topic)
	cmd.Stdout = os.Stdout
	return cmd.Run()
}

// look reads the run from the database, without touching it.
func (s *show) look(ctx context.Context) (ResearchPipelineRun, error) {
	store, err := sqlite.Open(ctx, database(s.dir), sqlite.ReadOnly())
	if err != nil {
		return ResearchPipelineRun{}, err
	}
	defer store.Close()
	return ResearchPipelineRuns{Engine: runtime.NewEngine(store)}.Get(ctx, runID)
}

// review is the person who reads the summary and lets the pipeline go on.
func (s *show) review(ctx context.Context, run ResearchPipelineRun) error {
	fmt.Printf("\n  It waits for a person, who may take a week: %q, and nothing of %q\n", run.Data.Summary.Value, run.Data.Missing)
	store, err := sqlite.Open(ctx, database(s.dir))
	if err != nil {
		return err
	}
	defer store.Close()
	runs := ResearchPipelineRuns{Engine: runtime.NewEngine(store)}
	if _, err := runs.Send(ctx, runID, ResearchPipelineContinue{Guidance: guidance}, runtime.WithActor("ada")); err != nil {
		return err
	}
	fmt.Printf("  ada: Continue, %q\n\n", guidance)
	return nil
}
