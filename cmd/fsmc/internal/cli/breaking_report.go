package cli

import (
	"fmt"
	"io"

	"github.com/fsmc-dev/fsmc/check/breaking"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/token"
	"github.com/fsmc-dev/fsmc/runtime/describe"
)

type breakingReport struct {
	*breaking.Result
	texts  func(string) *token.File
	runs   map[*breaking.Point]*affected // that each concerns; nil where no database is asked
	stored bool                          // the older machines are those of unfinished runs
}

// diagnostic is p, with the runs that it concerns.
func (r *breakingReport) diagnostic(p *breaking.Point) diag.Diagnostic {
	d := p.Diagnostic()
	if n := r.runs[p]; n != nil && p.Rule.Severity() == diag.Error {
		d.Message += "; " + n.text()
	}
	d.Witness.Fold(false)
	return d
}

func (r *breakingReport) list() diag.List {
	var list diag.List
	for i := range r.Points {
		list.Add(r.diagnostic(&r.Points[i]))
	}
	return list
}

func writeBreakingText(w io.Writer, r *breakingReport) error {
	list := r.list()
	diag.WriteText(w, list, r.texts, diag.TextOptions{Color: color(w)})
	if len(list) > 0 {
		fmt.Fprintf(w, "\n%s; ", diag.Summary(list))
	}
	fmt.Fprintln(w, r.compared(list.HasErrors()))
	if len(r.Allowed) > 0 {
		fmt.Fprintf(w, "%s allowed\n", describe.Count(len(r.Allowed), "change"))
	}
	return nil
}

// compared says on one line what was compared, and that nothing breaks unless something does.
func (r *breakingReport) compared(breaks bool) string {
	switch {
	case r.Paired == 0 && r.stored:
		return "nothing was compared: no unfinished run is of a machine in the input"
	case r.Paired == 0:
		return "nothing was compared: no machine is in both"
	}
	changed := "none"
	if n := r.Paired - r.Same; n > 0 {
		changed = fmt.Sprint(n)
	}
	text := describe.Count(r.Paired, "machine") + " compared, " + changed + " changed"
	if !breaks {
		text += ": nothing breaks"
	}
	return text
}

func writeBreakingGitHub(w io.Writer, r *breakingReport) error { return diag.WriteGitHub(w, r.list()) }

// jsonBreaking is the output of breaking --format json, a promise to programs.
type jsonBreaking struct {
	Points  []jsonPoint `json:"points"`
	Allowed []jsonPoint `json:"allowed"`
	Paired  int         `json:"paired"` // machines that both sides have
	Same    int         `json:"same"`   // of these: what they mean is the same
	Added   []string    `json:"added"`  // machines that the old side has not
}

// jsonPoint is a point: a finding as check prints it, whose first related place is the
// one in the old text.
type jsonPoint struct {
	Family breaking.Family `json:"family"`
	diag.JSONDiagnostic
	Runs *affected `json:"runs,omitempty"` // that it concerns, where a database is asked
}

func writeBreakingJSON(w io.Writer, r *breakingReport) error {
	out := jsonBreaking{
		Points: r.pointsJSON(r.Points), Allowed: r.pointsJSON(r.Allowed),
		Paired: r.Paired, Same: r.Same, Added: append([]string{}, r.Added...),
	}
	return printJSON(w, out)
}

func (r *breakingReport) pointsJSON(points []breaking.Point) []jsonPoint {
	out := []jsonPoint{}
	for i := range points {
		p := &points[i]
		out = append(out, jsonPoint{p.Rule.Family, diag.JSON(diag.List{r.diagnostic(p)})[0], r.runs[p]})
	}
	return out
}
