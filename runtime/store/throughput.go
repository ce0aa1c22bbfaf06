package store

import "time"

// MinuteCount is what the runs of a machine did in a minute.
type MinuteCount struct {
	Minute  time.Time `json:"minute"` // its begin, in UTC
	Started int64     `json:"started"`
	Ended   int64     `json:"ended"` // a run that then waits for its children has ended
	Steps   int64     `json:"steps"`
}

// Throughput is what the runs of each machine did in the last hour, minute by minute.
type Throughput struct {
	From time.Time // the first of MinutesShown minutes; the present one is the last
	// Behind says that there are steps that have not been counted yet: each call of
	// the engine counts some.
	Behind  bool
	Minutes map[MachineMinute]MinuteCount
}

// MachineMinute is a minute of the runs of a machine.
type MachineMinute struct {
	Machine string
	Minute  int64 // since 1970
}

// MinutesShown is how many minutes a Throughput has.
const MinutesShown = 60

// Of gives the minutes of a machine, the oldest first.
func (t *Throughput) Of(name string) []MinuteCount {
	out := make([]MinuteCount, MinutesShown)
	for i := range out {
		minute := t.From.Add(time.Duration(i) * time.Minute)
		out[i] = t.Minutes[MachineMinute{name, minute.Unix() / 60}]
		out[i].Minute = minute
	}
	return out
}
