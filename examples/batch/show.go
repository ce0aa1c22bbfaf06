package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
)

// What a document begins with that cannot be read, for now or ever.
const (
	busy = "busy"
	torn = "torn"
)

// shelf is how many documents stand on one.
const shelf = 50

// show is the example as a person sees it.
type show struct {
	dir                     string
	documents, kills, after int
	killed                  int
	took                    time.Duration
}

func (s *show) run(ctx context.Context) error {
	if s.documents < 1 || s.documents > 20*shelf {
		return errors.New("-documents is from 1 to 1,000")
	}
	shelves, err := s.prepare()
	if err != nil {
		return err
	}
	fmt.Printf("\n1. What is proved before anything runs.\n")
	fmt.Printf("  a batch of 1,000 documents costs at most %v usd, and ends within %s\n", BatchMaxCostUsd, time.Duration(BatchMaxTime).Round(time.Minute))
	fmt.Printf("  it starts at most %d runs of Shelf, each of them at most %d runs of Document\n", BatchMaxAttemptsShelf, ShelfMaxAttemptsDocument)
	fmt.Printf("  a document is tried at most %d times, and named at most %d times\n", DocumentMaxAttemptsExtract, DocumentMaxAttemptsName)

	fmt.Printf("\n2. %d documents, and workers that are killed with SIGKILL again and again.\n", s.documents)
	began := time.Now()
	if err := s.start(ctx, shelves); err != nil {
		return err
	}
	for done := false; !done; {
		if done, err = s.oneWorker(ctx); err != nil {
			return err
		}
	}
	s.took = time.Since(began)

	fmt.Printf("\n3. What has become of them.\n")
	return s.account(ctx)
}

// prepare writes the documents, and gives their names by shelf. Of six, one is torn, and one
// is behind a scanner that never answers.
func (s *show) prepare() (shelves [][]string, err error) {
	if s.dir, err = program.Folder(s.dir, "batch", database(s.dir), "an earlier batch"); err != nil {
		return nil, err
	}
	for i := range s.documents {
		if i%shelf == 0 {
			shelves = append(shelves, nil)
		}
		name := fmt.Sprintf("document-%04d.txt", i)
		text := fmt.Sprintf("a text about subject %d\n", i)
		switch i % 6 {
		case 2:
			text = torn + " " + text
		case 5:
			text = busy + " " + text
		}
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
		shelves[len(shelves)-1] = append(shelves[len(shelves)-1], name)
	}
	return shelves, nil
}

// start starts the batch; its workers are other processes.
func (s *show) start(ctx context.Context, shelves [][]string) error {
	return s.look(ctx, func(engine *runtime.Engine) error {
		_, err := BatchRuns{Engine: engine}.Start(ctx, runID, BatchParams{Shelves: shelves})
		return err
	})
}

// oneWorker lets a worker live until it is killed or the batch has ended.
func (s *show) oneWorker(ctx context.Context) (done bool, err error) {
	cmd := program.Again(ctx, "-worker", "-dir", s.dir)
	attempts, err := cmd.StdoutPipe() // a line for each
	if err != nil {
		return false, err
	}
	if err := cmd.Start(); err != nil {
		return false, err
	}
	kill := false
	for n, lines := 0, bufio.NewScanner(attempts); lines.Scan(); n++ {
		if kill = n == s.after && s.killed < s.kills; !kill {
			continue
		}
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return false, err
		}
		break
	}
	if err := cmd.Wait(); err == nil || !kill {
		return true, err
	}
	s.killed++
	return false, s.progress(ctx)
}
