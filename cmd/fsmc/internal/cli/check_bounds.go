package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// jsonBounds is the worst case of a machine in check --format json. A figure
// without a bound is null, and has a row in Unbounded. Costs and time are those of a run
// with all that it starts.
type jsonBounds struct {
	Steps      *json.Number            `json:"steps"`
	Time       *string                 `json:"time"` // in Go's form
	Costs      map[string]*json.Number `json:"costs"`
	Activities map[string]*json.Number `json:"activities"` // attempts

	// Exact says which figures some run reaches; the others are upper bounds.
	Exact     jsonFigures[bool, bool] `json:"exact"`
	Unbounded []jsonEndless           `json:"unbounded"`
	// Factors says what each figure is made of: "3 attempts x 4 visits". One without a
	// bound, or of 0, is not there.
	Factors jsonFigures[string, map[string]string] `json:"factors"`
	Tree    *jsonTree                              `json:"tree,omitempty"` // of a machine that calls others
	Runs    []jsonWorstRun                         `json:"runs,omitempty"` // with --witness
}

// jsonFigures is something that each figure of a machine has.
type jsonFigures[One, Many any] struct {
	Steps      One  `json:"steps"`
	Time       One  `json:"time"`
	Costs      Many `json:"costs"`
	Activities Many `json:"activities"`
}

// jsonTree is the worst case of a run with all the runs that it starts. Attempts are by
// machine and activity: "CodeReview.analyze".
type jsonTree struct {
	jsonTreeFigures[*json.Number, map[string]*json.Number]
	Exact   jsonTreeFigures[bool, bool]                `json:"exact"`
	Factors jsonTreeFigures[string, map[string]string] `json:"factors"`
}

// jsonTreeFigures is jsonFigures of a tree.
type jsonTreeFigures[One, Many any] struct {
	Steps    One  `json:"steps"`
	Attempts Many `json:"attempts"`
	Costs    Many `json:"costs"`
	Runs     One  `json:"runs"` // with the run itself
}

// jsonWorstRun is a run that reaches figures, or comes near them.
type jsonWorstRun struct {
	Reaches []string          `json:"reaches"`          // "steps", "time", "cost tokens", "attempts of analyze"
	Toward  []string          `json:"toward,omitempty"` // the same: upper bounds, which it is not known to reach
	Witness *diag.JSONWitness `json:"witness"`
}

type jsonEndless struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// boundsJSON gives w its JSON form; nil for a machine that has none.
func boundsJSON(w *check.Worst, expand bool) *jsonBounds {
	if w == nil {
		return nil
	}
	out := &jsonBounds{
		Steps: amount(w.Steps), Time: duration(w.Time),
		Costs: amounts(w.Costs), Activities: amounts(w.Activities),
		Exact:     jsonFigures[bool, bool]{Steps: w.Steps.Exact, Time: w.Time.Exact, Costs: allExact(w.Costs), Activities: allExact(w.Activities)},
		Unbounded: []jsonEndless{},
		Factors:   jsonFigures[string, map[string]string]{Steps: w.Steps.Factors, Time: w.Time.Factors, Costs: factors(w.Costs), Activities: factors(w.Activities)},
	}
	if t := w.Tree; t != nil {
		out.Tree = &jsonTree{
			jsonTreeFigures[*json.Number, map[string]*json.Number]{Steps: amount(t.Steps), Attempts: amounts(t.Attempts), Costs: amounts(w.Costs), Runs: amount(t.Runs)},
			jsonTreeFigures[bool, bool]{Steps: t.Steps.Exact, Attempts: allExact(t.Attempts), Costs: allExact(w.Costs), Runs: t.Runs.Exact},
			jsonTreeFigures[string, map[string]string]{Steps: t.Steps.Factors, Attempts: factors(t.Attempts), Costs: factors(w.Costs), Runs: t.Runs.Factors},
		}
	}
	for _, r := range worstRuns(w, expand) {
		out.Runs = append(out.Runs, jsonWorstRun{Reaches: append([]string{}, r.reaches...), Toward: r.toward, Witness: diag.NewJSONWitness(r.run)})
	}
	for _, e := range w.Unbounded {
		out.Unbounded = append(out.Unbounded, jsonEndless{What: e.What, Why: e.Why})
	}
	return out
}

func amount(f check.Figure) *json.Number {
	if f.Amount == nil {
		return nil
	}
	n := json.Number(ir.DecimalText(f.Amount))
	return &n
}

func amounts(figures []check.Figure) map[string]*json.Number {
	out := map[string]*json.Number{}
	for _, f := range figures {
		out[f.Name] = amount(f)
	}
	return out
}

func factors(figures []check.Figure) map[string]string {
	out := map[string]string{}
	for _, f := range figures {
		if f.Factors != "" {
			out[f.Name] = f.Factors
		}
	}
	return out
}

