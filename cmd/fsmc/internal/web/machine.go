package web

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
)

// machineData is what the page of a machine shows.
type machineData struct {
	Name    string
	Version *version
	Card    *card
	Drawing template.HTML
	Wide    bool
	States  []stateRow
	Stats   runtime.Stats
}

// stateRow is a state with what runs do in it.
type stateRow struct {
	runtime.StateStats
	Doc  string
	Here bool // the newest version has it
}

func (s *Site) machinePage(r *http.Request) (page, error) {
	ctx, name := r.Context(), r.PathValue("machine")
	survey, err := s.look(ctx)
	if err != nil {
		return page{}, err
	}
	d := &machineData{Name: name}
	hash := ""
	for i := range survey.versions {
		if v := &survey.versions[i]; v.Name == name && (v.Current || hash == "") {
			hash = v.Hash
		}
	}
	if hash == "" {
		return page{}, &fault{http.StatusNotFound, fmt.Sprintf("there is no machine %q", describe.Plain(name, 300))}
	}
	if d.Version, err = s.machines.of(ctx, hash); err != nil {
		return page{}, err
	}
	for _, c := range cards(survey) {
		if c.Name == name {
			d.Card = c
		}
	}
	d.fill(survey)
	s.drawMachine(d)
	return page{name: "machine", title: name, pace: surveyAge, feed: "machine=" + url.QueryEscape(name), data: d}, nil
}

// fill takes from the survey what is about the machine.
func (d *machineData) fill(v *survey) {
	known := map[string]runtime.StateStats{}
	for _, row := range v.stats.States {
		if row.Machine == d.Name {
			known[row.State] = row
		}
	}
	for _, leaf := range d.Version.leaves() {
		row := stateRow{StateStats: known[leaf.Path], Doc: leaf.Doc, Here: true}
		row.State = leaf.Path
		delete(known, leaf.Path)
		d.States = append(d.States, row)
	}
	for _, row := range v.stats.States {
		if _, other := known[row.State]; other && row.Machine == d.Name {
			d.States = append(d.States, stateRow{StateStats: row})
		}
	}
	for _, f := range v.stats.Failures {
		if f.Machine == d.Name {
			d.Stats.Failures = append(d.Stats.Failures, f)
		}
	}
	for _, f := range v.stats.Outcomes {
		if f.Machine == d.Name {
			d.Stats.Outcomes = append(d.Stats.Outcomes, f)
		}
	}
	for _, f := range v.stats.Retries {
		if f.Machine == d.Name {
			d.Stats.Retries = append(d.Stats.Retries, f)
		}
	}
	for _, f := range v.stats.Costs {
		if f.Machine == d.Name {
			d.Stats.Costs = append(d.Stats.Costs, f)
		}
	}
}

// drawMachine lights the drawing with how many runs are in each state.
func (s *Site) drawMachine(d *machineData) {
	_, compact := d.Version.pictures()
	if compact == nil {
		return
	}
	l := newLight()
	for i := range d.States {
		row := &d.States[i].StateStats
		l.links["state-"+row.State] = s.Base + "runs?where=" + url.QueryEscape("machine="+d.Name+" state="+row.State)
		l.count(row)
	}
	d.Drawing, d.Wide = compact.lit(l), compact.wide > wideDrawing
}
