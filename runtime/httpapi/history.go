package httpapi

import (
	"math"
	"net/http"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
)

// historyAnswer is a part of what happened to a run.
type historyAnswer struct {
	Steps []runtime.StepView `json:"steps"`
	First int64              `json:"first"` // of the run; 0 of none
	Last  int64              `json:"last"`
}

// getHistory gives the steps behind after, before before, or else the last ones.
func (a *API) getHistory(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r)
	limit, after, before := q.number("limit", 200, 1, 1000), q.number("after", 0, 0, math.MaxInt64), q.number("before", math.MaxInt64, 1, math.MaxInt64)
	if q.err != nil {
		return q.err
	}
	run := r.PathValue("run")
	row, err := a.engine.Row(r.Context(), run)
	if err != nil {
		return a.noRun(r, err)
	}
	end := min(before-1, row.Seq)
	if !q.Has("after") {
		after = max(0, end-limit)
	}
	answer := historyAnswer{Steps: []runtime.StepView{}, First: 1, Last: row.Seq}
	if count := min(limit, end-after); count > 0 {
		steps, err := a.engine.History(r.Context(), run, after, int(count))
		if err != nil {
			return err
		}
		answer.Steps = append(answer.Steps, a.shown(steps)...)
	}
	return writeJSON(w, http.StatusOK, &answer)
}

// shown are steps as callers may see them.
func (a *API) shown(steps []runtime.StepView) []runtime.StepView {
	if !a.hideData {
		return steps
	}
	for i := range steps {
		describe.DropData(&steps[i])
	}
	return steps
}