func duration(f check.Figure) *string {
	if f.Amount == nil {
		return nil
	}
	text := nanoseconds(f.Amount).String()
	return &text
}

// nanoseconds is a time figure as a duration, the longest one where it is more.
func nanoseconds(r *big.Rat) time.Duration {
	whole := new(big.Int).Quo(r.Num(), r.Denom())
	if !whole.IsInt64() {
		return 1<<63 - 1
	}
	return time.Duration(whole.Int64())
}

// allExact reports whether every figure that has a bound is reached by a run.
func allExact(figures []check.Figure) bool {
	return !slices.ContainsFunc(figures, func(f check.Figure) bool { return f.Amount != nil && (!f.Exact || f.Leave) })
}

// printBounds writes the worst case of a machine as a table.
func printBounds(out io.Writer, title, name string, w *check.Worst) {
	if w == nil {
		fmt.Fprintf(out, "\n%s: the worst case is not known while the text has errors\n", title)
		return
	}
	fmt.Fprintf(out, "\nThe worst case of %s:\n", title)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range figuresOf(w) {
		if !strings.HasPrefix(f.label, name+".") { // an attempt of its own is there already
			printFigure(t, w, f)
		}
	}
	t.Flush()
}

type figure struct {
	check.Figure
	label string                // in a table
	what  string                // of a run that reaches it
	text  func(*big.Rat) string // of an amount
}

// figuresOf are those of w in order, and then those of its tree.
func figuresOf(w *check.Worst) []figure {
	all := []figure{{w.Steps, "steps", "steps", ir.DecimalText}, {w.Time, "time", "time", timeText}}
	for _, f := range w.Costs {
		all = append(all, figure{f, f.Name, "cost " + f.Name, ir.DecimalText})
	}
	attempts := func(f check.Figure, unit string) {
		all = append(all, figure{f, f.Name + unit, "attempts of " + f.Name, ir.DecimalText})
	}
	for _, f := range w.Activities {
		if f.Called {
			attempts(f, " runs")
		} else {
			attempts(f, " attempts")
		}
	}
	if t := w.Tree; t != nil {
		for _, f := range t.Attempts {
			attempts(f, " attempts")
		}
		all = append(all, figure{t.Runs, "runs of the tree", "runs of the tree", ir.DecimalText},
			figure{t.Steps, "steps of the tree", "steps of the tree", ir.DecimalText})
	}
	return all
}

func printFigure(t io.Writer, w *check.Worst, f figure) {
	if f.Amount == nil {
		fmt.Fprintf(t, "  %s\tno bound\t%s\n", f.label, w.Why(f.Name))
		return
	}
	value := f.text(f.Amount)
	if !f.Exact {
		value = "at most " + value
	}
	if f.Factors != "" {
		value += "\t= " + f.Factors
	}
	if f.Leave {
		value += ", with an operator's leave"
	}
	fmt.Fprintf(t, "  %s\t%s\n", f.label, value)
}

// worstRun is a run that reaches figures, or comes near them.
type worstRun struct {
	reaches []string
	toward  []string // upper bounds, which it is not known to reach
	said    []string // all of them, and of those how much it reaches
	run     *diag.Witness
}

// note adds a figure to those of r.
func (r *worstRun) note(f figure) {
	amount, short := f.Short()
	if !short {
		r.reaches, r.said = append(r.reaches, f.what), append(r.said, f.what)
		return
	}
	said := f.what + " (at most " + f.text(f.Amount)
	if amount != nil {
		said += ", here " + f.text(amount)
	}
	r.toward, r.said = append(r.toward, f.what), append(r.said, said+")")
}

// timeText is an amount of nanoseconds as a person reads it.
func timeText(r *big.Rat) string { return ir.FormatDuration(int64(nanoseconds(r))) }

// worstRuns are the runs of the figures of w; figures that have the same run
// share it. Without expand they are without the steps of the machines that they
// call.
func worstRuns(w *check.Worst, expand bool) []worstRun {
	var out []worstRun
	for _, f := range figuresOf(w) {
		if f.Run == nil || f.Amount.Sign() == 0 {
			continue
		}
		run := f.Run.Diag()
		run.Fold(expand)
		same := slices.IndexFunc(out, func(r worstRun) bool { return reflect.DeepEqual(r.run, run) })
		if same < 0 {
			same, out = len(out), append(out, worstRun{run: run})
		}
		out[same].note(f)
	}
	return out
}

// printWorstRuns draws the runs that reach the figures of w.
func printWorstRuns(out io.Writer, title string, w *check.Worst, expand bool) {
	if w == nil {
		return
	}
	for _, r := range worstRuns(w, expand) {
		kind := "worst run"
		if len(r.reaches) == 0 {
			kind = "run"
		}
		fmt.Fprintf(out, "\nA %s of %s for %s:\n", kind, title, strings.Join(r.said, ", "))
		diag.WriteWitness(out, r.run, diag.TextOptions{Color: color(out)})
	}
}
