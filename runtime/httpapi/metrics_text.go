package httpapi

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The text format of Prometheus, version 0.0.4:
// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format

// mostSeries is how many series there are at most: what is left out is counted.
const mostSeries = 10_000

// exposition is a text of metrics.
type exposition struct {
	text    strings.Builder
	left    int // series that may still follow
	omitted int
}

// series are samples by their labels.
type series map[string]float64

// add adds to the sample that has these labels: names and values in turn.
func (s series) add(value float64, labels ...string) { s[labelsText(labels)] += value }

// labelsText writes labels: `machine="M",state="A"`.
func labelsText(labels []string) string {
	var b strings.Builder
	for i := 0; i < len(labels); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(labels[i] + `="` + escapeLabel.Replace(strings.ToValidUTF8(labels[i+1], "\uFFFD")) + `"`)
	}
	return b.String()
}

var escapeLabel = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// family begins the samples of one name.
func (e *exposition) family(name, kind, help string) {
	fmt.Fprintf(&e.text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// all writes a family with its samples, in order.
func (e *exposition) all(name, kind, help string, s series) {
	e.family(name, kind, help)
	for _, l := range slices.Sorted(maps.Keys(s)) {
		if e.room(1) {
			e.line(name, l, s[l])
		}
	}
}

// single writes a gauge without labels, for which there is always room.
func (e *exposition) single(name, help string, value float64) {
	e.family(name, "gauge", help)
	e.line(name, "", value)
}

// room takes places for n series, or counts them as left out.
func (e *exposition) room(n int) bool {
	if e.left < n {
		e.omitted += n
		return false
	}
	e.left -= n
	return true
}

func (e *exposition) line(name, labels string, value float64) {
	e.text.WriteString(name)
	if labels != "" {
		e.text.WriteString("{" + labels + "}")
	}
	e.text.WriteString(" " + number64(value) + "\n")
}

func number64(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// histogram is how many durations were at most so long.
type histogram struct {
	upTo   []time.Duration
	counts []int64 // of each column, and of what is longer
	sum    time.Duration
}

func newHistogram(upTo []time.Duration) *histogram {
	return &histogram{upTo: upTo, counts: make([]int64, len(upTo)+1)}
}

func (h *histogram) add(d time.Duration, times int64) {
	column, _ := slices.BinarySearch(h.upTo, d)
	h.counts[column] += times
	if d <= time.Duration(math.MaxInt64/max(times, 1)) && h.sum <= math.MaxInt64-d*time.Duration(times) {
		h.sum += d * time.Duration(times)
	} else {
		h.sum = math.MaxInt64 // 292 years
	}
}

func (e *exposition) histogram(name string, h *histogram, labels ...string) {
	if !e.room(len(h.counts) + 2) {
		return
	}
	text, below := labelsText(labels), int64(0)
	for i, n := range h.counts {
		le := math.Inf(1)
		if i < len(h.upTo) {
			le = h.upTo[i].Seconds()
		}
		below += n
		e.line(name+"_bucket", text+`,le="`+number64(le)+`"`, float64(below))
	}
	e.line(name+"_sum", text, h.sum.Seconds())
	e.line(name+"_count", text, float64(below))
}

// durations are how long the answers of this process took, by route and status.
type durations struct {
	mu  sync.Mutex
	all map[string]*histogram // by their labels
}

// answeredIn are the columns of their histogram.
var answeredIn = []time.Duration{5 * time.Millisecond, 25 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, 2500 * time.Millisecond, 10 * time.Second}

func (t *durations) add(d time.Duration, route string, status int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := route + "\x00" + strconv.Itoa(status)
	if t.all[key] == nil {
		t.all[key] = newHistogram(answeredIn)
	}
	t.all[key].add(d, 1)
}

func (t *durations) write(e *exposition) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.family("fsmc_http_seconds", "histogram", "How long answers of this process took, but for streams.")
	for _, k := range slices.Sorted(maps.Keys(t.all)) {
		route, code, _ := strings.Cut(k, "\x00")
		e.histogram("fsmc_http_seconds", t.all[k], "route", route, "code", code)
	}
}
