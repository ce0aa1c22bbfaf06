package runtime

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// EndedStats is how many runs of a machine ended with an outcome on a day. If a run then waits
// until its children have ended, it counts on the day on which it entered its terminal.
type EndedStats struct {
	Machine string  `json:"machine"`
	Day     string  `json:"day"` // in UTC: "2026-11-21"
	Outcome Outcome `json:"outcome"`
	Runs    int64   `json:"runs"`
}

// LostStats is how often attempts in a state were lost. Reason is "lost" if the worker did not
// renew its lease and the attempt could be claimed again, "silent" if its heartbeat did not come,
// and "stalled" if it made no progress.
type LostStats struct {
	Machine string `json:"machine"`
	State   string `json:"state"`
	Reason  string `json:"reason"`
	Count   int64  `json:"count"`
	// Checkpoint is how many of these had a checkpoint, with which the next attempt began.
	Checkpoint int64 `json:"checkpoint"`
}

// endedStats counts the steps with which runs ended: those that led to a terminal from another
// state, and those that ended a run where it stood.
func (e *Engine) endedStats(ctx context.Context, steps []store.StepCount) ([]EndedStats, error) {
	terminals, err := e.terminals(ctx)
	if err != nil {
		return nil, err
	}
	ended := map[EndedStats]*EndedStats{}
	for _, s := range steps {
		if outcome := endedWith(terminals, s.Machine, s.Kind, s.From, s.To, s.Effect); outcome != "" {
			key := EndedStats{Machine: s.Machine, Day: dayText(s.Day), Outcome: outcome}
			rowOf(ended, key, key).Runs += s.Steps
		}
	}
	return sorted(ended, func(a, b *EndedStats) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.Day, b.Day), cmp.Compare(a.Outcome, b.Outcome))
	}), nil
}

// endedWith is the outcome with which a step ended a run; empty where the run went on, or had ended before.
func endedWith(terminals map[stateKey]Outcome, name string, kind InputKind, from, to string, effect Effect) Outcome {
	outcome := terminals[stateKey{name, to}]
	switch stopped := effect == machine.Stopped; {
	case kind == machine.MigrateInput:
		return "" // the state has another name
	case stopped && outcome == "":
		return Cancelled
	case !stopped && from == to:
		return ""
	}
	return outcome
}

// terminals are the outcomes of the terminals of all versions. Those of a definition that is
// damaged are unknown.
func (e *Engine) terminals(ctx context.Context) (map[stateKey]Outcome, error) {
	rows, err := e.store.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	outcomes := map[stateKey]Outcome{}
	for i := range rows {
		d, err := machine.ParseDefinition(rows[i].Definition)
		if err != nil {
			continue
		}
		for _, s := range d.States {
			if s.Kind == machine.TerminalState {
				outcomes[stateKey{rows[i].Machine, s.Path}] = s.Outcome
			}
		}
	}
	return outcomes, nil
}

func dayText(day int64) string { return time.Unix(day*24*60*60, 0).UTC().Format(time.DateOnly) }

func lostStats(steps []store.StepCount) []LostStats {
	lost := map[LostStats]*LostStats{}
	for _, s := range steps {
		key := LostStats{Machine: s.Machine, State: s.From}
		switch {
		case s.Kind == machine.LostInput:
			key.Reason = "lost"
		case s.Kind != machine.FailureInput || s.Effect == machine.Queued: // which is counted when it is taken
			continue
		case strings.HasSuffix(s.Input, "failed(silent)"): // behind a label, if there is one
			key.Reason = "silent"
		case strings.HasSuffix(s.Input, "failed(stalled)"):
			key.Reason = "stalled"
		default:
			continue
		}
		row := rowOf(lost, key, key)
		row.Count += s.Steps
		if s.Checkpoint {
			row.Checkpoint += s.Steps
		}
	}
	return sorted(lost, func(a, b *LostStats) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.State, b.State), cmp.Compare(a.Reason, b.Reason))
	})
}
