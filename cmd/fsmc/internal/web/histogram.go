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
