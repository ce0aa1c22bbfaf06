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
	Exact      jsonExact               `json:"exact"`
	Unbounded  []jsonEndless           `json:"unbounded"`
	Factors    jsonFactors             `json:"factors"`
	Tree       *jsonTree               `json:"tree,omitempty"` // of a machine that calls others
	Runs       []jsonWorstRun          `json:"runs,omitempty"` // with --witness
}

// jsonExact says which figures some run reaches; the others are upper bounds.
type jsonExact struct {
	Steps      bool `json:"steps"`
	Time       bool `json:"time"`
	Costs      bool `json:"costs"`
	Activities bool `json:"activities"`
}

// jsonFactors says what each figure is made of: "3 attempts x 4 visits". One
// without a bound, or of 0, is not there.
type jsonFactors struct {
	Steps      string            `json:"steps"`
	Time       string            `json:"time"`
	Costs      map[string]string `json:"costs"`
	Activities map[string]string `json:"activities"`
}

// jsonTree is the worst case of a run with all the runs that it starts. Attempts are by
// machine and activity: "CodeReview.analyze".
type jsonTree struct {
	Steps    *json.Number            `json:"steps"`
	Attempts map[string]*json.Number `json:"attempts"`
	Costs    map[string]*json.Number `json:"costs"`
	Runs     *json.Number            `json:"runs"` // with the run itself
	Exact    jsonTreeExact           `json:"exact"`
	Factors  jsonTreeFactors         `json:"factors"`
}

// jsonTreeExact is jsonExact of a tree.
type jsonTreeExact struct {
	Steps    bool `json:"steps"`
	Attempts bool `json:"attempts"`
	Costs    bool `json:"costs"`
	Runs     bool `json:"runs"`
}

// jsonTreeFactors is jsonFactors of a tree.
type jsonTreeFactors struct {
	Steps    string            `json:"steps"`
	Attempts map[string]string `json:"attempts"`
	Costs    map[string]string `json:"costs"`
	Runs     string            `json:"runs"`
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
		Exact: jsonExact{
			Steps: w.Steps.Exact, Time: w.Time.Exact,
			Costs: allExact(w.Costs), Activities: allExact(w.Activities),
		},
		Unbounded: []jsonEndless{},
		Factors: jsonFactors{
			Steps: w.Steps.Factors, Time: w.Time.Factors,
			Costs: factors(w.Costs), Activities: factors(w.Activities),
		},
	}
	if t := w.Tree; t != nil {
		out.Tree = &jsonTree{
			Steps: amount(t.Steps), Attempts: amounts(t.Attempts), Costs: amounts(w.Costs), Runs: amount(t.Runs),
			Exact: jsonTreeExact{Steps: t.Steps.Exact, Attempts: allExact(t.Attempts), Costs: allExact(w.Costs), Runs: t.Runs.Exact},
			Factors: jsonTreeFactors{
				Steps: t.Steps.Factors, Attempts: factors(t.Attempts), Costs: factors(w.Costs), Runs: t.Runs.Factors,
			},
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
func printBounds(out io.Writer, title, name string, w *check.Worst) error {
	if w == nil {
		_, err := fmt.Fprintf(out, "\n%s: the worst case is not known while names or types are wrong\n", title)
		return err
	}
	fmt.Fprintf(out, "\nThe worst case of %s:\n", title)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	printFigure(t, w, "steps", w.Steps, ir.DecimalText)
	printFigure(t, w, "time", w.Time, timeText)
	for _, f := range w.Costs {
		printFigure(t, w, f.Name, f, ir.DecimalText)
	}
	for _, f := range w.Activities {
		what := " attempts"
		if f.Called {
			what = " runs"
		}
		printFigure(t, w, f.Name+what, f, ir.DecimalText)
	}
	printTree(t, name, w)
	return t.Flush()
}

// printTree writes what the machine called name does with all that it calls; its own
// attempts are written already.
func printTree(t io.Writer, name string, w *check.Worst) {
	if w.Tree == nil {
		return
	}
	for _, f := range w.Tree.Attempts {
		if !strings.HasPrefix(f.Name, name+".") {
			printFigure(t, w, f.Name+" attempts", f, ir.DecimalText)
		}
	}
	printFigure(t, w, "runs of the tree", w.Tree.Runs, ir.DecimalText)
	printFigure(t, w, "steps of the tree", w.Tree.Steps, ir.DecimalText)
}

func printFigure(t io.Writer, w *check.Worst, label string, f check.Figure, text func(*big.Rat) string) {
	if f.Amount == nil {
		fmt.Fprintf(t, "  %s\tno bound\t%s\n", label, w.Why(f.Name))
		return
	}
	value := text(f.Amount)
	if !f.Exact {
		value = "at most " + value
	}
	if f.Factors != "" {
		value += "\t= " + f.Factors
	}
	if f.Leave {
		value += ", with an operator's leave"
	}
	fmt.Fprintf(t, "  %s\t%s\n", label, value)
}

// worstRun is a run that reaches figures, or comes near them.
type worstRun struct {
	reaches []string
	toward  []string // upper bounds, which it is not known to reach
	said    []string // all of them, and of those how much it reaches
	run     *diag.Witness
}

// note adds a figure to those of r; text is that of an amount.
func (r *worstRun) note(what string, f check.Figure, text func(*big.Rat) string) {
	amount, short := f.Short()
	if !short {
		r.reaches, r.said = append(r.reaches, what), append(r.said, what)
		return
	}
	said := what + " (at most " + text(f.Amount)
	if amount != nil {
		said += ", here " + text(amount)
	}
	r.toward, r.said = append(r.toward, what), append(r.said, said+")")
}

// timeText is an amount of nanoseconds as a person reads it.
func timeText(r *big.Rat) string { return ir.FormatDuration(int64(nanoseconds(r))) }

// worstRuns are the runs of the figures of w; figures that have the same run
// share it. Without expand they are without the steps of the machines that they
// call.
func worstRuns(w *check.Worst, expand bool) []worstRun {
	var out []worstRun
	add := func(what string, f check.Figure) {
		text := ir.DecimalText
		if what == "time" {
			text = timeText
		}
		if f.Run == nil || f.Amount.Sign() == 0 {
			return
		}
		run := f.Run.Diag()
		if !expand {
			run.Fold()
		}
		for i := range out {
			if reflect.DeepEqual(out[i].run, run) {
				out[i].note(what, f, text)
				return
			}
		}
		out = append(out, worstRun{run: run})
		out[len(out)-1].note(what, f, text)
	}
	add("steps", w.Steps)
	add("time", w.Time)
	for _, f := range w.Costs {
		add("cost "+f.Name, f)
	}
	for _, f := range w.Activities {
		add("attempts of "+f.Name, f)
	}
	if w.Tree != nil {
		for _, f := range w.Tree.Attempts {
			add("attempts of "+f.Name, f)
		}
		add("runs of the tree", w.Tree.Runs)
		add("steps of the tree", w.Tree.Steps)
	}
	return out
}

// printWorstRuns draws the runs that reach the figures of w.
func printWorstRuns(out io.Writer, title string, w *check.Worst, expand bool) error {
	if w == nil {
		return nil
	}
	for _, r := range worstRuns(w, expand) {
		kind := "worst run"
		if len(r.reaches) == 0 {
			kind = "run"
		}
		fmt.Fprintf(out, "\nA %s of %s for %s:\n", kind, title, strings.Join(r.said, ", "))
		if err := diag.WriteWitness(out, r.run, diag.TextOptions{Color: color(out)}); err != nil {
			return err
		}
	}
	return nil
}
