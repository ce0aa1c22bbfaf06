package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// look opens the database for f.
func (s *show) look(ctx context.Context, f func(engine *runtime.Engine) error) error {
	store, err := sqlite.Open(ctx, database(s.dir))
	if err != nil {
		return err
	}
	defer store.Close()
	engine := runtime.NewEngine(store)
	if err := RegisterBatch(engine); err != nil {
		return err
	}
	return f(engine)
}

// progress prints how far the batch had got when a worker was killed.
func (s *show) progress(ctx context.Context) error {
	return s.look(ctx, func(engine *runtime.Engine) error {
		views, err := engine.List(ctx, runtime.RunFilter{Machine: "Document"})
		if err != nil {
			return err
		}
		ended := 0
		for _, v := range views {
			if v.Status == runtime.Finished {
				ended++
			}
		}
		fmt.Printf("  killed: %d runs of Document have begun, %d of them have ended\n", len(views), ended)
		return nil
	})
}

// account holds what is left against what was promised.
func (s *show) account(ctx context.Context) error {
	return s.look(ctx, func(engine *runtime.Engine) error {
		batch, err := BatchRuns{Engine: engine}.Get(ctx, runID)
		if err != nil {
			return err
		}
		result, err := runtime.ResultOf[BatchDoneResult](batch)
		if err != nil {
			return err
		}
		views, err := engine.List(ctx, runtime.RunFilter{})
		if err != nil {
			return err
		}
		runs, ended := map[string]int{}, true
		for _, v := range views {
			runs[v.Machine]++
			ended = ended && v.Status == runtime.Finished
		}
		times, lists := s.lists(result)
		once := len(times) == s.documents
		for _, n := range times {
			once = once && n == 1
		}
		billed, err := s.billed()
		if err != nil {
			return err
		}
		used, err := strconv.ParseFloat(batch.Costs[0].Spent, 64) // by all runs of the tree
		if err != nil {
			return err
		}
		shelves := (s.documents + shelf - 1) / shelf
		fmt.Printf("  %s\n", lists)
		fmt.Printf("  it took %.0f s, and %d workers were killed\n\n", s.took.Seconds(), s.killed)
		err = program.Keep(os.Stdout, []program.Promise{
			{Kept: once, Text: fmt.Sprintf("each of %d documents stands in exactly one of the three lists", s.documents)},
			{Kept: len(result.Read) == shelves && s.sorted(result), Text: "the third that cannot be read is where it belongs"},
			{Kept: runs["Shelf"] == shelves && runs["Document"] == s.documents, Text: fmt.Sprintf("%d runs of Shelf and %d of Document: none twice, none lost", runs["Shelf"], runs["Document"])},
			{Kept: ended, Text: "no run is left behind"},
			{Kept: used > 0 && used <= BatchMaxCostUsd, Text: fmt.Sprintf("%.3f usd were used, of %v that were proved to be the most", used, BatchMaxCostUsd)},
			{Kept: billed >= s.documents, Text: fmt.Sprintf("%d attempts were billed, those of killed workers among them", billed)},
		})
		fmt.Printf("\nLook at it: go run ./cmd/fsmc history --tree --db %s %s\n", database(s.dir), runID)
		return err
	})
}

// lists counts how often each document stands in a list.
func (s *show) lists(r BatchDoneResult) (times map[string]int, text string) {
	times = map[string]int{}
	var lengths []int
	for _, list := range [][][]string{r.Read, r.Unreadable, r.GivenUp} {
		n := 0
		for _, shelf := range list {
			for _, name := range shelf {
				times[name]++
				n++
			}
		}
		lengths = append(lengths, n)
	}
	return times, fmt.Sprintf("%d were read, %d are unreadable, %d were given up", lengths[0], lengths[1], lengths[2])
}

// sorted reports whether what was read is what can be read, and what is unreadable is torn.
func (s *show) sorted(r BatchDoneResult) bool {
	ok := true
	holds := func(lists [][]string, rest ...int) {
		for _, list := range lists {
			for _, name := range list {
				var i int
				_, err := fmt.Sscanf(name, "document-%d.txt", &i)
				ok = ok && err == nil && slices.Contains(rest, i%6)
			}
		}
	}
	holds(r.Read, 0, 1, 3, 4)
	holds(r.Unreadable, 2)
	holds(r.GivenUp, 5)
	return ok
}

// billed is how many attempts have begun, by what they wrote down.
func (s *show) billed() (int, error) {
	bills, err := filepath.Glob(filepath.Join(s.dir, "*.bill"))
	n := 0
	for _, bill := range bills {
		text, err := os.ReadFile(bill)
		if err != nil {
			return 0, err
		}
		n += strings.Count(string(text), "\n")
	}
	return n, err
}
