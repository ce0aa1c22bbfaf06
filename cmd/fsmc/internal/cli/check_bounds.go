package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"text/tabwriter"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// jsonBounds is the worst case of a machine in check --format json. A figure
// without a bound is null, and has a row in Unbounded.
type jsonBounds struct {
	Steps      *json.Number            `json:"steps"`
	Time       *string                 `json:"time"` // in Go's form
	Costs      map[string]*json.Number `json:"costs"`
	Activities map[string]*json.Number `json:"activities"` // attempts
	Exact      jsonExact               `json:"exact"`
	Unbounded  []jsonEndless           `json:"unbounded"`
}

// jsonExact says which figures some run reaches; the others are upper bounds.
type jsonExact struct {
	Steps      bool `json:"steps"`
	Time       bool `json:"time"`
	Costs      bool `json:"costs"`
	Activities bool `json:"activities"`
}

type jsonEndless struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// boundsJSON gives w its JSON form; nil for a machine that has none.
func boundsJSON(w *check.Worst) *jsonBounds {
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
	for _, f := range figures {
		if f.Amount != nil && !f.Exact {
			return false
		}
	}
	return true
}

// printBounds writes the worst case of a machine as a table.
func printBounds(out io.Writer, name string, w *check.Worst) error {
	if w == nil {
		_, err := fmt.Fprintf(out, "\n%s: the worst case is not known while names or types are wrong\n", name)
		return err
	}
	fmt.Fprintf(out, "\nThe worst case of %s:\n", name)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	printFigure(t, w, "steps", w.Steps, ir.DecimalText)
	printFigure(t, w, "time", w.Time, func(r *big.Rat) string { return ir.FormatDuration(int64(nanoseconds(r))) })
	for _, f := range w.Costs {
		printFigure(t, w, f.Name, f, ir.DecimalText)
	}
	for _, f := range w.Activities {
		printFigure(t, w, f.Name+" attempts", f, ir.DecimalText)
	}
	return t.Flush()
}

func printFigure(t io.Writer, w *check.Worst, label string, f check.Figure, text func(*big.Rat) string) {
	if f.Amount == nil {
		fmt.Fprintf(t, "  %s\tno bound\t%s\n", label, whyEndless(w, f.Name))
		return
	}
	value := text(f.Amount)
	if !f.Exact {
		value = "at most " + value
	}
	if f.Factors != "" {
		value += "\t" + f.Factors
	}
	fmt.Fprintf(t, "  %s\t%s\n", label, value)
}

// whyEndless is why a figure has no bound.
func whyEndless(w *check.Worst, figure string) string {
	for _, e := range w.Unbounded {
		if e.What == figure {
			return e.Why
		}
	}
	return ""
}
