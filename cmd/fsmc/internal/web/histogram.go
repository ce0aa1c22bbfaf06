package web

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
)

// histogram is how long the visits of a state lasted, as a bar for each column of them.
func histogram(h *runtime.HistogramStats) template.HTML {
	const wide, high = 4, 16
	most := int64(0)
	if h != nil {
		most = slices.Max(h.Counts)
	}
	if most == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="bar hist" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="How long visits lasted">`, wide*len(h.Counts), high, wide*len(h.Counts), high)
	for i, n := range h.Counts {
		if n == 0 {
			continue
		}
		tall := max(1, high*n/most)
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d"><title>%s</title></rect>`, wide*i, high-tall, wide-1, tall, quoted(column(h, i)))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // numbers, and texts that are quoted
}

// column says what a column of a histogram has.
func column(h *runtime.HistogramStats, i int) string {
	visits := describe.Count(h.Counts[i], "visit")
	if i == len(h.LE) {
		return visits + " longer than " + describe.Duration(h.LE[i-1])
	}
	return visits + " up to " + describe.Duration(h.LE[i])
}
