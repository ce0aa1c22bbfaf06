package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// runsAnswer is a page of runs.
type runsAnswer struct {
	Runs []describe.Listed `json:"runs"`
	Next *string           `json:"next"` // for ?after=; null at the end
}

func (a *API) getRuns(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r)
	limit := int(q.number("limit", 50, 1, 1000))
	if q.err != nil {
		return q.err
	}
	var f runtime.RunFilter
	if where := q.Get("where"); where != "" {
		var err error
		if f, err = a.where(r.Context(), where); err != nil {
			return err
		}
	}
	f.Limit, f.After = limit+1, q.Get("after")
	rows, err := a.engine.List(r.Context(), f)
	if errors.Is(err, runtime.ErrNotFound) {
		return badQuery("after", "there is no run %q in the database", f.After)
	}
	if err != nil {
		return err
	}
	answer := runsAnswer{Runs: []describe.Listed{}}
	for i := range rows[:min(len(rows), limit)] {
		answer.Runs = append(answer.Runs, describe.List(&rows[i]))
	}
	if len(rows) > limit {
		answer.Next = &rows[limit-1].Run
	}
	return writeJSON(w, http.StatusOK, &answer)
}

// where reads which runs are meant.
func (a *API) where(ctx context.Context, text string) (runtime.RunFilter, error) {
	f, err := runtime.ParseWhere(text, time.Now())
	if err == nil {
		err = a.engine.CheckFilter(ctx, &f)
	}
	if err != nil {
		return f, inQuery(ctx, "where", err)
	}
	return f, nil
}

// startBody is what POST /runs takes.
type startBody struct {
	Machine string            `json:"machine"`
	ID      *string           `json:"id"`
	Params  json.RawMessage   `json:"params"`
	Tags    map[string]string `json:"tags"`
	operatorBody
}

func (a *API) postRuns(w http.ResponseWriter, r *http.Request, body *startBody) error {
	if body.Machine == "" {
		return badBody("machine", "machine is missing: it names what is run")
	}
	id := *cmp.Or(body.ID, new(string))
	if body.ID != nil && id == "" {
		return badBody("id", "id is empty: leave it out for a new run with an id of its own")
	}
	if err := badRunID(id); err != nil {
		return err
	}
	if err := machine.CheckTags(body.Tags); err != nil {
		return badBody("tags", "%v", err)
	}
	v, err := a.engine.Start(r.Context(), body.Machine, id, body.Params, body.operator(r), runtime.WithTags(body.Tags))
	if err != nil {
		r.SetPathValue("run", id)
		return err
	}
	w.Header().Set("Location", a.prefix+base+"/runs/"+pathOf(v.Run))
	return a.writeRun(w, r, http.StatusCreated, &v)
}

// pathOf is an id as a part of a path. Dots alone would be taken out of it.
func pathOf(id string) string {
	if id == "." || id == ".." {
		return strings.ReplaceAll(id, ".", "%2E")
	}
	return url.PathEscape(id)
}

// badRunID refuses an id that no run can have.
func badRunID(id string) error {
	if why := machine.BadID(id); why != "" {
		return badBody("id", "the id of a run %s", why)
	}
	if strings.Contains(id, "/") {
		return badBody("id", `the id of a run has no "/"`)
	}
	return nil
}
