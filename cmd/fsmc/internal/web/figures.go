package web

import (
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Strip is a bar with a part for each state, as wide as its share of the runs.
func (c *card) Strip() template.HTML {
	const wide = 300
	var total, before int64
	for _, s := range c.Shares {
		total += s.Runs
	}
	if total == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="strip" viewBox="0 0 %d 14" width="%d" height="14" role="img" aria-label="Runs by state" preserveAspectRatio="none">`, wide, wide)
	for i, s := range c.Shares {
		left, right := wide*before/total, wide*(before+s.Runs)/total
		before += s.Runs
		fmt.Fprintf(&b, `<rect class="part%d" x="%d" width="%d" height="14"><title>%s</title></rect>`, i%3, left, max(1, right-left-1), quoted(fmt.Sprintf("%d in %s", s.Runs, s.State)))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // numbers, and texts that are quoted
}

// Throughput is a bar for each minute of the last hour, as high as its steps are many. A minute in which nothing
// happened takes no room in the page.
func (c *card) Throughput() template.HTML {
	const wide, high = 5, 36 // of a bar
	most := int64(1)
	for _, m := range c.Hour {
		most = max(most, m.Steps)
	}
	var bars, words strings.Builder
	for i, m := range c.Hour {
		if m.Steps+m.Started+m.Ended == 0 {
			continue
		}
		fmt.Fprintf(&bars, "M%d %dv-%dh%dv%[3]dz", wide*i, high+1, (high*m.Steps+most-1)/most+1, wide-1)
		fmt.Fprintf(&words, `<path d="M%d 0h%dv%dh-%[2]dz"><title>%[4]s: %[5]s</title></path>`, wide*i, wide, high+1, m.Minute.Local().Format("15:04"), minuteWords(&m))
	}
	return template.HTML(fmt.Sprintf(`<svg class="hour" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" role="img" aria-label="Steps in each minute of the last hour" preserveAspectRatio="none">`+
		`<path class="none" d="M0 %[2]dh%[1]dv-1H0z"/><path d="%[3]s"/><g>%[4]s</g></svg>`, wide*len(c.Hour), high+1, bars.String(), words.String())) // numbers
}

// minuteWords says what happened in a minute, or in several.
func minuteWords(m *store.MinuteCount) string {
	return fmt.Sprintf("%s, %d started, %d ended", describe.Count(m.Steps, "step"), m.Started, m.Ended)
}

// histogram is how long the visits of a state lasted, as a bar for each column of them.
func histogram(h *runtime.HistogramStats) template.HTML {
	const wide, high = 4, 16 // the sheet has the size of the picture
	if h == nil || slices.Max(h.Counts) == 0 {
		return ""
	}
	most := slices.Max(h.Counts)
	var line strings.Builder
	var told []string
	for i, n := range h.Counts {
		if n == 0 {
			continue
		}
		tall := max(1, high*n/most)
		fmt.Fprintf(&line, "M%d %dv-%dh%dv%d", wide*i, high, tall, wide-1, tall)
		if len(told) == 0 {
			told = append(told, describe.Count(n, "visit")+column(h, i))
		} else {
			told = append(told, fmt.Sprint(n)+column(h, i))
		}
	}
	return template.HTML(fmt.Sprintf(`<svg class="hist" role="img"><title>%s</title><path d="%s"/></svg>`, // numbers, and a text that is quoted
		quoted(strings.Join(told, ", ")), line.String()))
}

// column says what a column of a histogram has.
func column(h *runtime.HistogramStats, i int) string {
	if i == len(h.LE) {
		return " longer than " + describe.Duration(h.LE[i-1])
	}
	return " up to " + describe.Duration(h.LE[i])
}

// day is what the runs of a machine did on one.
type day struct {
	Day                           string
	Steps, Success, Failed, Other int64 // steps, and runs that ended
	Retries                       int64
	Costs                         []runtime.CostStats
}

