package web

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// machineData is what the page of a machine shows.
type machineData struct {
	Name    string
	Version *version
	Card    *card
	Drawing template.HTML
	Wide    bool
	Full    bool // the drawing is not the compact one
	Worst   string
	Budget  string // what it allows one run
	Over    []runtime.Problem
	More    bool // runs may be over it
	States  []stateRow
	Stats   runtime.Stats
	Days    []*day
	Others  []runtime.Version // older versions
	OfEach  map[string]store.VersionCount
}

// Share is how many of the machine's unfinished runs are in a state, in percent.
func (d *machineData) Share(row stateRow) int64 {
	if !row.Waits {
		return 0
	}
	return percentOf(row.Runs, d.Card.Active)
}

// stateRow is a state with what runs do in it.
type stateRow struct {
	runtime.StateStats
	Doc   string
	Here  bool // the newest version has it
	Waits bool // runs in it go on
	Bars  template.HTML

	Longest *runtime.RunRow // that has been in it longest, of those that are in it; nil where none has for long
}

func (s *Site) machinePage(r *http.Request) (page, error) {
	ctx, name := r.Context(), r.PathValue("machine")
	survey, err := s.look(ctx)
	if err != nil {
		return page{}, err
	}
	d := &machineData{Name: name, Full: r.URL.Query().Get("full") != ""}
	at := slices.IndexFunc(survey.versions, func(v runtime.Version) bool { return v.Name == name }) // the current one comes first
	if at < 0 {
		return page{}, survey.noMachine(name)
	}
	if d.Version, err = s.version(ctx, survey.versions[at].Hash); err != nil {
		return page{}, err
	}
	all := cards(survey)
	d.Card = all[slices.IndexFunc(all, func(c *card) bool { return c.Name == name })] // each version has one
	d.fill(survey)
	soon, cancel := context.WithTimeout(ctx, boundsWithin)
	defer cancel()
	d.Worst = worstOf(s.bounds(soon, d.Version))
	s.drawMachine(d, survey)
	return page{Section: "machine", Title: name, pace: surveyAge, Feed: "machine=" + url.QueryEscape(name), Page: d}, nil
}

// boundsWithin is how long a page waits for the worst case, which is there the next time.
const boundsWithin = 20 * time.Millisecond

// fill takes from the survey what is about the machine.
func (d *machineData) fill(v *survey) {
	known := map[string]runtime.StateStats{}
	for _, row := range v.stats.States {
		if row.Machine == d.Name {
			known[row.State] = row
		}
	}
	for _, leaf := range d.Version.leaves() {
		row := stateRow{StateStats: known[leaf.Path], Doc: leaf.Doc, Here: true, Waits: leaf.Kind == machine.LeafState}
		row.State = leaf.Path
		delete(known, leaf.Path)
		d.States = append(d.States, row)
	}
	for _, row := range v.stats.States {
		if _, other := known[row.State]; other && row.Machine == d.Name {
			d.States = append(d.States, stateRow{StateStats: row})
		}
	}
	d.Stats.Failures = filtered(v.stats.Failures, func(f runtime.FailureStats) bool { return f.Machine == d.Name })
	d.Stats.Lost = filtered(v.stats.Lost, func(l runtime.LostStats) bool { return l.Machine == d.Name })
	for i := range d.States {
		row := &d.States[i]
		row.Bars = histogram(v.histogramOf(d.Name, row.State))
		if row.Waits {
			row.Runs = d.Card.in(row.State) // without those that were cancelled there
		}
		if at := slices.IndexFunc(v.longest, func(r runtime.RunRow) bool { return r.Machine == d.Name && r.State == row.State }); at >= 0 {
			row.Longest = &v.longest[at]
		}
	}
	d.Days, d.OfEach = days(v, d.Name), v.ofEach
	d.Budget = budgetWords(d.Version.def.Budget)
	d.Over, d.More = v.overBudget(d.Name)
	d.Others = filtered(v.versions, func(v runtime.Version) bool { return v.Name == d.Name && v.Hash != d.Version.Hash })
}

func filtered[E any](list []E, wanted func(E) bool) []E {
	return slices.DeleteFunc(slices.Clone(list), func(e E) bool { return !wanted(e) })
}

// histogramOf is how long visits of a state lasted; nil where none has ended.
func (v *survey) histogramOf(name, state string) *runtime.HistogramStats {
	at := slices.IndexFunc(v.stats.Histograms, func(h runtime.HistogramStats) bool { return h.Machine == name && h.State == state })
	if at < 0 {
		return nil
	}
	return &v.stats.Histograms[at]
}

// drawMachine lights the drawing with how many runs are in each state.
func (s *Site) drawMachine(d *machineData, v *survey) {
	full, drawn := d.Version.pictures()
	if d.Full {
		drawn = full
	}
	if drawn == nil {
		return
	}
	l := newLight()
	for i := range d.States {
		row := &d.States[i].StateStats
		l.links["state-"+row.State] = s.Base + "runs?where=" + url.QueryEscape("machine="+d.Name+" state="+row.State)
		l.count(row)
	}
	l.often(d.Version, v.counts.Steps, d.Name)
	d.Drawing, d.Wide = drawn.lit(l), drawn.wide > wideDrawing
}
