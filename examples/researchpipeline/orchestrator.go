package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// runID is the pipeline that the walkthrough is about.
const runID = "research-180141"

// lease is how long a dead orchestrator's activities stay its own. Services
// choose longer ones; here nobody should wait.
const lease = 600 * time.Millisecond

// orchestrator is the process that is killed at every point, once at each.
type orchestrator struct{ dir, topic string }

// run starts the pipeline, or goes on with it where the last one died, until it
// has ended or waits for a person.
func (o *orchestrator) run(ctx context.Context) error {
	store, err := sqlite.Open(ctx, database(o.dir))
	if err != nil {
		return err
	}
	defer store.Close()
	fate, err := newFate(deathsFile(o.dir))
	if err != nil {
		return err
	}
	engine := runtime.NewEngine(store, runtime.WithLease(lease), runtime.WithPoll(50*time.Millisecond),
		runtime.WithWorker(fmt.Sprintf("orchestrator-%d", len(fate.met)+1)),
		runtime.WithLostLimit(1000), // it dies more often than the five times of a calm life
		runtime.WithObserver(fate), runtime.WithOutbox(fate.tell(o.dir)))
	if err := RegisterResearchPipeline(engine, &crew{dir: o.dir, die: fate.die}); err != nil {
		return err
	}
	params := ResearchPipelineParams{Topic: o.topic, Perspectives: perspectives}
	if _, err := (ResearchPipelineRuns{Engine: engine}).Start(ctx, runID, params); err != nil && !errors.Is(err, runtime.ErrExists) {
		return err
	}
	_, err = engine.RunUntilIdle(ctx, runID)
	return err
}

// fate kills the process at every point that it meets for the first time. Which
// those are it remembers in a file.
type fate struct {
	path string
	mu   sync.Mutex
	met  []string
}

func newFate(path string) (*fate, error) {
	met, err := readLines(path)
	return &fate{path: path, met: met}, err
}

// die kills this process with SIGKILL, the first time that it comes here.
func (f *fate) die(point string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.Contains(f.met, point) {
		return
	}
	err := appendLine(f.path, point)
	self, found := os.FindProcess(os.Getpid())
	if err = errors.Join(err, found); err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(fmt.Sprintf("could not die %s: %v", point, err))
	}
	select {} // until the signal arrives
}

// OnStep dies behind each step, as soon as it is durable.
func (f *fate) OnStep(s runtime.StepInfo) { f.die(fmt.Sprintf("the step %s is taken", s.Input)) }

// OnAttempt has nothing to add: what an attempt leads to is a step.
func (f *fate) OnAttempt(runtime.AttemptInfo) {}

// tell writes to the user, and dies before anyone knows that it has.
func (f *fate) tell(dir string) runtime.OutboxFunc {
	return func(_ context.Context, m *runtime.Message) error {
		if err := appendLine(userFile(dir), fmt.Sprintf("%s %s %s", m.ID, m.Event, m.Data)); err != nil {
			return err
		}
		parts := strings.Split(m.ID, "/") // the run, the step, which of its messages
		step := parts[len(parts)-2]
		f.die(fmt.Sprintf("the user is told %s (of step %s), and no one knows", m.Event, step))
		return nil
	}
}
