package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/process"
)

// finder finds what does the work of machines that are met in a database.
type finder struct {
	runner *runner

	mu   sync.Mutex
	said map[string]string // what is wrong with a version, by its hash
}

// find gives what there is, and says what there is not, once.
func (f *finder) find(m *runtime.Machine) runtime.Handlers {
	h, err := f.runner.handlers(m)
	f.mu.Lock()
	defer f.mu.Unlock()
	fault := ""
	if err != nil {
		fault = err.Error()
	}
	if fault != "" && !slices.Contains(slices.Collect(maps.Values(f.said)), fault) {
		fmt.Fprintln(f.runner.err, "fsmc:", fault)
	}
	f.said[m.Hash()] = fault
	return h
}

// maxNamed is how many runs an error names.
const maxNamed = 5

// leftRuns is an error that names the runs, those of views and below them, that wait for what
// has no executable. A run below may have started after the views were asked for.
func leftRuns(ctx context.Context, engine *runtime.Engine, views []runtime.View) error {
	var runs []string
	seen := map[string]bool{}
	for queue := slices.Clone(views); len(queue) > 0; queue = queue[1:] {
		v := &queue[0]
		if v.Status != runtime.Running || v.Paused || seen[v.Run] {
			continue
		}
		seen[v.Run] = true
		missing, err := engine.Unmatched(ctx, v.Definition)
		if err != nil {
			return err
		}
		waits := false
		for _, a := range v.Activities {
			waits = waits || a.Worker == "" && slices.Contains(missing, a.Activity)
			if a.Child == nil || seen[a.Child.Run] {
				continue
			}
			child, err := engine.Get(ctx, a.Child.Run)
			if err != nil {
				return err
			}
			queue = append(queue, child)
		}
		if waits {
			runs = append(runs, v.Run)
		}
	}
	more := ""
	if len(runs) > maxNamed {
		runs, more = runs[:maxNamed], fmt.Sprintf(" and %d more", len(runs)-maxNamed)
	}
	if len(runs) == 0 {
		return nil
	}
	return fmt.Errorf("these runs wait for an activity without an executable: %s%s", strings.Join(runs, ", "), more)
}

// waitForDatabase waits until another process has made the database.
func (r *runner) waitForDatabase(ctx context.Context) error {
	defer r.catchSignals()()
	for said := false; ; said = true {
		info, err := os.Stat(r.db)
		if err == nil && info.Size() > 0 || err != nil && !os.IsNotExist(err) {
			return nil // what is wrong with it is said by who opens it
		}
		if !said {
			fmt.Fprintf(r.err, "fsmc: there is no database %q yet\n", r.db)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// checkActivities refuses a folder that is none before there is anything to do in it.
func (r *runner) checkActivities() error {
	if r.activities == "" {
		return nil
	}
	return process.CheckFolder(r.activities)
}
