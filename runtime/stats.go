package runtime

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// StatsQuery narrows Stats. A zero field does not.
type StatsQuery struct {
	Machine string
	Since   time.Time // of failures, retries, costs, ends and losses: steps taken on its day or later, in UTC
}

// Stats are figures over all runs of a store. The JSON form is stable; durations are in the form
// of Go. States and Outcomes count the runs that are in the store; all other figures include
// pruned runs.
type Stats struct {
	States   []StateStats   `json:"states"`
	Outcomes []OutcomeStats `json:"outcomes"`
	Failures []FailureStats `json:"failures"`
	Retries  []RetryStats   `json:"retries"`
	Costs    []CostStats    `json:"costs"`
	Spent    []CostStats    `json:"costs_by_day"`

	Histograms []HistogramStats `json:"histograms"`
	Ended      []EndedStats     `json:"ended"`
	Lost       []LostStats      `json:"lost"`
}

// StateStats is a state of a machine: the runs that are in it, and how long the visits that have
// ended lasted. Mean, Median and P95 are at most 2 % off, and empty if no visit has ended.
type StateStats struct {
	Machine string `json:"machine"`
	State   string `json:"state"`
	Runs    int64  `json:"runs"` // in the state now, or ended there; of them:
	Halted  int64  `json:"halted"`
	Paused  int64  `json:"paused"`
	Visits  int64  `json:"visits"` // that have ended
	Mean    string `json:"mean,omitempty"`
	Median  string `json:"median,omitempty"`
	P95     string `json:"p95,omitempty"`
}

// OutcomeStats is how many runs of a machine ended with an outcome, and their share of all its
// runs that ended, between 0 and 1.
type OutcomeStats struct {
	Machine string  `json:"machine"`
	Outcome Outcome `json:"outcome"`
	Runs    int64   `json:"runs"`
	Share   float64 `json:"share"`
}

// FailureStats is how often a failure of one category in one state had one effect. Share is the
// part of all steps in that state, between 0 and 1.
type FailureStats struct {
	Machine string  `json:"machine"`
	From    string  `json:"from"`
	Input   string  `json:"input"` // "failed(timeout)"
	To      string  `json:"to"`
	Effect  Effect  `json:"effect"`
	Count   int64   `json:"count"`
	Share   float64 `json:"share"`
}

// RetryStats is how often runs of a machine retried on a day, of how many
// steps.
type RetryStats struct {
	Machine string `json:"machine"`
	Day     string `json:"day"` // in UTC: "2026-11-21"
	Retries int64  `json:"retries"`
	Steps   int64  `json:"steps"`
}

// CostStats is how much of something the activities of a machine's runs have
// reported as used, in all or on a day.
type CostStats struct {
	Machine string `json:"machine"`
	Day     string `json:"day,omitempty"` // in UTC: "2026-11-21"; empty for all
	Name    string `json:"name"`          // "tokens"
	Spent   string `json:"spent"`         // an exact decimal
}

// Stats gives figures over all runs of the store, sorted by their keys; failures are sorted by
// their number, the most frequent first. It reads what the store has counted, and reads no run.
func (e *Engine) Stats(ctx context.Context, q StatsQuery) (Stats, error) {
	c, err := e.store.Counts(ctx, q.Machine, q.Since)
	if err != nil {
		return Stats{}, err
	}
	return e.StatsOf(ctx, &c)
}

// StatsOf gives the figures that follow from counts of the store.
func (e *Engine) StatsOf(ctx context.Context, c *store.Counts) (s Stats, err error) {
	s = Stats{States: stateStats(c), Outcomes: outcomeStats(c.Runs)}
	s.Failures, s.Retries = stepStats(c.Steps)
	s.Costs, s.Spent = costStats(c.Costs, false), costStats(c.Costs, true)
	s.Histograms, s.Lost = histogramStats(c.Stays), lostStats(c.Steps)
	s.Ended, err = e.endedStats(ctx, c.Steps)
	return s, err
}

// Counts are what the store has counted of all runs since it was made. Stats is computed from
// them.
func (e *Engine) Counts(ctx context.Context) (store.Counts, error) {
	return e.store.Counts(ctx, "", time.Time{})
}

type stateKey struct{ machine, state string }