// days are those of the last week on which something happened, newest first.
func days(v *survey, name string) []*day {
	byDay := map[string]*day{}
	of := func(text string) *day {
		if byDay[text] == nil {
			byDay[text] = &day{Day: text}
		}
		return byDay[text]
	}
	for _, r := range v.stats.Retries {
		if r.Machine == name {
			of(r.Day).Steps, of(r.Day).Retries = r.Steps, r.Retries
		}
	}
	for _, e := range v.stats.Ended {
		if e.Machine != name {
			continue
		}
		switch on := of(e.Day); {
		case e.Outcome == runtime.Success:
			on.Success += e.Runs
		case e.Outcome == runtime.Failed:
			on.Failed += e.Runs
		default:
			on.Other += e.Runs
		}
	}
	for _, c := range v.stats.Spent {
		if c.Machine == name {
			of(c.Day).Costs = append(of(c.Day).Costs, c)
		}
	}
	return slices.SortedFunc(maps.Values(byDay), func(a, b *day) int { return strings.Compare(b.Day, a.Day) })
}

// Bar is a day's ends as a bar: how many of the most on one day.
func (d *machineData) Bar(one *day) template.HTML {
	most := int64(1)
	for _, o := range d.Days {
		most = max(most, o.ended())
	}
	const wide = 160
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="ends" viewBox="0 0 %d 12" width="%d" height="12" aria-hidden="true">`, wide, wide)
	x := int64(0)
	for _, part := range []struct {
		class string
		n     int64
	}{{"success", one.Success}, {"failure", one.Failed}, {"cancelled", one.Other}} {
		if w := wide * part.n / most; part.n > 0 {
			fmt.Fprintf(&b, `<rect class="%s" x="%d" width="%d" height="12"/>`, part.class, x, max(2, w))
			x += max(2, w)
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // numbers
}

// mostPairs is for how many moves between states the arrows are looked for.
const mostPairs = 100

// often puts on each arrow of the drawing how often runs have taken it lately, as far as that is known of moves
// between states: as thickness, and of failures as a number.
func (l *light) often(v *version, counts []store.StepCount, name string) {
	type pair struct{ from, to string }
	moves, failures := map[pair]int64{}, map[pair]int64{}
	for i := range counts {
		c := &counts[i]
		if c.Machine != name || c.From == "" {
			continue
		}
		p := pair{c.From, c.To}
		switch fails := c.Kind == machine.FailureInput; {
		case c.Effect == machine.Moved:
			if moves[p] += c.Steps; fails {
				failures[p] += c.Steps
			}
		case c.Effect == machine.Retried && fails:
			l.failed["arrow-"+c.From+"-"+c.From+"-retry"] += c.Steps
		}
	}
	if len(moves) > mostPairs || v.ir == nil {
		return
	}
	taken := map[string]int64{}
	for p, n := range moves {
		for _, e := range drawing.Plan(v.ir, &drawing.Highlight{Moves: []drawing.Move{{From: p.from, To: p.to}}}).Edges {
			if id := "arrow-" + e.ID(); e.Mark == drawing.Taken {
				if taken[id] += n; failures[p] > 0 {
					l.failed[id] += failures[p]
				}
			}
		}
	}
	l.thick(taken)
}

// thick are the classes of arrows that were taken so often.
func (l *light) thick(often map[string]int64) {
	most := int64(0)
	for _, n := range often {
		most = max(most, n)
	}
	for id, n := range often {
		size := bits.Len64(uint64(n))
		l.classes[id] = fmt.Sprintf("often%d", max(1, min(size, 5-bits.Len64(uint64(most))+size)))
	}
}

// worstOf is the worst case of a version in short; empty where it is not known.
func worstOf(bounds json.RawMessage) string {
	var w struct {
		Steps *json.Number
		Time  *string
		Costs map[string]*json.Number
	}
	if bounds == nil || json.Unmarshal(bounds, &w) != nil {
		return ""
	}
	var parts []string
	if w.Steps != nil {
		parts = append(parts, w.Steps.String()+" steps")
	}
	if w.Time != nil {
		parts = append(parts, describe.Duration(*w.Time))
	}
	var costs []string
	for name, most := range w.Costs {
		if most != nil {
			costs = append(costs, most.String()+" "+name)
		}
	}
	slices.Sort(costs)
	return strings.Join(append(parts, costs...), ", ")
}
