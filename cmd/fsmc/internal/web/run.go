package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// runData is what the page of a run shows.
type runData struct {
	ID       string
	Path     string // of the run's page, below the base
	View     *runtime.View
	Row      *runtime.RunRow
	Machine  *version // nil where its definition cannot be read
	Damage   string   // why the run cannot be shown whole
	Sentence string

	At   int64 // the step after which it is shown; 0 for now
	Last int64 // its last step

	Drawing template.HTML
	Wide    bool // the drawing needs the whole width

	Shortened bool // the drawing is the compact one, because the full one is heavy

	Commands   []command
	Events     []eventForm
	Activities []activityRow
	Others     int // activities that have not ended, and are not shown
	Bars       template.HTML
	History    []stepRow
	Older      int64  // before which there are more; 0 for none
	OfState    string // only steps from or to that state
	HideData   bool
	Children   []runtime.RunRow
	Message    *store.MessageRow // the next that waits to be delivered; nil for none
	Typed      *typed
	More       bool // it has started more children than are shown
	steps      []runtime.StepView
	latest     bool      // steps are the last historyShown
	now        time.Time // or when the step was taken after which it is shown
}

// typed is what somebody sent that was refused: it stays in the form.
type typed struct {
	Form   string
	Values url.Values
	Why    string
	Field  string
}

// How many steps a page of a run shows. The first one has few, so that it is small: most of those
// who open it look at what the run does now. In the drawing the way of historyShown steps is lit.
const (
	historyFirst = 15
	historyShown = 200
)

// childrenShown is how many children it shows; the rest are behind a link.
const childrenShown = 20

// idOfRun is the run that an address names.
func idOfRun(r *http.Request) string {
	return cmp.Or(r.PathValue("run"), r.URL.Query().Get("id"))
}

func (s *Site) runPage(r *http.Request) (page, error) { return s.showRun(r, nil) }

// row is a run. Where there is none of that id, the error says which one may be meant.
func (s *Site) row(ctx context.Context, id string) (runtime.RunRow, error) {
	row, err := s.Store.Load(ctx, id)
	if errors.Is(err, runtime.ErrNotFound) {
		err = &fault{http.StatusNotFound, fmt.Sprintf("there is no run %q%s", describe.Plain(id, 300), s.Engine.DidYouMean(ctx, id))}
	}
	return row, err
}

// showRun is the page of a run, also after something was refused.
func (s *Site) showRun(r *http.Request, refused *typed) (page, error) {
	ctx, id := r.Context(), idOfRun(r)
	row, err := s.row(ctx, id)
	if err != nil {
		return page{}, err
	}
	d := &runData{ID: id, Path: runPath(id), Row: &row, Last: row.Seq, HideData: s.HideData, Typed: refused, now: s.now()}
	if err := d.readAt(r); err != nil {
		return page{}, err
	}
	if d.Machine, err = s.version(ctx, row.Definition); err != nil {
		d.Damage = "its definition cannot be read: " + words(err)
	}
	if err := s.readView(ctx, d); err != nil {
		if ctx.Err() != nil {
			return page{}, err
		}
		d.Damage = words(err)
	}
	if err := s.readHistory(ctx, r, d); err != nil {
		return page{}, err
	}
	s.readParts(r, d)
	p := page{Section: "run", Title: describe.Plain(id, 80), Feed: "run=" + url.QueryEscape(id), Page: d}
	if d.At > 0 {
		p.Feed = "-"
	}
	return p, nil
}

// readAt reads the step after which the run is shown.
func (d *runData) readAt(r *http.Request) error {
	text := cmp.Or(r.PathValue("seq"), r.URL.Query().Get("at"))
	if text == "" {
		return nil
	}
	seq, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seq < 1 || seq > d.Last {
		return &fault{http.StatusNotFound, fmt.Sprintf("run %q has steps 1 to %d, and no step %q", describe.Plain(d.ID, 300), d.Last, describe.Plain(text, 50))}
	}
	d.At = seq
	return nil
}

// readView reads how the run stands, or stood.
func (s *Site) readView(ctx context.Context, d *runData) error {
	if d.At > 0 {
		m, snapshot, err := s.Engine.At(ctx, d.ID, d.At)
		if err != nil {
			return err
		}
		v := m.View(snapshot)
		d.View = s.told(&v)
		d.Sentence = describe.Printable(fmt.Sprintf("After step %d, at %s: %s", d.At, describe.When(v.Updated, d.now), describe.Sentence(d.View, v.Updated)))
		d.now = v.Updated
		return nil
	}
	v, err := s.Engine.Get(ctx, d.ID)
	if err != nil {
		return err
	}
	d.View, d.Last = s.told(&v), max(d.Last, v.Seq)
	d.Sentence = describe.Printable(describe.Sentence(d.View, d.now))
	return nil
}

// told is what a page may tell of a run.
func (s *Site) told(v *runtime.View) *runtime.View {
	if s.HideData {
		return describe.WithoutData(v)
	}
	return v
}

