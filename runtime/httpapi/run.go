package httpapi

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/schema"
)

// runAnswer is a run: the View of the command line, and what it means.
type runAnswer struct {
	*runtime.View
	Sentence string              `json:"sentence"`
	Actions  []schema.Action     `json:"next_allowed_actions"`
	Commands []runtime.InputKind `json:"commands"` // pause, resume, retry and cancel, where they would change something
}

func (a *API) getRun(w http.ResponseWriter, r *http.Request) error {
	v, err := a.engine.Get(r.Context(), r.PathValue("run"))
	if err != nil {
		return a.noRun(r, err)
	}
	return a.writeRun(w, r, http.StatusOK, &v)
}

// writeRun answers with a run as it is.
func (a *API) writeRun(w http.ResponseWriter, r *http.Request, status int, v *runtime.View) error {
	version, err := a.engine.Version(r.Context(), v.Definition)
	if err != nil {
		return noVersion(v.Run, err)
	}
	commands, err := a.engine.Commands(r.Context(), v.Run)
	if err != nil {
		return err
	}
	return writeJSON(w, status, a.runAnswer(version.Machine, v, commands))
}

// runAnswer says what a view of a run of m means.
func (a *API) runAnswer(m *runtime.Machine, v *runtime.View, commands []runtime.InputKind) *runAnswer {
	if a.hideData {
		v = describe.WithoutData(v)
	}
	return &runAnswer{View: v, Sentence: describe.Sentence(v, time.Now()), Actions: schema.Allowed(m, v), Commands: append([]runtime.InputKind{}, commands...)}
}

func (a *API) getRunAt(w http.ResponseWriter, r *http.Request) error {
	run, text := r.PathValue("run"), r.PathValue("seq")
	row, err := a.engine.Row(r.Context(), run)
	if err != nil {
		return a.noRun(r, err)
	}
	seq, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seq < 1 || seq > row.Seq {
		return noStep(&row, text)
	}
	m, s, err := a.engine.At(r.Context(), run, seq)
	if err != nil {
		return err
	}
	v := m.View(s)
	v.Parent = row.Parent
	return writeJSON(w, http.StatusOK, a.runAnswer(m, &v, nil))
}

// noStep is the fault of a step that a run has not taken.
func noStep(row *runtime.RunRow, step any) *Problem {
	p := notFound("run %q has taken %s, and there is no step %v", row.Run, describe.Count(row.Seq, "step"), step)
	p.Run, p.State, p.Seq = row.Run, row.State, row.Seq
	return p
}

// noRun is an error about a run that was to be read. One that is not there is 404, with the one
// that was likely meant.
func (a *API) noRun(r *http.Request, err error) error {
	run := r.PathValue("run")
	if _, there := a.engine.Row(r.Context(), run); !errors.Is(err, runtime.ErrNotFound) || !errors.Is(there, runtime.ErrNotFound) {
		return err
	}
	p := notFound("there is no run %q in the database%s", run, a.engine.DidYouMean(r.Context(), run))
	p.Run = run
	return p
}
