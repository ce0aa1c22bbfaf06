package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/examples/internal/transcript"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

func TestMain(m *testing.M) { transcript.Main(m, main) }

// TestKilledEverywhere runs the whole example: an orchestrator that is killed at
// every point, and two processes that race. What is left is then read with eyes
// of its own.
func TestKilledEverywhere(t *testing.T) {
	t.Parallel() // it mostly waits
	dir := t.TempDir()
	out := transcript.Run(t, "-dir", dir, "-pairs", "20")
	transcript.Check(t, "README.md", "go run ./examples/researchpipeline", out)

	deaths, err := readLines(deathsFile(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, point := range []string{ // a step may hide behind what follows it at once
		"the step start is taken", "researcher-1 begins", "researcher-1 is half done", "researcher-2 is half done",
		"researcher-1 has written its report, and not said so", "researcher-2 has written its report, and not said so",
		"the summary begins", "the synthesizer begins", "the synthesizer has written the result, and not said so",
		"the delivery begins", "the result is delivered, and no one knows",
		"the archive begins", "the folder is archived, and no one knows",
	} {
		if !slices.Contains(deaths, point) {
			t.Errorf("no orchestrator died where %s", point)
		}
	}
	for i, point := range deaths {
		if slices.Contains(deaths[:i], point) {
			t.Errorf("two died where %s", point)
		}
	}
	store, err := sqlite.Open(t.Context(), database(dir), sqlite.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	steps, err := runtime.NewEngine(store).History(t.Context(), runID, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]int{}
	for _, s := range steps {
		met[s.Input]++
	}
	for _, input := range []string{"r[0].ReportWritten", "r[1].ReportWritten", "r[2].failed(unknown)", "Summarized", "Continue", "ResultWritten"} {
		if met[input] != 1 {
			t.Errorf("%s was taken %d times", input, met[input])
		}
	}
}

// TestNoUpdateIsLost lets the two researchers of many pipelines end in the same
// instant, all at once, in two engines over one database.
func TestNoUpdateIsLost(t *testing.T) {
	t.Parallel()
	const pairs = 60
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 2)
	var engines []*runtime.Engine
	for range 2 {
		store, err := sqlite.Open(ctx, database(dir), sqlite.Relaxed())
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		engine := runtime.NewEngine(store, runtime.WithConcurrency(pairs))
		if err := RegisterResearchPipeline(engine, &sprinters{crew{dir: dir, die: func(string) {}}}); err != nil {
			t.Fatal(err)
		}
		engines = append(engines, engine)
		go func() { ended <- engine.Run(ctx) }()
	}
	runs := ResearchPipelineRuns{Engine: engines[0]}
	var ids []string
	for range pairs {
		run, err := runs.Start(ctx, "", ResearchPipelineParams{Topic: "a race", Perspectives: perspectives[:2]})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, run.Run)
	}
	var f finish
	for _, id := range ids {
		if _, err := engines[0].Wait(ctx, id); err != nil {
			t.Fatal(err)
		}
		run, err := runs.Get(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := engines[0].History(ctx, id, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		f.add(run, steps)
	}
	if f.both != pairs || f.completed != pairs {
		t.Errorf("of %d pipelines %d have both results and %d are complete", pairs, f.both, f.completed)
	}
	stop()
	for range engines {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestStatusFileLosesUpdates has the article's status file lose one, each time.
func TestStatusFileLosesUpdates(t *testing.T) {
	for range 20 {
		if stalled, err := stalls(t.TempDir()); err != nil || !stalled {
			t.Fatalf("stalled: %t, %v", stalled, err)
		}
	}
}

// TestWriteOnce: the first report stays.
func TestWriteOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "phase", "report.md")
	if err := writeOnce(path, "first"); err != nil {
		t.Fatal(err)
	}
	if err := writeOnce(path, "second"); err == nil {
		t.Error("the report was overwritten without an error")
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "first" {
		t.Errorf("%q, %v", text, err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("%d files, %v", len(left), err)
	}
}

// TestRefusesAnOldFolder keeps an earlier pipeline from being mixed up with a new one.
func TestRefusesAnOldFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(database(dir), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (&show{dir: dir}).run(t.Context()); err == nil || !strings.Contains(err.Error(), "holds an earlier pipeline") {
		t.Errorf("%v", err)
	}
}
