//go:build cgo

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/storetest"
)

const fedRuns, fedSteps = 4, 30

// feedAll takes steps of new runs, all at the same time.
func feedAll(s *Store, prefix string) error {
	errs := make([]error, fedRuns)
	var wait sync.WaitGroup
	for i := range fedRuns {
		wait.Go(func() {
			c := firstStep(fmt.Sprintf("%s %d", prefix, i))
			for n := 0; n < fedSteps && errs[i] == nil; n++ {
				errs[i] = s.Commit(context.Background(), c)
				c = nextStep(c.Run)
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// TestFeedOfProcesses: who reads while two other processes write is given each step once.
func TestFeedOfProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	putDefinition(t, openAt(t, path))
	s := openAt(t, path, ReadOnly())
	before, err := s.Changed(t.Context())
	must(t, err)
	storetest.Follow(t, s, 2*fedRuns, fedSteps, func() {
		var children []*exec.Cmd
		for _, role := range []string{"feed one", "feed two"} {
			cmd, _ := startChild(t, role, path)
			children = append(children, cmd)
		}
		for _, cmd := range children {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		}
	})
	if after, err := s.Changed(t.Context()); err != nil || after == before {
		t.Errorf("%d before and %d after: %v", before, after, err)
	}
}

// TestChanged: the number stays while nobody writes, and is another one for this process and
// for others when someone has.
func TestChanged(t *testing.T) {
	path := made(t)
	s, other := openAt(t, path), openAt(t, path)
	look := func() (numbers [2]int64) {
		for i, of := range []*Store{s, other} {
			var err error
			if numbers[i], err = of.Changed(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		return numbers
	}
	before := look()
	must(t, errOf(s.Feed(t.Context(), 0, 0)))
	if after := look(); after != before {
		t.Errorf("%v and then %v, with nothing written", before, after)
	}
	commit(t, s, nextStep(load(t, s, "r")))
	if after := look(); after[0] == before[0] || after[1] == before[1] {
		t.Errorf("%v and then %v, with a step between", before, after)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Changed(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is done: %v", err)
	}
}

// TestFeedPlan: the feed is read from its position on, and its end is found, in the order
// in which the table is kept.
func TestFeedPlan(t *testing.T) {
	s := openAt(t, made(t))
	for text, want := range map[string][]string{
		selectFeed:   {"SEARCH history USING INTEGER PRIMARY KEY (rowid>?)", "SEARCH runs USING INDEX sqlite_autoindex_runs_1 (run=?)"},
		selectNewest: {"SCAN CONSTANT ROW", "SCALAR SUBQUERY 1", "SEARCH history", "SCALAR SUBQUERY 2", "SCAN counted"},
	} {
		if steps := plan(t, s, text); !slices.Equal(steps, want) {
			t.Errorf("%s: %s", text, strings.Join(steps, "; "))
		}
	}
}