// readParts makes the parts of the page of what has been read.
func (s *Site) readParts(r *http.Request, d *runData) {
	ctx := r.Context()
	s.drawRun(r, d)
	d.Bars = bars(d.steps, d.View, d.now)
	if d.View == nil {
		return
	}
	d.Activities = d.activityRows()
	if len(d.Activities) > activitiesShown && r.URL.Query().Get("activities") == "" {
		d.Others = len(d.Activities) - activitiesShown
		d.Activities = d.Activities[:activitiesShown]
	}
	if d.At == 0 && s.mayWrite(r) {
		d.Commands = s.commands(ctx, d.ID)
		d.Events = d.eventForms()
	}
	if rows, err := s.Engine.List(ctx, runtime.RunFilter{Parent: d.ID, Limit: childrenShown + 1}); err == nil {
		d.Children, d.More = rows[:min(len(rows), childrenShown)], len(rows) > childrenShown
	}
	if rows, err := s.Store.Outbox(ctx, d.ID, 1); err == nil && len(rows) > 0 && d.At == 0 {
		d.Message = &rows[0]
	}
}

// drawRun lights the drawing of the run's machine.
func (s *Site) drawRun(r *http.Request, d *runData) {
	if d.Machine == nil {
		return
	}
	drawn, compact := d.Machine.pictures()
	if drawn == nil {
		return
	}
	if len(drawn.text) > heavyDrawing {
		if d.Shortened = r.URL.Query().Get("full") == ""; d.Shortened {
			drawn = compact
		}
	}
	steps, last := d.steps, d.shown()
	if !d.latest {
		var err error
		if steps, err = s.Engine.History(r.Context(), d.ID, max(0, last-historyShown), int(min(historyShown, last))); err != nil {
			steps = nil // it is said where the history stands
		}
	}
	state := d.Row.State
	if d.View != nil {
		state = d.View.State
	}
	l := d.Machine.walked(steps, state)
	here := s.Base + d.Path
	if r.Method == http.MethodGet && d.At == 0 && !d.ByQuery() {
		here = "" // a drawing has many links
	}
	for _, leaf := range d.Machine.leaves() {
		l.links["state-"+leaf.Path] = here + d.Mark() + "state=" + url.QueryEscape(leaf.Path) + "#history"
	}
	d.Drawing, d.Wide = drawn.lit(l), drawn.wide > wideDrawing
}

// heavyDrawing is from how many bytes on a page has the compact drawing, and the full one behind a link.
const heavyDrawing = 16 << 10

// wideDrawing is from what width on a drawing stands above the rest, not beside it.
const wideDrawing = 1100

// lightOf is what a highlighted drawing marks.
func lightOf(d *drawing.Drawing) *light {
	l := newLight()
	class := func(id string, m drawing.Mark) {
		switch m {
		case drawing.Taken:
			l.classes[id] = "taken"
		case drawing.Current:
			l.classes[id] = "current"
		}
	}
	d.Root.Walk(func(n *drawing.Node) { class("state-"+n.ID, n.Mark) })
	for _, e := range d.Edges {
		class("arrow-"+e.ID(), e.Mark)
	}
	return l
}

// shown is the last step that is.
func (d *runData) shown() int64 { return cmp.Or(d.At, d.Last) }

// Back and Forward are the steps beside the one that is shown; 0 for none.
func (d *runData) Back() int64 { return d.shown() - 1 }

func (d *runData) Forward() int64 { return d.At + 1 }

// AtPath is where the run as it was after a step stands, below the base.
func (d *runData) AtPath(seq int64) string {
	if d.ByQuery() {
		return fmt.Sprintf("%s&at=%d", d.Path, seq)
	}
	return fmt.Sprintf("%s/at/%d", d.Path, seq)
}

// ByQuery reports whether the id of the run stands in the query of its address.
func (d *runData) ByQuery() bool { return strings.HasPrefix(d.Path, "run?") }

// SliderPath is where the form goes that asks for the run as it was after a step.
func (d *runData) SliderPath() string {
	path, _, _ := strings.Cut(d.Path, "?")
	return path
}

// Post is where a form of the run's page goes, below the base.
func (d *runData) Post(command string) string {
	if d.ByQuery() {
		return "run/" + command + "?id=" + d.ID
	}
	return d.Path + "/" + command
}

// Mark is what a query begins with behind the path of the run.
func (d *runData) Mark() string {
	if d.ByQuery() {
		return "&"
	}
	return "?"
}

// Version is the part of the version's hash that people read.
func (d *runData) Version() string { return d.Row.Definition[:min(12, len(d.Row.Definition))] }

// NoDrawing says why there is none.
func (d *runData) NoDrawing() string {
	switch {
	case d.Machine == nil:
		return "There is no drawing: the definition cannot be read."
	case d.Machine.ir == nil:
		return "There is no drawing: the text of this version was not stored with it."
	}
	return "There is no drawing: the machine has too many states for one. Its page has a table of them."
}

// Takes are the events that the run takes, where there are no forms for them.
func (d *runData) Takes() (out []string) {
	if d.View == nil {
		return nil
	}
	for i := range d.View.Events {
		out = append(out, describe.Event(&d.View.Events[i]))
	}
	return out
}
