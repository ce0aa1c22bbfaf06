package web

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/simulate"
)

// A simulation is its address: the parameters and inputs stand in the query, and each page plays
// them again. So back is a link with less, and an address is all that others need.
//
//	at=12           of a stored run: begin as it was after that step
//	start=1700000   of a new run: when it starts, in seconds since 1970
//	params={}       of a new run
//	input={…}       what happens, once for each input; see simulate.Input
//	back=2          show it after the first two inputs; the others are behind the slider

// simData is what the page of a simulation shows.
type simData struct {
	Machine *version
	Run     string           // that it begins with; empty for a new one
	Path    string           // of the page, below the base
	Base    url.Values       // of its address, without the inputs
	All     []simulate.Input // of the address
	Inputs  []simulate.Input // those that are played
	Params  []field          // of a run that has yet to start

	Played   *simulate.Played
	Sentence string
	Drawing  template.HTML
	Wide     bool
	Fault    string
	before   []runtime.StepView // of the stored run
}

// mostInputs is how many inputs a simulation may have here.
const mostInputs = 500

// simulate plays what the address says. With take it makes the address with one input more, and sends
// the browser there.
func (s *Site) simulate(w http.ResponseWriter, r *http.Request) (err error) {
	q := r.URL.Query()
	d := &simData{Run: r.PathValue("run"), Base: url.Values{}}
	var begin simulate.Begin
	if d.Run != "" {
		begin, err = s.fromRun(r, d)
	} else {
		begin, err = s.fromMachine(r, d)
	}
	if err != nil {
		return err
	}
	p := page{Section: "simulate", Title: "Simulate " + d.Machine.Name, Feed: "-", Page: d}
	if begin == nil {
		s.write(w, r, &p) // its parameters are asked for
		return nil
	}
	if err := d.read(q); err != nil {
		return err
	}
	if d.Played, err = simulate.Play(begin, d.Inputs); err != nil {
		return &fault{http.StatusUnprocessableEntity, words(err)}
	}
	if q.Has("take") {
		taken, err := d.taking(q)
		if err == nil {
			_, err = simulate.Play(begin, taken)
		}
		if err == nil {
			http.Redirect(w, r, s.Base+d.Href(taken), http.StatusSeeOther)
			return nil
		}
		d.Fault, p.status = words(err), http.StatusUnprocessableEntity
	}
	d.draw()
	s.write(w, r, &p)
	return nil
}

// fromRun begins as a stored run was after a step.
func (s *Site) fromRun(r *http.Request, d *simData) (simulate.Begin, error) {
	ctx := r.Context()
	row, err := s.row(ctx, d.Run)
	if err != nil {
		return nil, err
	}
	if s.HideData {
		return nil, &fault{http.StatusForbidden, "this server shows no data of runs (--hide-data), and so simulates none that is stored"}
	}
	at, err := strconv.ParseInt(cmp.Or(r.URL.Query().Get("at"), strconv.FormatInt(row.Seq, 10)), 10, 64)
	if err != nil || at < 1 || at > row.Seq {
		return nil, &fault{http.StatusNotFound, fmt.Sprintf("run %q has steps 1 to %d", describe.Plain(d.Run, 300), row.Seq)}
	}
	m, snapshot, err := s.Engine.At(ctx, d.Run, at)
	if err != nil {
		return nil, err
	}
	if d.Machine, err = s.version(ctx, m.Hash()); err != nil {
		return nil, err
	}
	if d.before, err = s.Engine.History(ctx, d.Run, max(0, at-historyShown), int(min(historyShown, at))); err != nil {
		return nil, err
	}
	d.Path = "runs/" + url.PathEscape(d.Run) + "/simulate"
	d.Base.Set("at", strconv.FormatInt(at, 10))
	return func(g simulate.Guard) (*simulate.Simulation, error) { return simulate.Continue(m, snapshot, g), nil }, nil
}

// fromMachine begins a new run, when its parameters are there.
func (s *Site) fromMachine(r *http.Request, d *simData) (simulate.Begin, error) {
	survey, err := s.look(r.Context())
	if err != nil {
		return nil, err
	}
	name, q := r.PathValue("machine"), r.URL.Query()
	at := slices.IndexFunc(survey.versions, func(v runtime.Version) bool { return v.Name == name && v.Machine != nil })
	if at < 0 {
		return nil, survey.noMachine(name)
	}
	m := survey.versions[at].Machine
	if d.Machine, err = s.version(r.Context(), m.Hash()); err != nil {
		return nil, err
	}
	d.Path = "machines/" + url.PathEscape(name) + "/simulate"
	list, params := m.Definition().Params, json.RawMessage(q.Get("params"))
	if q.Has("begin") {
		if params, err = payload(list, q); err == nil {
			_, err = m.DecodeParams(params)
		}
		if err != nil {
			d.Fault, params = words(err), nil
		}
	}
	if len(params) == 0 && len(list) > 0 {
		d.Params = fieldsOf(m.Definition(), "param", list)
		for i := range d.Params {
			d.Params[i].Value = cmp.Or(q.Get("f."+d.Params[i].Name), d.Params[i].Value)
		}
		return nil, nil
	}
	start, err := strconv.ParseInt(cmp.Or(q.Get("start"), strconv.FormatInt(s.now().Unix(), 10)), 10, 64)
	if err != nil || start < 0 || start > 1<<37 {
		return nil, &fault{http.StatusBadRequest, "start is in seconds since 1970"}
	}
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	d.Base.Set("params", string(params))
	d.Base.Set("start", strconv.FormatInt(start, 10))
	return func(g simulate.Guard) (*simulate.Simulation, error) {
		return simulate.Start(m, "simulated", params, time.Unix(start, 0).UTC(), g)
	}, nil
}

// read reads the inputs of the address.
func (d *simData) read(q url.Values) error {
	texts := q["input"]
	if len(texts) > mostInputs {
		return &fault{http.StatusBadRequest, fmt.Sprintf("a simulation has at most %d inputs here", mostInputs)}
	}
	for _, text := range texts {
		var in simulate.Input
		if err := json.Unmarshal([]byte(text), &in); err != nil {
			return &fault{http.StatusBadRequest, "an input in the address cannot be read: " + words(err)}
		}
		d.All = append(d.All, in)
	}
	back, err := strconv.Atoi(cmp.Or(q.Get("back"), strconv.Itoa(len(d.All))))
	if err != nil || back < 0 || back > len(d.All) {
		return &fault{http.StatusBadRequest, fmt.Sprintf("back is a number from 0 to %d", len(d.All))}
	}
	d.Inputs = d.All[:back:back]
	return nil
}

// draw lights the drawing: the way so far, and what may come next.
func (d *simData) draw() {
	v := &d.Played.View
	if d.Played.Ask == nil || v.Run != "" {
		d.Sentence = describe.Printable(describe.Stands(v)) + ", " + describe.Count(v.Seq, "step") + ", after " + describe.Short(v.Updated.Sub(v.Started))
	}
	full, _ := d.Machine.pictures()
	if full == nil || v.Run == "" {
		return
	}
	l := d.Machine.walked(append(d.before, d.Played.Steps...), v.State)
	arrows := arrowsOf(d.Machine)
	for _, c := range d.Played.Choices {
		if len(c.Leads) > 0 && c.Leads[0].Arm != "" {
			l.classes[arrows[c.Leads[0].Arm]] += " could"
		}
	}
	d.Drawing, d.Wide = full.lit(l), full.wide > wideDrawing
}
