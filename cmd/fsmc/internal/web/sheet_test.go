package web

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/svg"
)

var variable = regexp.MustCompile(`--([a-z-]+):#([0-9a-f]{6})`)

// palettes are the colours of the sheet on a light and on a dark ground.
func palettes(t *testing.T) []map[string]string {
	t.Helper()
	var out []map[string]string
	for _, part := range strings.SplitAfter(string(read("app.css")), "}")[:2] {
		colours := map[string]string{}
		for _, m := range variable.FindAllStringSubmatch(part, -1) {
			colours[m[1]] = m[2]
		}
		if len(colours) < 15 {
			t.Fatalf("the sheet has a palette of %d colours: the test sees nothing", len(colours))
		}
		out = append(out, colours)
	}
	return out
}

// TestContrast: text has a contrast of 4.5 to what it stands on, lines and marks one of 3.
func TestContrast(t *testing.T) {
	for i, colours := range palettes(t) {
		for _, pair := range strings.Fields(`ink/paper ink/card quiet/paper quiet/card link/paper link/card on-link/link
			good/paper good/good-bg bad/paper bad/card bad/bad-bg warn/warn-bg paper/bad paper/warn ink/warn-bg bad/warn-bg quiet/warn-bg link/warn-bg`) {
			if got := ratio(t, colours, pair); got < 4.5 {
				t.Errorf("palette %d: %s has a contrast of %.2f", i, pair, got)
			}
		}
		for _, pair := range strings.Fields("edge/paper edge/card bar-now/paper bar-now/card bad/bar ink/bar") {
			most := 3.0
			if strings.HasSuffix(pair, "/bar") { // attempts within a visit: their titles say the same, and the lines of history
				most = 1.6
			}
			if got := ratio(t, colours, pair); got < most {
				t.Errorf("palette %d: %s has a contrast of %.2f", i, pair, got)
			}
		}
	}
}

func ratio(t *testing.T, colours map[string]string, pair string) float64 {
	t.Helper()
	a, b, _ := strings.Cut(pair, "/")
	one, other := luminance(t, colours[a]), luminance(t, colours[b])
	return (max(one, other) + .05) / (min(one, other) + .05)
}

// luminance is the relative luminance of WCAG.
func luminance(t *testing.T, colour string) (sum float64) {
	t.Helper()
	n, err := strconv.ParseUint(colour, 16, 32)
	if err != nil {
		t.Fatalf("there is no colour %q", colour)
	}
	for i, weight := range []float64{.0722, .7152, .2126} {
		c := float64(n>>(8*i)&255) / 255
		if c <= .04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// TestWeight: what a page loads is small.
func TestWeight(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	script, sheet, page := len(assets["app.js"].text), len(assets["app.css"].text), len(s.get("/runs/doc-1", 200))
	t.Logf("script %d, sheet %d with %d of drawings, page %d bytes", script, sheet, len(svg.Sheet("auto")), page)
	if script >= 12<<10 || sheet >= 16<<10 || script+sheet+page >= 60<<10 {
		t.Errorf("a page weighs %d + %d + %d bytes", script, sheet, page)
	}
}

// TestPolicy: no page has a script or a style within it, or loads anything from elsewhere.
func TestPolicy(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	inline := regexp.MustCompile(`(?i)<style|<script[^>]*>[^<]|\sstyle=|\son[a-z]+=|(?:src|href)="(?:https?:)?//`)
	for _, path := range strings.Fields("/ /runs /runs/doc-1 /runs/doc-1/at/1 /machines/Approval /machines/Approval/simulate /runs/doc-1/simulate /problems") {
		if found := inline.FindString(s.get(path, 200)); found != "" {
			t.Errorf("%s has %q", path, found)
		}
	}
}