func stateStats(c *store.Counts) []StateStats {
	states := map[stateKey]*StateStats{}
	at := func(machine, state string) *StateStats {
		return rowOf(states, stateKey{machine, state}, StateStats{Machine: machine, State: state})
	}
	for _, r := range c.Runs {
		s := at(r.Machine, r.State)
		s.Runs += r.Runs
		if r.Status == Halted {
			s.Halted += r.Runs
		}
		if r.Paused {
			s.Paused += r.Runs
		}
	}
	buckets := map[stateKey]map[int64]int64{}
	for _, v := range c.Stays {
		key := stateKey{v.Machine, v.State}
		if buckets[key] == nil {
			buckets[key] = map[int64]int64{}
		}
		buckets[key][v.Bucket] += v.Visits
		at(v.Machine, v.State).Visits += v.Visits
	}
	for key, visits := range buckets {
		s := states[key]
		s.Mean = mean(visits, s.Visits).String()
		s.Median = quantile(visits, s.Visits, 0.5).String()
		s.P95 = quantile(visits, s.Visits, 0.95).String()
	}
	return sorted(states, func(a, b *StateStats) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.State, b.State))
	})
}

// mean is the mean of all visits, each taken as the middle of its bucket.
func mean(visits map[int64]int64, all int64) time.Duration {
	sum := 0.0
	for bucket, n := range visits {
		sum += float64(n) * float64(store.BucketTime(bucket))
	}
	return time.Duration(sum / float64(all)).Round(time.Microsecond)
}

// quantile is the smallest duration that at least a share q of all visits did
// not exceed, as the middle of its bucket.
func quantile(visits map[int64]int64, all int64, q float64) time.Duration {
	seen := int64(0)
	for _, bucket := range slices.Sorted(maps.Keys(visits)) {
		if seen += visits[bucket]; float64(seen) >= q*float64(all) {
			return store.BucketTime(bucket)
		}
	}
	return 0
}

func outcomeStats(runs []store.RunCount) []OutcomeStats {
	outcomes, ended := map[OutcomeStats]*OutcomeStats{}, map[string]int64{}
	for _, r := range runs {
		if r.Status != Finished {
			continue
		}
		key := OutcomeStats{Machine: r.Machine, Outcome: r.Outcome}
		rowOf(outcomes, key, key).Runs += r.Runs
		ended[r.Machine] += r.Runs
	}
	for _, o := range outcomes {
		o.Share = float64(o.Runs) / float64(ended[o.Machine])
	}
	return sorted(outcomes, func(a, b *OutcomeStats) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Outcome, b.Outcome))
	})
}

func stepStats(steps []store.StepCount) ([]FailureStats, []RetryStats) {
	failures, retries, taken := map[FailureStats]*FailureStats{}, map[RetryStats]*RetryStats{}, map[stateKey]int64{}
	for _, s := range steps {
		taken[stateKey{s.Machine, s.From}] += s.Steps
		if s.Kind == machine.FailureInput && s.Effect != machine.Queued { // which is counted when it is taken
			key := FailureStats{Machine: s.Machine, From: s.From, Input: s.Input, To: s.To, Effect: s.Effect}
			rowOf(failures, key, key).Count += s.Steps
		}
		key := RetryStats{Machine: s.Machine, Day: dayText(s.Day)}
		row := rowOf(retries, key, key)
		row.Steps += s.Steps
		if s.Effect == machine.Retried && s.Kind != machine.RetryInput { // an operator only hurries what waits
			row.Retries += s.Steps
		}
	}
	for _, f := range failures {
		f.Share = float64(f.Count) / float64(taken[stateKey{f.Machine, f.From}])
	}
	return sorted(failures, func(a, b *FailureStats) int {
			return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(b.Count, a.Count), cmp.Compare(a.From, b.From),
				cmp.Compare(a.Input, b.Input), cmp.Compare(a.To, b.To), cmp.Compare(a.Effect, b.Effect))
		}), sorted(retries, func(a, b *RetryStats) int {
			return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.Day, b.Day))
		})
}

func costStats(counts []store.CostCount, byDay bool) []CostStats {
	sums := map[CostStats]*CostStats{}
	for _, c := range counts {
		k := CostStats{Machine: c.Machine, Name: c.Name}
		if byDay {
			k.Day = dayText(c.Day)
		}
		row := rowOf(sums, k, CostStats{k.Machine, k.Day, k.Name, "0"})
		row.Spent = machine.AddAmounts(row.Spent, c.Amount)
	}
	return sorted(sums, func(a, b *CostStats) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.Day, b.Day), cmp.Compare(a.Name, b.Name))
	})
}

// rowOf is the row of a key, which is first where there was none.
func rowOf[K comparable, V any](rows map[K]*V, key K, first V) *V {
	if rows[key] == nil {
		rows[key] = new(first)
	}
	return rows[key]
}

// sorted are the values of a map in order; never nil, so that JSON has a list.
func sorted[K comparable, V any](rows map[K]*V, order func(a, b *V) int) []V {
	out := make([]V, 0, len(rows))
	for _, r := range slices.SortedFunc(maps.Values(rows), order) {
		out = append(out, *r)
	}
	return out
}
