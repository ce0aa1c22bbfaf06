package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/httpapi"
)

// bulkData is a command for several runs: what it means, before it is done, or what became of it.
type bulkData struct {
	*httpapi.Meant
	Command, Where string
	All            bool // all runs for which Where holds
	Chosen         []string
	Changed        bool // since the page on which it was confirmed
	Applied        bool
	Done           int
}

// mostListed is how many of the runs the page lists.
const mostListed = 200

// More is how many runs the page does not list.
func (d *bulkData) More() int { return max(0, len(d.Runs)-mostListed) }

// Listed are those that it lists.
func (d *bulkData) Listed() []runtime.RunRow { return d.Runs[:min(len(d.Runs), mostListed)] }

// Label is the command as a button has it: there is one, or the command would have been refused.
func (d *bulkData) Label() string {
	return buttons[slices.IndexFunc(buttons, d.does)].Label
}

func (d *bulkData) does(c command) bool { return c.Name == d.Command }

// bulk shows what a command for several runs means. Where that has been confirmed, it does it.
func (s *Site) bulk(w http.ResponseWriter, r *http.Request) error {
	form := r.PostForm
	d := &bulkData{Command: form.Get("command"), Where: form.Get("where"), All: form.Get("all") != "", Chosen: form["run"]}
	switch {
	case !slices.ContainsFunc(buttons, d.does):
		return &fault{http.StatusBadRequest, fmt.Sprintf("there is no command %q for many runs", describe.Plain(d.Command, 50))}
	case !d.All && len(d.Chosen) == 0:
		return &fault{http.StatusBadRequest, "no run is chosen: tick some, or all that match"}
	case d.All && strings.TrimSpace(d.Where) == "":
		return &fault{http.StatusBadRequest, "a filter is missing, and would be every run: write at least one term"}
	}
	if err := s.meant(r.Context(), d); errors.Is(err, httpapi.ErrTooMany) {
		return &fault{http.StatusBadRequest, words(err)}
	} else if err != nil {
		return err
	}
	p := page{Section: "bulk", Title: d.Label() + " runs", Feed: "-", Filter: d.Where, Page: d}
	if token := form.Get("token"); token == d.Token() {
		d.Done, d.Applied = d.Steer(r.Context(), runtime.Operator{Actor: httpapi.Actor(r, ""), Reason: form.Get("reason")}, false), true
		s.forget()
	} else if token != "" {
		d.Changed, p.status = true, http.StatusConflict
	}
	s.write(w, r, &p)
	return nil
}

// meant finds the runs for which a command is, and which of them would refuse it.
func (s *Site) meant(ctx context.Context, d *bulkData) error {
	d.Meant = httpapi.NewMeant(s.Engine, runtime.InputKind(d.Command))
	if d.All {
		f, err := runtime.ParseWhere(d.Where, s.now())
		if err == nil {
			err = s.Engine.CheckFilter(ctx, &f)
		}
		if err != nil {
			return &fault{http.StatusBadRequest, words(err)}
		}
		return d.AddAll(ctx, f)
	}
	for _, id := range d.Chosen {
		row, err := s.Store.Load(ctx, id)
		if errors.Is(err, runtime.ErrNotFound) {
			d.Refused = append(d.Refused, httpapi.Refusal{Run: id, Why: "there is no such run"})
			continue
		}
		if err == nil {
			err = d.Add(ctx, &row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
