package web

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// stepRow is a line of a run's history.
type stepRow struct {
	*runtime.StepView
	Arrow string // the id of the arrow in the drawing
	Bad   bool   // something went wrong
	Data  json.RawMessage
	Notes []string
	Took  string // how long the attempt took, or the run was in From
}

// readHistory reads the steps that the page shows, newest first, and those of its bars and its drawing.
func (s *Site) readHistory(ctx context.Context, r *http.Request, d *runData) error {
	last, shown := d.shown(), historyFirst
	d.latest = true
	if text := r.URL.Query().Get("before"); text != "" {
		before, err := strconv.ParseInt(text, 10, 64)
		if err != nil || before < 2 {
			return &fault{http.StatusBadRequest, fmt.Sprintf("%q is no step before which there are others", describe.Plain(text, 50))}
		}
		last, shown, d.latest = min(last, before-1), historyShown, false
	}
	if d.OfState = r.URL.Query().Get("state"); d.OfState != "" {
		shown = historyShown
	}
	steps, err := s.Engine.History(ctx, d.ID, max(0, last-historyShown), int(min(historyShown, last)))
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		d.Damage, d.latest = describe.Joined(d.Damage+" "+words(err), 2000), false
	}
	d.steps = steps
	arrows, after := arrowsOf(d.Machine), max(0, last-int64(shown))
	for i := len(steps) - 1; i >= 0 && steps[i].Seq > after; i-- {
		if step := &steps[i]; d.OfState == "" || step.From == d.OfState || step.To == d.OfState {
			d.History = append(d.History, stepRowOf(step, arrows, s.HideData))
		}
	}
	if after > 0 {
		d.Older = after + 1
	}
	return nil
}

// arrowsOf are the arrows of a drawing by the arms that lead along them.
func arrowsOf(v *version) map[string]string {
	arrows := map[string]string{}
	if v == nil || v.ir == nil {
		return arrows
	}
	for _, e := range drawing.Plan(v.ir, nil).Edges {
		for _, arm := range e.Arms {
			arrows[arm] = "arrow-" + e.ID()
		}
	}
	return arrows
}

func stepRowOf(step *runtime.StepView, arrows map[string]string, hide bool) stepRow {
	if hide {
		describe.DropData(step)
	}
	row := stepRow{StepView: step, Arrow: arrows[step.Arm], Took: describe.Duration(cmp.Or(step.Took, step.Held))}
	row.Bad = step.Kind == machine.FailureInput || step.Effect == machine.HaltedBy
	told := *step
	if len(step.Data) > len("{}") {
		row.Data, told.Data = step.Data, nil // shown whole, not cut as in a terminal
	}
	row.Notes = describe.Notes(&told)
	return row
}
