package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/bits"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// RunCount is how many runs of a machine stand so.
type RunCount struct {
	Machine string
	State   string
	Status  machine.Status
	Outcome machine.Outcome
	Paused  bool
	Runs    int64
}

// StepCount is how many steps of one kind the runs of a machine took on a day.
type StepCount struct {
	Machine  string
	Day      int64 // since 1970, in UTC
	Kind     machine.InputKind
	Input    string
	From, To string
	Effect   machine.Effect
	Steps    int64

	Checkpoint bool // of attempts that were lost: the next one begins with a checkpoint
}

// withCheckpoint is the end of what stores keep as the input of such steps.
const withCheckpoint = ", with a checkpoint"

// Counted is the input as stores keep it with the count: it says of lost attempts whether they had a checkpoint.
func (s *StepCount) Counted() string {
	if s.Checkpoint {
		return s.Input + withCheckpoint
	}
	return s.Input
}

// withoutIndex is the input of one element of a list, such as "r[3].Found", as that of all: "r.Found".
func withoutIndex(input string) string {
	label, rest, of := strings.Cut(input, "[")
	if _, end, closed := strings.Cut(rest, "]"); of && closed {
		return label + end
	}
	return input
}

// Recount takes Input and Checkpoint from what Counted has given; Kind is set.
func (s *StepCount) Recount(counted string) {
	s.Input = withoutIndex(counted) // older versions counted each element of a list
	if s.Kind == machine.LostInput || s.Kind == machine.FailureInput {
		s.Input, s.Checkpoint = strings.CutSuffix(s.Input, withCheckpoint)
	}
}

// StayCount is how many visits of a state lasted so long.
type StayCount struct {
	Machine string
	State   string
	Bucket  int64 // see BucketOf
	Visits  int64
}

// CostCount is how much of something the attempts of a machine's activities used
// on a day, late ones included.
type CostCount struct {
	Machine string
	Day     int64 // since 1970, in UTC
	Name    string
	Amount  string // an exact decimal; see AddAmounts
}

// Counts are what a store knows of all its runs at once. What a run that has
// been pruned did still counts among Steps, Stays and Costs.
type Counts struct {
	Runs  []RunCount
	Steps []StepCount
	Stays []StayCount
	Costs []CostCount // a day and a name may have several, which add up
}

// CountRecords says what consecutive records of a run add to the counts: one step
// each, and one visit for each that leaves a state. Entered is when the state in
// which the run was before them was entered. Stores call it with what a commit
// has, so that the counts move with the step.
func CountRecords(name string, rows []HistoryRow, entered time.Time, step func(StepCount), stay func(StayCount)) {
	for i := range rows {
		h := &rows[i]
		step(StepCount{
			Machine: name, Day: DayOf(h.At), Kind: h.Kind, Input: withoutIndex(h.Input),
			From: h.From, To: h.To, Effect: h.Effect, Steps: 1,
			Checkpoint: (h.Kind == machine.LostInput || h.Kind == machine.FailureInput) && bytes.Contains(h.Record, []byte(`"checkpoint":true`)),
		})
		if h.Kind == machine.MigrateInput {
			continue // the visit goes on, in a state that may have another name
		}
		enters := h.Effect == machine.Moved || h.From != h.To
		if h.From != "" && (enters || h.Effect == machine.Stopped) {
			stay(StayCount{Machine: name, State: h.From, Bucket: BucketOf(h.At.Sub(entered)), Visits: 1})
		}
		if enters {
			entered = h.At
		}
	}
}

// CountCosts says what consecutive records add to the costs.
func CountCosts(machine string, rows []HistoryRow, cost func(CostCount)) error {
	for i := range rows {
		h := &rows[i]
		if !bytes.Contains(h.Record, []byte(`"cost":`)) {
			continue // most have none, and are not read
		}
		var record struct {
			Input struct {
				Cost []struct {
					Name   string `json:"name"`
					Amount string `json:"amount"`
				} `json:"cost"`
			} `json:"input"`
		}
		if err := json.Unmarshal(h.Record, &record); err != nil {
			return fmt.Errorf("record %d: %w", h.Seq, err)
		}
		for _, c := range record.Input.Cost {
			cost(CostCount{Machine: machine, Day: DayOf(h.At), Name: c.Name, Amount: c.Amount})
		}
	}
	return nil
}

const microsOfDay = 24 * 60 * 60 * 1_000_000

// DayOf is a time's day since 1970, in UTC; before 1970 it is day 0.
func DayOf(t time.Time) int64 { return max(t.UnixMicro(), 0) / microsOfDay }

// Durations are counted in buckets, of which each is about 3 % wide, so that a
// median or a percentile read from the middle of one is less than 2 % off,
// whatever the durations are. Below 64 microseconds a bucket is one microsecond;
// above, the first six bits of the number of microseconds name it, and how many
// were cut off. (Gil Tene's HdrHistogram, with 32 buckets for each power of 2.)
const bucketBits = 5

// BucketOf is the bucket of a duration; one below zero counts as zero.
func BucketOf(d time.Duration) int64 {
	micros := uint64(max(d, 0).Microseconds())
	shift := max(bits.Len64(micros)-bucketBits-1, 0)
	return int64(shift)<<bucketBits + int64(micros>>shift)
}

// BucketTime is the middle of a bucket.
func BucketTime(bucket int64) time.Duration {
	const half = 1 << bucketBits
	if bucket < 2*half {
		return time.Duration(bucket) * time.Microsecond
	}
	shift := bucket>>bucketBits - 1
	low := (half + bucket&(half-1)) << shift
	return time.Duration(low+(1<<shift)/2) * time.Microsecond
}
