package table_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// TestBudgetTimeAfterMigration: a run that moves to another budget of time is held to that one,
// from its own start. Where the time had passed its budget before, it holds nothing back.
func TestBudgetTimeAfterMigration(t *testing.T) {
	compile := func(top string) *machine.Machine {
		return tabletest.Machine(t, fmt.Sprintf("machine M { event Go\n initial A\n %s\n state A { on Go -> Late after 99h -> Late }\n terminal Late }", top))
	}
	within := func(time string) string { return "budget { time " + time + " }\n on over_budget ignore" }
	for name, c := range map[string]struct {
		old, new string
		after    time.Duration
		paused   bool
		due      time.Duration // from the start of the run; 0 for never
	}{
		"the same":             {old: within("5h"), new: within("5h"), after: time.Hour, due: 5 * time.Hour},
		"more":                 {old: within("5h"), new: within("7h"), after: time.Hour, due: 7 * time.Hour},
		"less than has passed": {old: within("5h"), new: within("1h"), after: 2 * time.Hour, due: time.Hour},
		"none before":          {old: "", new: within("3h"), after: 2 * time.Hour, due: 3 * time.Hour},
		"not held before":      {old: "budget { time 9h }", new: within("3h"), after: 2 * time.Hour, due: 3 * time.Hour},
		"none any more":        {old: within("5h"), new: "budget { time 5h }", after: time.Hour},
		"it has come":          {old: within("5h"), new: within("7h"), after: 6 * time.Hour},
		"paused":               {old: within("5h"), new: within("7h"), after: time.Hour, paused: true, due: 7 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			old, m := compile(c.old), compile(c.new)
			s, _, _, err := old.Advance(old.NewSnapshot("r", 1), machine.Input{Kind: machine.StartInput, Event: -1}, epoch, nil)
			if err == nil && c.paused {
				s, _, _, err = old.Advance(s, machine.Input{Kind: machine.PauseInput}, epoch.Add(time.Minute), nil)
			}
			must(t, err)
			at := epoch.Add(c.after)
			s, _, _, err = old.Settle(s, at, nil)
			must(t, err)
			moved, err := m.Migrated(old, s, &machine.Mapping{}, at, nil)
			must(t, err)
			var due time.Duration
			for _, a := range moved.Alarms {
				if m.Definition().Timers[a.Timer].Budget {
					due = a.Due.Sub(epoch)
				}
			}
			if due != c.due {
				t.Errorf("the time of the budget is over %v after the start, want %v", due, c.due)
			}
		})
	}
}
