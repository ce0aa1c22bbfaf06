package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/simulate"
)

// simulateBody is what POST /simulate takes: a machine of the store, a source text, or a stored
// run, and what happens to it. The whole of a simulation is in it: nothing is kept.
type simulateBody struct {
	Machine string           `json:"machine"` // with a source: which one of it
	Source  string           `json:"source"`
	Run     string           `json:"run"`
	At      int64            `json:"at"` // of a run: after this step; 0 is as it stands
	ID      string           `json:"id"` // of the run that is simulated; it decides the waits of retries
	Started *time.Time       `json:"started"`
	Params  json.RawMessage  `json:"params"`
	Inputs  []simulate.Input `json:"inputs"`
}

// simulateAnswer is where the simulation stands.
type simulateAnswer struct {
	Steps   []runtime.StepView    `json:"steps"`
	View    *runAnswer            `json:"view,omitempty"` // absent where the start itself asks
	Choices []simulate.ChoiceView `json:"choices"`
	Ask     *simulate.Ask         `json:"ask,omitempty"` // a host guard that has no answer: the next input waits for it
}

const mostInputs = 1000

func (a *API) postSimulate(w http.ResponseWriter, r *http.Request, body *simulateBody) error {
	if len(body.Inputs) > mostInputs {
		return badBody("inputs", "there are %d inputs, more than the %d that are allowed", len(body.Inputs), mostInputs)
	}
	select {
	case a.heavy <- struct{}{}:
		defer func() { <-a.heavy }()
	case <-r.Context().Done():
		return context.Cause(r.Context())
	}
	begin, m, err := a.beginning(r, body)
	if err != nil {
		return err
	}
	played, err := simulate.Play(begin, body.Inputs)
	if err != nil {
		return refusal("input refused", err)
	}
	answer := &simulateAnswer{Steps: a.shown(append([]runtime.StepView{}, played.Steps...)), Choices: played.Choices, Ask: played.Ask}
	for i := range answer.Choices {
		answer.Choices[i].Leads = a.shown(answer.Choices[i].Leads)
	}
	if played.View.Run != "" {
		answer.View = a.runAnswer(m, &played.View, nil)
	}
	return writeJSON(w, http.StatusOK, answer)
}

// beginning finds what is simulated.
func (a *API) beginning(r *http.Request, b *simulateBody) (simulate.Begin, *runtime.Machine, error) {
	switch {
	case b.Run != "" && (b.Machine != "" || b.Source != ""), b.Run == "" && b.Machine == "" && b.Source == "":
		return nil, nil, badBody("machine", "name one of machine, source and run")
	case b.Run != "" && (len(b.Params) > 0 || b.ID != "" || b.Started != nil):
		return nil, nil, badBody("run", "a stored run has its own id, start and parameters: leave them out")
	case b.Run != "":
		return a.beginningOf(r, b)
	case b.At != 0:
		return nil, nil, badBody("at", "at is about a stored run: name it with run")
	}
	m, err := a.simulated(r, b)
	if err != nil {
		return nil, nil, err
	}
	b.ID = cmp.Or(b.ID, "run")
	if err := badRunID(b.ID); err != nil {
		return nil, nil, err
	}
	started := time.Now()
	if b.Started != nil {
		started = *b.Started
	}
	return func(g simulate.Guard) (*simulate.Simulation, error) {
		return simulate.Start(m, b.ID, b.Params, started, g)
	}, m, nil
}

// simulated is the machine that is simulated.
func (a *API) simulated(r *http.Request, b *simulateBody) (*runtime.Machine, error) {
	if b.Source == "" {
		r.SetPathValue("machine", b.Machine)
		v, err := a.versionOf(r)
		if err != nil {
			return nil, err
		}
		return v.Machine, nil
	}
	if a.front == nil {
		return nil, errNoFrontEnd("compile a text")
	}
	m, err := a.front.Compile(r.Context(), b.Source, b.Machine)
	if err != nil && r.Context().Err() == nil {
		p := problem(http.StatusUnprocessableEntity, "source", "the machine has errors", "%s", err)
		p.Field = "source"
		return nil, p
	}
	return m, err
}

// beginningOf begins with a stored run.
func (a *API) beginningOf(r *http.Request, b *simulateBody) (simulate.Begin, *runtime.Machine, error) {
	r.SetPathValue("run", b.Run)
	row, err := a.engine.Row(r.Context(), b.Run)
	if err != nil {
		return nil, nil, a.noRun(r, err)
	}
	if a.hideData {
		return nil, nil, problem(http.StatusForbidden, "hidden", "not shown", "this server shows no data of runs (--hide-data), and so simulates none that is stored")
	}
	if b.At < 0 || b.At > row.Seq {
		return nil, nil, noStep(&row, b.At)
	}
	m, s, err := a.engine.At(r.Context(), b.Run, b.At)
	return func(g simulate.Guard) (*simulate.Simulation, error) { return simulate.Continue(m, s, g), nil }, m, err
}
