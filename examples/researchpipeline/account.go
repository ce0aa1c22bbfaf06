package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// account prints the history and holds what is left against what was promised.
func (s *show) account(ctx context.Context) error {
	store, err := sqlite.Open(ctx, database(s.dir), sqlite.ReadOnly())
	if err != nil {
		return err
	}
	defer store.Close()
	engine := runtime.NewEngine(store)
	if err := history(ctx, engine); err != nil {
		return err
	}
	run, err := ResearchPipelineRuns{Engine: engine}.Get(ctx, runID)
	if err != nil {
		return err
	}
	r, err := s.remains()
	if err != nil {
		return err
	}
	fmt.Println()
	broken := program.Keep(os.Stdout, []program.Promise{
		{Kept: run.State == ResearchPipelineStateCompleted, Text: fmt.Sprintf("killed %d times, the run ended in %s", r.deaths, run.State)},
		{Kept: len(r.work) == 2*parts+1 && repeated(r.work) <= r.deaths,
			Text: fmt.Sprintf("%d pieces of work were done, %d of them a second time: a report half written goes on where it was", len(r.work), repeated(r.work))},
		{Kept: r.archived == 3, Text: fmt.Sprintf("%d files were written, none of them twice: each phase's is as it was first", r.archived)},
		{Kept: whole(r.result) && len(run.Data.Missing) == 1, Text: "the result has all that two researchers found, and what the person said; the third failed, once"},
		{Kept: r.delivered == 1, Text: fmt.Sprintf("the result was delivered %d time", r.delivered)},
		{Kept: len(r.told) == 5, Text: fmt.Sprintf("the user was told %d things, %d times: the id tells them apart", len(r.told), len(r.told)+repeated(r.told))},
		{Kept: engine.Replay(ctx, runID) == nil, Text: "the history replays to what is stored, bit for bit"},
	})
	fmt.Printf("\nTwo files to debug it: examples/researchpipeline/researchpipeline.fsm and %s\n", database(s.dir))
	for _, command := range []string{"show", "history"} {
		fmt.Printf("Look at it: go run ./cmd/fsmc %s --db %s %s\n", command, database(s.dir), runID)
	}
	return broken
}

// remains is what all those orchestrators have left behind, but for the database.
type remains struct {
	deaths    int
	work      map[string]int // how often each piece of work was done
	told      map[string]int // how often the user was told each thing, by the messages' ids
	archived  int            // files
	delivered int            // results
	result    string         // the one that was delivered
}

func (s *show) remains() (r remains, err error) {
	deaths, err := readLines(deathsFile(s.dir))
	if err != nil {
		return r, err
	}
	r.deaths = len(deaths)
	if r.work, err = counts(callsFile(s.dir), ""); err != nil {
		return r, err
	}
	if r.told, err = counts(userFile(s.dir), " "); err != nil {
		return r, err
	}
	archived, err := filepath.Glob(filepath.Join(s.dir, "archive", runID, "*.md")) // a kill may leave a draft
	if err != nil {
		return r, err
	}
	r.archived = len(archived)
	delivered, err := filepath.Glob(filepath.Join(s.dir, "delivered", "*.md"))
	if err != nil || len(delivered) == 0 {
		return r, err
	}
	r.delivered = len(delivered)
	text, err := os.ReadFile(delivered[0])
	r.result = string(text)
	return r, err
}

// history prints every step of the run.
func history(ctx context.Context, engine *runtime.Engine) error {
	steps, err := engine.History(ctx, runID, 0, 1000)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  #\tFROM\tINPUT\tTO\tATTEMPT")
	for _, step := range steps {
		attempt := ""
		if step.Attempt > 0 {
			attempt = fmt.Sprintf("%d of %s, by %s", step.Attempt, step.Activity, step.Worker)
		}
		fmt.Fprintf(t, "  %d\t%s\t%s\t%s\t%s\n", step.Seq, step.From, step.Input, step.To, attempt)
	}
	return t.Flush()
}

// counts is how often each line stands in a file, up to a separator.
func counts(path, separator string) (map[string]int, error) {
	lines, err := readLines(path)
	n := map[string]int{}
	for _, line := range lines {
		if separator != "" {
			line, _, _ = strings.Cut(line, separator)
		}
		n[line]++
	}
	return n, err
}

func repeated(n map[string]int) (again int) {
	for _, times := range n {
		again += times - 1
	}
	return again
}

// whole reports whether the result has every source of two researchers once.
func whole(result string) bool {
	for i := range parts {
		if strings.Count(result, fmt.Sprintf("source %d of %d", i+1, parts)) != 2 {
			return false
		}
	}
	return strings.Contains(result, guidance)
}
