package web

import (
	"fmt"
	"html/template"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// week is how the runs of a machine ended on each of the last seven days, the oldest first.
type week struct {
	days                  [statsDays]day
	Ended, success, other int64
}

func weekOf(v *survey, name string) *week {
	w := &week{}
	known := days(v, name)
	for i := range w.days {
		text := v.at.UTC().AddDate(0, 0, i+1-statsDays).Format(time.DateOnly)
		w.days[i].Day = text
		if at := slices.IndexFunc(known, func(d *day) bool { return d.Day == text }); at >= 0 {
			w.days[i] = *known[at]
		}
		d := &w.days[i]
		w.Ended, w.success, w.other = w.Ended+d.ended(), w.success+d.Success, w.other+d.Other
	}
	return w
}

func (d *day) ended() int64 { return d.Success + d.Failed + d.Other }

// Success is the share of those that ended with success, in percent.
func (w *week) Success() int64 { return percentOf(w.success, w.Ended) }

// Failure is the share of those that failed.
func (w *week) Failure() int64 { return percentOf(w.Ended-w.success-w.other, w.Ended) }

// Trend is a bar for each day, as high as its share of success.
func (w *week) Trend() template.HTML {
	const wide, high = 42, 24 // of a bar
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="trend" viewBox="0 0 %d %d" width="%[1]d" height="%d" role="img" aria-label="Share of success on each of seven days" preserveAspectRatio="none">`, wide*len(w.days), high+1, high+1)
	for i := range w.days {
		d, words := &w.days[i], "no run ended"
		tall := int64(0)
		if n := d.ended(); n > 0 {
			tall, words = high*d.Success/n, fmt.Sprintf("%d %% of %d with success", percentOf(d.Success, n), n)
			fmt.Fprintf(&b, `<rect class="rest" x="%d" width="%d" height="%d"/>`, wide*i, wide-2, high-tall)
		}
		fmt.Fprintf(&b, `<g><title>%s: %s</title><rect class="day" x="%d" width="%d" height="%d"/><rect class="success" x="%d" y="%d" width="%d" height="%d"/></g>`,
			d.Day, words, wide*i, wide, high+1, wide*i, high-tall, wide-2, tall+1)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // numbers and days
}

// percentOf is a share in percent, to the nearest, of two the even one, so that a share and the rest are 100.
// 0 is none and 100 is all, and nothing else.
func percentOf(part, whole int64) int64 {
	switch part {
	case 0:
		return 0
	case whole:
		return 100
	}
	n := (200*part + whole) / (2 * whole)
	if (200*part+whole)%(2*whole) == 0 && n%2 == 1 {
		n--
	}
	return min(99, max(1, n))
}

// Today is what attempts have cost today, such as "usd 0.17".
func (w *week) Today() (out []string) {
	for _, c := range w.days[statsDays-1].Costs {
		out = append(out, c.Name+" "+c.Spent)
	}
	return out
}

// budgetWords are what the budget of a machine allows one run; empty where it has none.
func budgetWords(b *machine.Budget) string {
	if b == nil {
		return ""
	}
	var parts []string
	if b.Steps != nil {
		parts = append(parts, describe.Count(*b.Steps, "step"))
	}
	if b.Time != nil {
		parts = append(parts, machine.DurationText(time.Duration(*b.Time)))
	}
	for _, c := range b.Costs {
		parts = append(parts, c.Amount+" "+c.Name)
	}
	return strings.Join(parts, ", ")
}

// Against sets a day's cost against the budget: for how many runs it would be all that they may use.
func (d *machineData) Against(c runtime.CostStats) string {
	if d.Version.def.Budget == nil {
		return ""
	}
	for _, b := range d.Version.def.Budget.Costs {
		spent, ok := new(big.Rat).SetString(c.Spent)
		most, fine := new(big.Rat).SetString(b.Amount)
		if b.Name == c.Name && ok && fine && most.Sign() > 0 {
			return fmt.Sprintf("as much as %s runs may use", strings.TrimSuffix(spent.Quo(spent, most).FloatString(1), ".0"))
		}
	}
	return ""
}

// overBudget are the problems of a machine's runs that are over its budget, and whether there may be more.
func (v *survey) overBudget(name string) (over []runtime.Problem, more bool) {
	over = filtered(v.health.Problems, func(p runtime.Problem) bool { return p.Kind == runtime.OverBudget && p.Machine == name })
	return over, slices.Contains(v.health.More, runtime.OverBudget)
}
