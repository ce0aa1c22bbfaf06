package web

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// overviewData is what the first page shows.
type overviewData struct {
	Groups []*problemGroup
	Total  int  // runs in them
	More   bool // or more of them
	Cards  []*card
	Newest []runtime.RunRow

	Longest []runtime.RunRow // in the state in which they are
}

// newestShown is how many runs the first page lists.
const newestShown = 12

// longestShown is how many runs it lists that have been longest in their state.
const longestShown = 5

func (s *Site) overviewPage(r *http.Request) (page, error) {
	survey, err := s.look(r.Context())
	if err != nil {
		return page{}, err
	}
	d := &overviewData{Groups: groups(&survey.health), Total: affected(survey.health.Problems), More: len(survey.health.More) > 0, Cards: cards(survey), Longest: survey.longest[:min(len(survey.longest), longestShown)]}
	if d.Newest, err = s.Engine.List(r.Context(), runtime.RunFilter{Limit: newestShown}); err != nil {
		return page{}, err
	}
	return page{Section: "overview", Title: "Overview", Page: d, pace: surveyAge}, nil
}

// card is a machine in short.
type card struct {
	Name                      string
	Active, Ended, Successful int64
	Shares                    []share
	Hour                      []store.MinuteCount
	Behind                    bool // steps of the hour have not been counted yet
	Week                      *week
	Over                      int  // runs over the budget
	More                      bool // or more of them
}

type share struct {
	State string
	Runs  int64
}

// in is how many runs stand in a state.
func (c *card) in(state string) int64 {
	for _, s := range c.Shares {
		if s.State == state {
			return s.Runs
		}
	}
	return 0
}

// Success is the share of runs that ended with success, in percent.
func (c *card) Success() int64 { return percentOf(c.Successful, c.Ended) }

// Total is what happened in the last hour; nil for nothing.
func (c *card) Total() *store.MinuteCount {
	var sum store.MinuteCount
	for _, m := range c.Hour {
		sum.Started, sum.Ended, sum.Steps = sum.Started+m.Started, sum.Ended+m.Ended, sum.Steps+m.Steps
	}
	if sum == (store.MinuteCount{}) {
		return nil
	}
	return &sum
}

func cards(v *survey) (out []*card) {
	known := map[string]*card{}
	of := func(name string) *card {
		c := known[name]
		if c == nil {
			c = &card{Name: name}
			known[name] = c
			out = append(out, c)
		}
		return c
	}
	for i := range v.versions {
		of(v.versions[i].Name)
	}
	states := map[string]int{}
	for i := range v.counts.Runs {
		n := &v.counts.Runs[i]
		c := of(n.Machine)
		if n.Status == runtime.Finished {
			c.Ended += n.Runs
			if n.Outcome == runtime.Success {
				c.Successful += n.Runs
			}
			continue
		}
		c.Active += n.Runs
		key := n.Machine + "\x00" + n.State
		if at, ok := states[key]; ok {
			c.Shares[at].Runs += n.Runs
			continue
		}
		states[key] = len(c.Shares)
		c.Shares = append(c.Shares, share{n.State, n.Runs})
	}
	for _, c := range out {
		c.Week = weekOf(v, c.Name)
		over, more := v.overBudget(c.Name)
		c.Over, c.More = len(over), more
		if v.hour != nil {
			c.Hour, c.Behind = v.hour.Of(c.Name), v.hour.Behind
		}
		slices.SortFunc(c.Shares, func(a, b share) int { return cmp.Or(cmp.Compare(b.Runs, a.Runs), strings.Compare(a.State, b.State)) })
	}
	slices.SortFunc(out, func(a, b *card) int { return strings.Compare(a.Name, b.Name) })
	return out
}
