package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// ActivityLimit is a limit of an activity of a machine, for runs of all its versions.
type ActivityLimit struct {
	Machine, Activity string
	AtOnce, Rate      int
	Window            time.Duration // of Rate, in whole microseconds
}

// LimitRow is how a limit stands.
type LimitRow struct {
	ActivityLimit
	Held  int       // tasks that workers hold, cancelled ones among them
	Opens time.Time // from when on the rate lets a claim through; zero where it never held one back
	Last  time.Time // the last claim; zero for none
}

// Open reports whether a task may be claimed at now.
func (l *LimitRow) Open(now time.Time) bool { return !l.Full() && !l.Opens.After(now) }

// Full reports whether as many tasks are held as may be at once.
func (l *LimitRow) Full() bool { return l.AtOnce > 0 && l.Held >= l.AtOnce }

// Racing is by how much a claim may be later than now and count as it is: another worker has asked
// for the time later, and claimed earlier. What is further ahead comes of a clock that has gone back.
const Racing = time.Second

// NotAfter is when a claim counts that was made at t: no later than now, although the clock may have gone back.
func NotAfter(t, now time.Time) time.Time {
	if t.After(now) {
		return now
	}
	return t
}

// LimitsOf are the limits of a definition, which hold from when a store first gets it.
func LimitsOf(d *DefinitionRow) ([]ActivityLimit, error) {
	if !bytes.Contains(d.Definition, []byte(`"limit":`)) {
		return nil, nil // most have none
	}
	var definition struct {
		Activities []struct {
			Name  string         `json:"name"`
			Limit *machine.Limit `json:"limit"`
		} `json:"activities"`
	}
	if err := json.Unmarshal(d.Definition, &definition); err != nil {
		return nil, fmt.Errorf("the limits of definition %s: %w", d.Hash, err)
	}
	var limits []ActivityLimit
	for _, a := range definition.Activities {
		if l := a.Limit; l != nil {
			limits = append(limits, ActivityLimit{
				Machine: d.Machine, Activity: a.Name, AtOnce: int(l.AtOnce), Rate: int(l.Rate),
				Window: (time.Duration(l.Window) + time.Microsecond - 1).Truncate(time.Microsecond),
			})
		}
	}
	return limits, nil
}
