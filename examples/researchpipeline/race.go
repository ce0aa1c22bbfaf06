package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// racer is a process that works on all pipelines of the race.
type racer struct{ dir string }

func (r *racer) run(ctx context.Context) error {
	store, err := sqlite.Open(ctx, database(r.dir))
	if err != nil {
		return err
	}
	defer store.Close()
	engine := runtime.NewEngine(store, runtime.WithPoll(10*time.Millisecond),
		runtime.WithConcurrency(1)) // so that the two of a pair are in different processes
	if err := RegisterResearchPipeline(engine, &sprinters{crew{dir: r.dir, die: func(string) {}}}); err != nil {
		return err
	}
	return engine.Run(ctx)
}

// sprinters are workers whose two researchers end in the same instant.
type sprinters struct{ crew }

// patience bounds the wait for the other researcher, which might not have begun.
const patience = 5 * time.Second

// Research writes its report and says so when the other report is there too.
func (s *sprinters) Research(ctx context.Context, attempt *runtime.Attempt, _, _, _, output string) (ResearchPipelineReportWritten, error) {
	folder := workFolder(s.dir, attempt.Run)
	if path := filepath.Join(folder, output); !exists(path) {
		if err := publish(path, "a report\n"); err != nil {
			return ResearchPipelineReportWritten{}, err
		}
	}
	other := filepath.Join(folder, "researcher-1.md")
	if output == "researcher-1.md" {
		other = filepath.Join(folder, "researcher-2.md")
	}
	for end := time.Now().Add(patience); !exists(other) && time.Now().Before(end); {
		if err := program.Sleep(ctx, 200*time.Microsecond); err != nil {
			return ResearchPipelineReportWritten{}, err
		}
	}
	return ResearchPipelineReportWritten{Path: output}, nil
}

// racers is how many processes take part.
const racers = 2

// race starts pairs pipelines and lets two processes work on them until all
// have ended, and gives what the database says of them.
func race(ctx context.Context, dir string, pairs int) (finish, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return finish{}, err
	}
	store, err := sqlite.Open(ctx, database(dir))
	if err != nil {
		return finish{}, err
	}
	defer store.Close()
	engine := runtime.NewEngine(store, runtime.WithPoll(50*time.Millisecond))
	if err := RegisterResearchPipeline(engine, nil); err != nil { // it starts pipelines, and does none
		return finish{}, err
	}
	runs := ResearchPipelineRuns{Engine: engine}
	for i := range pairs {
		if _, err := runs.Start(ctx, fmt.Sprintf("race-%03d", i), ResearchPipelineParams{Topic: "a race", Perspectives: perspectives[:2]}); err != nil {
			return finish{}, err
		}
	}
	stop, err := startRacers(ctx, dir)
	if err != nil {
		return finish{}, err
	}
	var f finish
	for i := range pairs {
		id := fmt.Sprintf("race-%03d", i)
		if _, err := engine.Wait(ctx, id); err != nil {
			return f, errors.Join(err, stop())
		}
		run, err := runs.Get(ctx, id)
		if err != nil {
			return f, errors.Join(err, stop())
		}
		steps, err := engine.History(ctx, id, 0, 1000)
		if err != nil {
			return f, errors.Join(err, stop())
		}
		f.add(run, steps)
	}
	return f, stop()
}

// startRacers starts the processes, and gives what ends them.
func startRacers(ctx context.Context, dir string) (stop func() error, err error) {
	var processes []*exec.Cmd
	stop = func() error {
		var all error
		for _, cmd := range processes {
			all = errors.Join(all, cmd.Process.Kill())
			_ = cmd.Wait() // it says "signal: killed"
		}
		return all
	}
	for range racers {
		cmd := program.Again(ctx, "-work", "race", "-dir", dir)
		if err := cmd.Start(); err != nil {
			return nil, errors.Join(err, stop())
		}
		processes = append(processes, cmd)
	}
	return stop, nil
}

// finish is how the race ended.
type finish struct {
	pipelines, both, completed int
	apart                      []time.Duration // between the results of a pair
	processes                  int             // pairs whose results came from different processes
}

// add looks at one pipeline: two results, both in the data, and `done` once.
func (f *finish) add(run ResearchPipelineRun, steps []runtime.StepView) {
	f.pipelines++
	var results []runtime.StepView
	joined := 0
	for _, s := range steps {
		switch {
		case strings.HasSuffix(s.Input, ".ReportWritten"):
			results = append(results, s)
		case s.Input == "done" && s.From == "Collecting":
			joined++
		}
	}
	if len(results) == 2 && joined == 1 && len(run.Data.Reports) == 2 {
		f.both++
		f.apart = append(f.apart, results[1].At.Sub(results[0].At))
		if results[0].Worker != results[1].Worker {
			f.processes++
		}
	}
	if run.State == ResearchPipelineStateCompleted {
		f.completed++
	}
}

// median is how far apart half of the pairs were at most.
func (f *finish) median() time.Duration {
	if len(f.apart) == 0 {
		return 0
	}
	slices.Sort(f.apart)
	return f.apart[(len(f.apart)-1)/2]
}
