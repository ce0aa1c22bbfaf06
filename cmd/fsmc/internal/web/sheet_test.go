package web

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/lang/langtest"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
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

// mostWeight is what a page may weigh with all that it loads.
const mostWeight = 60_000

// whole is the weight of a page with all that it loads.
func whole(page string) int {
	return len(assets["app.js"].text) + len(assets["app.css"].text) + len(page)
}

// TestWeight: what a page loads is small.
func TestWeight(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	script, sheet, page := len(assets["app.js"].text), len(assets["app.css"].text), len(s.get("/runs/doc-1", 200))
	t.Logf("script %d, sheet %d, page %d bytes", script, sheet, page)
	if script >= 12_000 || sheet >= 16_000 || script+sheet+page >= mostWeight {
		t.Errorf("a page weighs %d + %d + %d bytes", script, sheet, page)
	}
	if sheet := string(assets["app.css"].text); strings.Contains(sheet, "missed") || !strings.Contains(sheet, ".current>.box") {
		t.Error("the sheet has what is for arms that no test takes, or not what is for states")
	}
	if comment := regexp.MustCompile(`(?m)^ *//.*|/\*.*`).FindString(string(assets["app.js"].text)); comment != "" {
		t.Errorf("the script is sent with the comment %q", comment)
	}
}

// TestWeightOfLongIDs: fifty runs whose ids are long are not too much for a page either.
func TestWeightOfLongIDs(t *testing.T) {
	s := newSite(t, approval, nil)
	for i := range 50 {
		s.start(fmt.Sprintf("%s.%02d", strings.Repeat("customer-4711.", 4)[:52], i), `{"title": "A"}`)
	}
	page := s.get("/runs?where=machine%3DApproval+status%3Drunning", 200)
	if n := strings.Count(page, `name="run"`); n != 50 {
		t.Errorf("the page has %d runs", n)
	}
	t.Logf("%d bytes, the page %d", whole(page), len(page))
	if whole(page) >= mostWeight {
		t.Errorf("it weighs %d bytes, the page %d", whole(page), len(page))
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

// TestWeightOfExamples: neither are the pages of a large machine and of a run of it heavy. The drawing
// is the compact one then, and the full one is behind a link.
func TestWeightOfExamples(t *testing.T) {
	shown, compact := 0, 0
	for _, source := range langtest.Sources(t, "../../../../examples/*/*.fsm") {
		busy := &busyStore{}
		s := newSite(t, string(source.Src), around(busy, &busy.Store))
		versions, err := s.engine.Versions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var started []string
		for i := range versions {
			v := &versions[i]
			for _, leaf := range (&version{def: v.Machine.Definition()}).leaves() {
				for after := time.Second; after < time.Hour; after *= 3 {
					busy.more.Stays = append(busy.more.Stays, store.StayCount{Machine: v.Name, State: leaf.Path, Bucket: store.BucketOf(after), Visits: 12})
				}
			}
			params, err := json.Marshal(someParams(v.Machine.Definition()))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.engine.Start(t.Context(), v.Name, v.Name, params); err != nil {
				continue // it wants a word of an enum, and is a small child of another
			}
			started = append(started, v.Name)
		}
		for _, name := range started {
			shown++
			page := s.get("/runs/"+name, 200)
			for kind, page := range map[string]string{"a run": page, "the machine": s.get("/machines/"+name, 200)} {
				t.Logf("%s: %s weighs %d bytes, its page %d", name, kind, whole(page), len(page))
				if whole(page) >= mostWeight {
					t.Errorf("%s: %s weighs %d bytes, its page %d", name, kind, whole(page), len(page))
				}
			}
			if !strings.Contains(page, `?full=1">The full drawing</a>`) {
				continue
			}
			compact++
			full := s.get("/runs/"+name+"?full=1", 200)
			s.hasNot(full, "full=1")
			s.has(full, `class="note"`)
			s.has(s.get("/runs/"+name+"/at/1", 200), `/at/1?full=1">The full drawing</a>`, ` current"`)
			if len(full) <= len(page) {
				t.Errorf("the full drawing of %s weighs no more than the compact one", name)
			}
		}
	}
	if shown < 10 || compact == 0 {
		t.Errorf("%d pages were shown, %d with a compact drawing", shown, compact)
	}
}

// someParams are parameters with which a run of a machine starts.
func someParams(d *machine.Definition) map[string]any {
	params := map[string]any{}
	for i := range d.Params {
		params[d.Params[i].Name] = someValue(d.FieldType(&d.Params[i]))
	}
	return params
}

func someValue(kind string) any {
	switch {
	case strings.HasPrefix(kind, "["):
		_, element, _ := strings.Cut(kind, "]")
		return []any{someValue(element)}
	case strings.HasPrefix(kind, "int"):
		return 1
	case strings.HasPrefix(kind, "bool"):
		return true
	}
	return "a"
}

// TestWeightOfManyActivities: neither is the page of a run that does a hundred things at once. Those that it does not
// show are behind a link.
func TestWeightOfManyActivities(t *testing.T) {
	s := newSite(t, `machine Poll(people [1..100]string) {
    event Heard { yes bool }
    activity ask(who string) -> Heard
    initial Asking
    state Asking {
        do ask(who) for who in people limit 100 as person timeout 1h
        on Heard { }
        on person.failed { }
        on done -> Done
    }
    terminal Done
}`, nil)
	params := `{"people": [` + strings.Repeat(`"a", `, 99) + `"<b>and one with a long name</b>"]}`
	if _, err := s.engine.Start(t.Context(), "Poll", "poll", json.RawMessage(params)); err != nil {
		t.Fatal(err)
	}
	page := s.get("/runs/poll", 200)
	if n := strings.Count(page, `class="activity"`); n != 10 || whole(page) >= mostWeight {
		t.Errorf("it shows %d activities, and weighs %d bytes", n, whole(page))
	}
	s.has(page, `href="/runs/poll?activities=all#activities">90 more</a>`, "&lt;b&gt;and one", "1 step, version")
	s.has(s.get("/runs/poll/at/1", 200), `href="/runs/poll/at/1?activities=all#activities">90 more</a>`)
	all := s.get("/runs/poll?activities=all", 200)
	if n := strings.Count(all, `class="activity"`); n != 100 {
		t.Errorf("all are %d activities", n)
	}
	s.hasNot(all, "activities=all")
}
