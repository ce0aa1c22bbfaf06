package postgres

import (
	"errors"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestJoinedRefuses: what a joined statement refuses writes to no table, alone and beside what it does not refuse.
func TestJoinedRefuses(t *testing.T) {
	s := made(t, pgtest.URL(t, "synchronous_commit=off"), "old", "stale", "swap")
	full := func(c *store.Commit) *store.Commit {
		run := c.Run.Run
		c.EventID = "go"
		c.Set = []store.TimerRow{{Run: run, Name: "after 1h", Due: noon}}
		for _, do := range []string{"x", "y"} {
			c.Start = append(c.Start, store.TaskRow{Run: run, Machine: "M", Definition: "h", Do: do, Activity: "a", Key: run + do, Seq: c.Run.Seq})
		}
		return c
	}
	start := func(run string) *store.Commit {
		c := full(newRun(run))
		c.Run.Tags = map[string]string{"tag": run}
		return c
	}
	move := func(run string) *store.Commit { return full(stepOf(load(t, s, run))) }
	stale, unknown, swap := move("stale"), start("unknown"), move("swap")
	must(t, s.Commit(t.Context(), stepOf(load(t, s, "stale"))))
	unknown.Run.Definition = "never put"
	swap.Drop = []string{"after 1h"} // it is set again

	for _, test := range []struct {
		name string
		all  []*store.Commit
		want []error
		many bool // statements
	}{
		{"a start", []*store.Commit{start("a")}, []error{nil}, false},
		{"a start of what is there", []*store.Commit{start("old")}, []error{machine.ErrExists}, false},
		{"starts", []*store.Commit{start("b"), start("old"), unknown, start("c")}, []error{nil, machine.ErrExists, store.ErrNotFound, nil}, false},
		{"a step that is late", []*store.Commit{stale}, []error{store.ErrConflict}, false},
		{"steps", []*store.Commit{move("old"), stale}, []error{nil, store.ErrConflict}, false},
		{"a step that drops a timer and sets it", []*store.Commit{swap}, []error{nil}, true},
	} {
		b := batch{quick: true}
		for _, c := range test.all {
			b.requests = append(b.requests, &request{commit: &commit{Commit: c}})
		}
		must(t, b.build())
		if text, _ := b.join(); (text == "") != test.many {
			t.Errorf("%s: several statements: %t", test.name, !test.many)
		}
		for i, err := range together(s, test.all...) {
			if !errors.Is(err, test.want[i]) {
				t.Errorf("%s: %s: %v, want %v", test.name, test.all[i].Run.Run, err, test.want[i])
			}
		}
	}

	for run, want := range map[string][4]int{ // records, tasks, timers, tags
		"a": {1, 2, 1, 1}, "b": {1, 2, 1, 1}, "c": {1, 2, 1, 1}, "unknown": {}, "old": {2, 3, 1, 0}, "stale": {2, 1, 0, 0}, "swap": {2, 3, 1, 0},
	} {
		history, err := s.History(t.Context(), run, 0, 0)
		must(t, err)
		tasks, err := s.Tasks(t.Context(), run)
		must(t, err)
		timers, err := s.Timers(t.Context(), run)
		must(t, err)
		tagged, err := s.Runs(t.Context(), store.RunFilter{Tags: map[string]string{"tag": run}})
		must(t, err)
		if got := [4]int{len(history), len(tasks), len(timers), len(tagged)}; got != want {
			t.Errorf("%s has %v records, tasks, timers and tags, want %v", run, got, want)
		}
	}
	counts, err := s.Counts(t.Context(), "M", noon)
	if err != nil || len(counts.Runs) != 1 || counts.Runs[0].Runs != 6 {
		t.Errorf("%+v, %v: want six runs", counts.Runs, err)
	}
}
