package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	Command, Where string
	All            bool // all runs for which Where holds
	Chosen         []string
	Runs           []runtime.RunRow // for which it is, as they are now
	Refused        []refusal        // those that would refuse it, or have
	Token          string           // of these runs as they are
	Changed        bool             // since the page on which it was confirmed
	Applied        bool
	Done           int
}

// refusal is a run that does not take a command.
type refusal struct{ Run, Why string }

const (
	mostMeant  = 10_000 // runs for which one command may be
	mostListed = 200    // of them that the page lists
)

// More is how many runs the page does not list.
func (d *bulkData) More() int { return max(0, len(d.Runs)-mostListed) }

// Listed are those that it lists.
func (d *bulkData) Listed() []runtime.RunRow { return d.Runs[:min(len(d.Runs), mostListed)] }

// Label is the command as a button has it.
func (d *bulkData) Label() string {
	for _, l := range labels {
		if string(l.kind) == d.Command {
			return l.label
		}
	}
	return d.Command
}

// bulk shows what a command for several runs means. Where that has been confirmed, it does it.
func (s *Site) bulk(w http.ResponseWriter, r *http.Request) error {
	form := r.PostForm
	d := &bulkData{Command: form.Get("command"), Where: form.Get("where"), All: form.Get("all") != "", Chosen: form["run"]}
	switch {
	case !slices.ContainsFunc(labels, func(l label) bool { return string(l.kind) == d.Command }):
		return &fault{http.StatusBadRequest, fmt.Sprintf("there is no command %q for many runs", describe.Plain(d.Command, 50))}
	case !d.All && len(d.Chosen) == 0:
		return &fault{http.StatusBadRequest, "no run is chosen: tick some, or all that match"}
	case d.All && strings.TrimSpace(d.Where) == "":
		return &fault{http.StatusBadRequest, "a filter is missing, and would be every run: write at least one term"}
	}
	if err := s.meant(r.Context(), d); err != nil {
		return err
	}
	p := page{name: "bulk", title: d.Label() + " runs", feed: "-", filter: d.Where, data: d}
	if token := form.Get("token"); token == d.Token {
		s.steerAll(r.Context(), d, runtime.Operator{Actor: httpapi.Actor(r, ""), Reason: form.Get("reason")})
		s.overview.forget()
	} else if token != "" {
		d.Changed, p.status = true, http.StatusConflict
	}
	s.write(w, r, &p)
	return nil
}

// meant finds the runs for which a command is, and which of them would refuse it.
func (s *Site) meant(ctx context.Context, d *bulkData) error {
	kind, sum := runtime.InputKind(d.Command), sha256.New()
	add := func(row *runtime.RunRow) error {
		if len(d.Runs)+len(d.Refused) == mostMeant {
			return &fault{http.StatusBadRequest, fmt.Sprintf("more than %d runs match: write another term", mostMeant)}
		}
		fmt.Fprintf(sum, "%q %d\n", row.Run, row.Started.UnixMicro())
		if why := s.Engine.Refusal(ctx, row, kind); why != nil {
			d.Refused = append(d.Refused, refusal{row.Run, words(why)})
			return ctx.Err()
		}
		row.Snapshot = nil // which may be large, and is not shown
		d.Runs = append(d.Runs, *row)
		return ctx.Err()
	}
	if d.All {
		f, err := runtime.ParseWhere(d.Where, s.now())
		if err == nil {
			err = s.Engine.CheckFilter(ctx, &f)
		}
		if err != nil {
			return &fault{http.StatusBadRequest, words(err)}
		}
		if err := s.Engine.EachMeant(ctx, f, kind, add); err != nil {
			return err
		}
	}
	for _, id := range d.Chosen {
		if d.All {
			break // they are among the others
		}
		row, err := s.Store.Load(ctx, id)
		if errors.Is(err, runtime.ErrNotFound) {
			d.Refused = append(d.Refused, refusal{id, "there is no such run"})
			continue
		}
		if err == nil {
			err = add(&row)
		}
		if err != nil {
			return err
		}
	}
	d.Token = hex.EncodeToString(sum.Sum(nil)[:16])
	return nil
}

// steerAll does it.
func (s *Site) steerAll(ctx context.Context, d *bulkData, who runtime.Operator) {
	runs := make([]string, len(d.Runs))
	for i := range d.Runs {
		runs[i] = d.Runs[i].Run
	}
	steer := func(run string) error {
		_, err := httpapi.Steer(ctx, s.Engine, runtime.InputKind(d.Command), run, who, false)
		return err
	}
	d.Applied = true
	d.Done = s.Engine.SteerAll(runs, steer, func(run string, why error) {
		d.Refused = append(d.Refused, refusal{run, words(why)})
	})
	slices.SortFunc(d.Refused, func(a, b refusal) int { return strings.Compare(a.Run, b.Run) })
}
