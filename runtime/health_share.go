package runtime

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Share is the most of the runs of a machine that may be in a state, or have ended there. Most is
// between 0 and 1, of all runs of the machine in the store.
type Share struct {
	Machine string // empty for any that has the state
	State   string // its path
	Most    float64
}

// ReadShares reads shares as operators write them: "Error=30%" or "DocumentAgent.Error=0.3",
// with commas between them. If what stands before the first dot is a machine in the store, it is the
// name of the machine. It refuses a state that no machine in the store has.
func (e *Engine) ReadShares(ctx context.Context, text string) ([]Share, error) {
	machines, err := e.machineNames(ctx)
	if err != nil {
		return nil, err
	}
	var shares []Share
	for part := range strings.SplitSeq(text, ",") {
		name, value, found := strings.Cut(strings.TrimSpace(part), "=")
		number, percent := strings.CutSuffix(value, "%")
		most, err := strconv.ParseFloat(number, 64)
		if percent {
			most /= 100
		}
		if !found || name == "" || err != nil || !(most >= 0 && most <= 1) {
			return nil, fmt.Errorf("%q is no share: write it like Error=30%% or Error=0.3", part)
		}
		s := Share{State: name, Most: most}
		for _, m := range machines {
			if state, of := strings.CutPrefix(name, m+"."); of {
				s.Machine, s.State = m, state
			}
		}
		shares = append(shares, s)
	}
	for _, s := range shares {
		if err := e.CheckFilter(ctx, &RunFilter{Machine: s.Machine, State: s.State}); err != nil {
			return nil, err
		}
	}
	return shares, nil
}

// shares lists the states in which more of a machine's runs are than may be.
func (x *examination) shares(ctx context.Context) (problems []Problem, _ bool, err error) {
	if len(x.Shares) == 0 {
		return nil, false, nil
	}
	stats, err := x.e.Stats(ctx, StatsQuery{})
	all := map[string]int64{}
	for _, s := range stats.States {
		all[s.Machine] += s.Runs
	}
	for _, share := range x.Shares {
		for _, s := range stats.States {
			if s.State != share.State || share.Machine != "" && s.Machine != share.Machine || float64(s.Runs) <= share.Most*float64(all[s.Machine]) {
				continue
			}
			why := fmt.Sprintf("%d of %d runs are in %s, more than %s %%", s.Runs, all[s.Machine], s.State, strconv.FormatFloat(100*share.Most, 'f', -1, 64))
			problems = append(problems, Problem{Machine: s.Machine, State: s.State, Since: x.now, Why: why})
		}
	}
	return problems, false, err
}

// machineNames are the names of the machines in the store.
func (e *Engine) machineNames(ctx context.Context) ([]string, error) {
	rows, err := e.store.Definitions(ctx)
	var names []string
	for i := range rows {
		names = append(names, rows[i].Machine)
	}
	return names, err
}
