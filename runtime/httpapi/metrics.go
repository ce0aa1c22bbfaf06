package httpapi

import (
	"cmp"
	"context"
	"math/big"
	"net/http"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// getMetrics gives what Prometheus reads: the counts that the store keeps with each step, so that a
// counter neither begins from zero with a process nor falls when runs are pruned.
func (a *API) getMetrics(w http.ResponseWriter, r *http.Request) error {
	text, err := a.keptMetrics.get(r.Context(), "", a.metrics)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, err = w.Write(text)
	return err
}

func (a *API) metrics(ctx context.Context) ([]byte, error) {
	counts, err := a.engine.Counts(ctx)
	if err != nil {
		return nil, err
	}
	stats, err := a.engine.Stats(ctx, runtime.StatsQuery{})
	if err != nil {
		return nil, err
	}
	q := a.health
	q.Limit = listedProblems
	health, err := a.engine.Health(ctx, q)
	if err != nil {
		return nil, err
	}
	lag, err := a.engine.OutboxLag(ctx)
	if err != nil {
		return nil, err
	}
	e := &exposition{left: mostSeries}
	e.runs(counts.Runs)
	e.steps(counts.Steps)
	e.endsAndLosses(&stats)
	e.stays(stats.Histograms, counts.Stays)
	e.costs(counts.Costs)
	e.problems(&health)
	e.single("fsmc_outbox_lag_seconds", "How long the message has waited that waits longest to be delivered.", lag.Seconds())
	e.single("fsmc_streams", "Readers of the feed of this process.", float64(a.streams.taken.Load()))
	a.took.write(e)
	e.single("fsmc_series_left_out", "Series that are not here because there are more than 10000.", float64(e.omitted))
	return []byte(e.text.String()), nil
}

func (e *exposition) runs(runs []store.RunCount) {
	s := series{}
	for _, r := range runs {
		status := string(r.Status)
		if r.Paused && r.Status == runtime.Running {
			status = "paused"
		}
		s.add(float64(r.Runs), "machine", r.Machine, "state", r.State, "status", status)
	}
	e.all("fsmc_runs", "gauge", "Runs in the store that are in a state now, or have ended there.", s)
}

func (e *exposition) steps(steps []store.StepCount) {
	all, failed, retried := series{}, series{}, series{}
	for _, s := range steps {
		n := float64(s.Steps)
		all.add(n, "machine", s.Machine, "from", s.From, "to", s.To, "input", s.Input, "effect", string(s.Effect))
		if s.Kind == machine.FailureInput && s.Effect != machine.Queued { // which is counted when it is taken
			failed.add(n, "machine", s.Machine, "state", s.From, "category", categoryOf(s.Input))
		}
		if s.Effect == machine.Retried && s.Kind != machine.RetryInput { // an operator only hurries what waits
			retried.add(n, "machine", s.Machine, "state", s.From)
		}
	}
	e.all("fsmc_steps_total", "counter", "Steps that runs have taken.", all)
	e.all("fsmc_run_errors_total", "counter", "Failures of activities, by the state in which they were met.", failed)
	e.all("fsmc_retries_total", "counter", "Retries, by the state.", retried)
}

// endsAndLosses are those of all days.
func (e *exposition) endsAndLosses(stats *runtime.Stats) {
	ended, lost := series{}, series{}
	for _, s := range stats.Ended {
		ended.add(float64(s.Runs), "machine", s.Machine, "outcome", string(s.Outcome))
	}
	for _, s := range stats.Lost {
		lost.add(float64(s.Count), "machine", s.Machine, "state", s.State, "reason", s.Reason)
	}
	e.all("fsmc_runs_ended_total", "counter", "Runs that have ended, by outcome. One that is retried after that can end again.", ended)
	e.all("fsmc_attempts_lost_total", "counter", "Attempts whose worker was lost, or had no heartbeat (silent) or no progress (stalled).", lost)
}

// categoryOf is the category of a failure, from its input: "failed(timeout)", "a.failed(timeout)".
func categoryOf(input string) string {
	_, rest, _ := strings.Cut(input, "failed(")
	return strings.TrimSuffix(rest, ")")
}

// stays writes the histograms of visits. Their sums are of the stays, which the columns do not have.
func (e *exposition) stays(of []runtime.HistogramStats, stays []store.StayCount) {
	type key struct{ machine, state string }
	sums := map[key]*histogram{}
	for _, s := range stays {
		k := key{s.Machine, s.State}
		if sums[k] == nil {
			sums[k] = newHistogram(nil)
		}
		sums[k].add(store.BucketTime(s.Bucket), s.Visits)
	}
	e.family("fsmc_state_seconds", "histogram", "How long visits of a state lasted that have ended, at most 2 % off.")
	for _, s := range of {
		h := &histogram{counts: s.Counts}
		for _, border := range s.LE {
			d, _ := time.ParseDuration(border) // as it was written
			h.upTo = append(h.upTo, d)
		}
		if sum := sums[key{s.Machine, s.State}]; sum != nil { // the stays may be a moment older
			h.sum = sum.sum
		}
		e.histogram("fsmc_state_seconds", h, "machine", s.Machine, "state", s.State)
	}
}

func (e *exposition) costs(costs []store.CostCount) {
	type key struct{ machine, name string }
	sums := map[key]string{}
	for _, c := range costs {
		k := key{c.Machine, c.Name}
		sums[k] = machine.AddAmounts(cmp.Or(sums[k], "0"), c.Amount)
	}
	s := series{}
	for k, sum := range sums {
		exact, _ := new(big.Float).SetString(sum)
		if exact == nil {
			continue
		}
		near, _ := exact.Float64()
		s.add(near, "machine", k.machine, "name", k.name)
	}
	e.all("fsmc_cost_total", "counter", "What activities have reported as used.", s)
}

func (e *exposition) problems(h *runtime.Health) {
	s := series{}
	for i := range h.Problems {
		s.add(1, "kind", string(h.Problems[i].Kind), "machine", h.Problems[i].Machine)
	}
	e.all("fsmc_problems", "gauge", "What fsmc health lists, at most 1000 of each kind.", s)
}
