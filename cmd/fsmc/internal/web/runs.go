package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// runsData is what the page of many runs shows.
type runsData struct {
	Where  string
	Wrong  string // what is wrong with it
	Astray string // what is wrong with the run behind which the page begins
	Rows   []runtime.RunRow
	After  string // the last run of the page before
	Next   string // the last run, where there are more
}

const runsShown = 50

func (s *Site) runsPage(r *http.Request) (page, error) {
	q := r.URL.Query()
	d := &runsData{Where: strings.TrimSpace(q.Get("where")), After: q.Get("after")}
	p := page{Section: "runs", Title: "Runs", Page: d, Filter: d.Where}
	var f runtime.RunFilter
	if d.Where != "" {
		var err error
		if f, err = runtime.ParseWhere(d.Where, s.now()); err == nil {
			err = s.Engine.CheckFilter(r.Context(), &f)
		}
		if err != nil {
			d.Wrong, p.status, f = words(err), http.StatusBadRequest, runtime.RunFilter{}
		}
	}
	f.Limit, f.After = runsShown+1, d.After
	rows, err := s.Engine.List(r.Context(), f)
	if errors.Is(err, runtime.ErrNotFound) {
		d.Astray, p.status, f.After, d.After = fmt.Sprintf("there is no run %q behind which others could be listed", describe.Plain(d.After, 300)), http.StatusBadRequest, "", ""
		rows, err = s.Engine.List(r.Context(), f)
	}
	if err != nil {
		return p, err
	}
	if len(rows) > runsShown {
		rows = rows[:runsShown]
		d.Next = rows[runsShown-1].Run
	}
	d.Rows = rows
	if f.Machine != "" {
		p.Feed = "machine=" + url.QueryEscape(f.Machine)
	}
	return p, nil
}

// terms are what the filter is completed with.
func (v *survey) terms() []string {
	out := []string{"status=running", "status=halted", "status=paused", "status=ending", "status=finished", "outcome=success", "outcome=failure", "outcome=cancelled", "older than 1d"}
	seen := map[string]bool{}
	for i := range v.versions {
		if name := v.versions[i].Name; !seen[name] && len(seen) < mostTerms {
			seen[name] = true
			out = append(out, "machine="+name)
		}
	}
	for i := range v.counts.Runs {
		c := &v.counts.Runs[i]
		term := "machine=" + c.Machine + " state=" + c.State
		if !seen[term] && c.Status != machine.Finished && len(seen) < mostTerms {
			seen[term] = true
			out = append(out, term)
		}
	}
	return out
}

// mostTerms is how many machines and states the filter is completed with.
const mostTerms = 100
