package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// healthAnswer says that the database answers.
type healthAnswer struct {
	Status  string `json:"status"`
	Version string `json:"version"`
}

func (a *API) getHealth(w http.ResponseWriter, r *http.Request) error {
	if _, err := a.engine.List(r.Context(), runtime.RunFilter{Limit: 1}); err != nil {
		return later("unavailable", "the database does not answer", err.Error())
	}
	return writeJSON(w, http.StatusOK, healthAnswer{"ok", a.version})
}

// workflowsAnswer is what monitors ask: whether all goes on, and what does not.
type workflowsAnswer struct {
	Status     string                `json:"status"` // ok or degraded
	TotalStuck int                   `json:"total_stuck"`
	Stuck      []stuckGroup          `json:"stuck_workflows"`
	Problems   []problemGroup        `json:"problems"`
	More       []runtime.ProblemKind `json:"more"` // kinds of which there are, or may be, more
}

// stuckGroup is the runs of a machine that do not leave a state.
type stuckGroup struct {
	Type   string    `json:"workflow_type"`
	State  string    `json:"state"`
	Count  int       `json:"count"`
	Oldest time.Time `json:"oldest"`
	Run    string    `json:"run"` // that has been there longest
}

// problemGroup is problems of one kind, machine and state.
type problemGroup struct {
	Kind    runtime.ProblemKind `json:"kind"`
	Machine string              `json:"machine"`
	State   string              `json:"state"`
	Count   int                 `json:"count"`
	Why     string              `json:"why"` // of the oldest
}

// listedProblems is how many of each kind are counted one by one.
const listedProblems = 1000

func (a *API) getWorkflows(w http.ResponseWriter, r *http.Request) error {
	q, err := a.healthQuery(r)
	if err != nil {
		return err
	}
	found, err := a.engine.Health(r.Context(), q)
	if err != nil {
		return err
	}
	answer := a.workflows(&found)
	status := http.StatusOK
	if answer.Status != "ok" {
		status = http.StatusServiceUnavailable
	}
	return writeJSON(w, status, answer)
}

// healthQuery is what a request calls stuck, late or too much.
func (a *API) healthQuery(r *http.Request) (runtime.HealthQuery, error) {
	q, values, ctx := a.health, queryOf(r), r.Context()
	q.Limit = int(values.number("limit", listedProblems, 1, 10*listedProblems))
	if values.err != nil {
		return q, values.err
	}
	if text := values.Get("stuck"); text != "" {
		q.Stuck, q.StuckIn = 0, nil
		if err := cmp.Or(runtime.ParseStuck(text, &q), a.engine.CheckStates(ctx, q.StuckIn)); err != nil {
			return q, inQuery(ctx, "stuck", err)
		}
	}
	var err error
	if text := values.Get("late"); text != "" {
		if q.Late, err = runtime.ParseSomeAge(text); err != nil {
			return q, badQuery("late", "%s", err)
		}
	}
	if text := values.Get("share"); text != "" {
		if q.Shares, err = a.engine.ReadShares(ctx, text); err != nil {
			return q, inQuery(ctx, "share", err)
		}
	}
	return q, nil
}

// workflows groups problems.
func (a *API) workflows(h *runtime.Health) *workflowsAnswer {
	answer := &workflowsAnswer{Status: "ok", Stuck: []stuckGroup{}, Problems: []problemGroup{}, More: append([]runtime.ProblemKind{}, h.More...)}
	if len(h.Problems) > 0 {
		answer.Status = "degraded"
	}
	seen := map[string]bool{}
	for i := range h.Problems {
		p := &h.Problems[i]
		if stuck := p.Kind == runtime.StuckRun || p.Kind == runtime.OverdueTimer; stuck && !seen[p.Run] {
			seen[p.Run] = true
			answer.TotalStuck++
			answer.addStuck(p)
		}
		at := slices.IndexFunc(answer.Problems, func(g problemGroup) bool {
			return g.Kind == p.Kind && g.Machine == p.Machine && g.State == p.State
		})
		if at < 0 { // problems of a kind come oldest first
			why := p.Why
			if a.hideData && p.Kind != runtime.LargeShare {
				why = string(p.Kind)
			}
			at = len(answer.Problems)
			answer.Problems = append(answer.Problems, problemGroup{Kind: p.Kind, Machine: p.Machine, State: p.State, Why: why})
		}
		answer.Problems[at].Count++
	}
	return answer
}

func (w *workflowsAnswer) addStuck(p *runtime.Problem) {
	for i := range w.Stuck {
		if g := &w.Stuck[i]; g.Type == p.Machine && g.State == p.State {
			if g.Count++; p.Since.Before(g.Oldest) {
				g.Oldest, g.Run = p.Since, p.Run
			}
			return
		}
	}
	w.Stuck = append(w.Stuck, stuckGroup{p.Machine, p.State, 1, p.Since, p.Run})
}

// inQuery is a fault of a query, unless it is one of the database.
func inQuery(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil || DatabaseFault(err) {
		return err
	}
	return badQuery(name, "%s", err)
}
