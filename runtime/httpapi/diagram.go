package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"

	"github.com/fsmc-dev/fsmc/runtime"
)

func (a *API) getMachineDiagram(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r)
	p := q.picture()
	if q.err != nil {
		return q.err
	}
	v, err := a.versionOf(r)
	if err != nil {
		return err
	}
	if counts := q.flag("counts"); q.err != nil {
		return q.err
	} else if counts {
		stats, err := a.stats(r.Context(), runtime.StatsQuery{Machine: v.Name})
		if err != nil {
			return err
		}
		p.Counts = stats.States
	}
	return a.draw(w, r, v, &p)
}

func (a *API) getRunDiagram(w http.ResponseWriter, r *http.Request) error {
	q := queryOf(r)
	p := q.picture()
	if q.err != nil {
		return q.err
	}
	view, err := a.engine.Get(r.Context(), r.PathValue("run"))
	if err != nil {
		return a.noRun(r, err)
	}
	p.Run = &view
	if p.Steps, err = a.engine.History(r.Context(), view.Run, max(0, view.Seq-drawnSteps), drawnSteps); err != nil {
		return err
	}
	v, err := a.engine.Version(r.Context(), view.Definition)
	if err != nil {
		return noVersion(view.Run, err)
	}
	return a.draw(w, r, &v, &p)
}

// drawnSteps is how many of the last steps of a run are marked in its drawing.
const drawnSteps = 1000

func (q *query) picture() Picture {
	return Picture{Compact: q.flag("compact"), Theme: q.choice("theme", "auto", "light", "dark")}
}

// draw answers with a drawing, or with nothing where the caller has the same.
func (a *API) draw(w http.ResponseWriter, r *http.Request, v *runtime.Version, p *Picture) error {
	if a.front == nil {
		return errNoFrontEnd("draw")
	}
	svg, err := a.front.Diagram(r.Context(), v, *p)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(svg)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "no-cache") // kept, and asked about each time
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	w.Header().Set("Content-Type", "image/svg+xml")
	w.Write(svg)
	return nil
}

// FrontEnd is what only a program with the compiler knows. Without one these members of
// answers are absent, and the routes that need it answer 501.
type FrontEnd interface {
	// WorstCase is that of a version, as fsmc check --format json has it; nil for none.
	WorstCase(ctx context.Context, v *runtime.Version) json.RawMessage
	// Diagram draws a version as SVG.
	Diagram(ctx context.Context, v *runtime.Version, p Picture) ([]byte, error)
	// Compile compiles a source text; name picks a machine where there are several, and may
	// be empty. The error says what is wrong with the text.
	Compile(ctx context.Context, source, name string) (*runtime.Machine, error)
}

// Picture is how a machine is drawn.
type Picture struct {
	Compact bool
	Theme   string // "light", "dark" or "auto"

	// Of a run: its steps so far, oldest first, and where it is; nil of a machine.
	Run   *runtime.View
	Steps []runtime.StepView

	// Of a machine with counts: its states; nil where they are not asked for.
	Counts []runtime.StateStats
}
