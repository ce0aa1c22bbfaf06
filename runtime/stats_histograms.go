package runtime

import (
	"cmp"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// HistogramStats is how many visits of a state lasted how long: Counts[i] visits lasted at most
// LE[i], and longer than LE[i-1]. The last of Counts, which has no LE, counts the visits that
// lasted longer than that. A visit within 2 % of a border may be counted on the other side of it.
type HistogramStats struct {
	Machine string   `json:"machine"`
	State   string   `json:"state"`
	LE      []string `json:"le"` // "1ms" to "168h0m0s"
	Counts  []int64  `json:"counts"`
}

const day = 24 * time.Hour

// columns are 24 durations, about evenly far from each other on a logarithmic scale, and such as
// people say.
var columns = []time.Duration{
	1 * time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond,
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	1 * time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second,
	1 * time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute,
	1 * time.Hour, 3 * time.Hour, 12 * time.Hour, 1 * day, 3 * day, 7 * day,
}

// histogramStats adds up the buckets of each state by columns.
func histogramStats(stays []store.StayCount) []HistogramStats {
	var borders []string
	for _, d := range columns {
		borders = append(borders, d.String())
	}
	states := map[stateKey]*HistogramStats{}
	for _, v := range stays {
		key := stateKey{v.Machine, v.State}
		h := states[key]
		if h == nil {
			h = &HistogramStats{Machine: v.Machine, State: v.State, LE: borders, Counts: make([]int64, len(columns)+1)}
			states[key] = h
		}
		column, _ := slices.BinarySearch(columns, store.BucketTime(v.Bucket))
		h.Counts[column] += v.Visits
	}
	return sorted(states, func(a, b *HistogramStats) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.State, b.State))
	})
}
