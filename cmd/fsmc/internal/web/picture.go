package web

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/codegen/svg"
)

// picture is a drawing that has been placed and written once, and the places in its text at
// which marks go in. It never changes.
type picture struct {
	text  []byte
	wide  int
	spots map[string]spot // by id: "state-Idle", "arrow-Idle-Working"
}

// spot is a group of a picture: where it begins, where its class ends, where it ends, and
// for a state its box.
type spot struct {
	id                string
	begin, class, end int
	x, y, w           int
}

// tags are those that open or close a group of a picture; boxes are the rectangles and pointed
// shapes that are a state's own.
var (
	tags      = regexp.MustCompile(`<g id="([^"]*)" class="[^"]*(")>|</g>`)
	boxes     = regexp.MustCompile(`<rect class="(?:box|frame)" x="(\d+)" y="(\d+)" width="(\d+)"`)
	pointed   = regexp.MustCompile(`<path class="box" d="M(\d+) (\d+)H(\d+)L`)
	widths    = regexp.MustCompile(`^<svg [^>]*width="(\d+)"`)
	asGraphic = []byte(`role="img"`)
	asGroup   = []byte(`role="group"`)
	nameSpace = []byte(` xmlns="http://www.w3.org/2000/svg"`)
)

func draw(d *drawing.Drawing) *picture {
	// What an image holds is one thing to a reader of screens; the states of this one are links. In HTML it needs no
	// name space.
	p := &picture{text: bytes.Replace(bytes.Replace(svg.Print(d, ""), asGraphic, asGroup, 1), nameSpace, nil, 1), spots: map[string]spot{}}
	if m := widths.FindSubmatch(p.text); m != nil {
		p.wide, _ = strconv.Atoi(string(m[1]))
	}
	var stack []spot // those that are open
	for _, at := range tags.FindAllSubmatchIndex(p.text, -1) {
		if at[2] >= 0 {
			stack = append(stack, spot{id: string(p.text[at[2]:at[3]]), begin: at[0], class: at[4]})
			continue
		}
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		top.end = at[1]
		top.box(p.text[top.begin:top.end])
		p.spots[top.id] = top
	}
	return p
}

// box reads where the state's box is from its group.
func (s *spot) box(group []byte) {
	number := func(b []byte) int { n, _ := strconv.Atoi(string(b)); return n }
	if m := boxes.FindSubmatch(group); m != nil {
		s.x, s.y, s.w = number(m[1]), number(m[2]), number(m[3])
	} else if m := pointed.FindSubmatch(group); m != nil {
		s.x, s.y = number(m[1]), number(m[2])
		s.w = number(m[3]) - s.x
	}
}

// light is what a page adds to a picture, by the ids of its groups.
type light struct {
	classes map[string]string // "taken"
	links   map[string]string // where a state leads
	badges  map[string][]badge
	failed  map[string]int64 // how often an arrow was taken by a failure
}

func newLight() *light {
	return &light{classes: map[string]string{}, links: map[string]string{}, badges: map[string][]badge{}, failed: map[string]int64{}}
}

// badge is a number at the upper right corner of a box.
type badge struct {
	text, class, title string
}

type insertion struct {
	at    int
	order int // among those at one place
	text  string
}

// lit is the picture with what l adds.
func (p *picture) lit(l *light) template.HTML {
	var all []insertion
	for id, class := range l.classes {
		if s, ok := p.spots[quoted(id)]; ok && class != "" {
			all = append(all, insertion{s.class, 0, " " + class})
		}
	}
	for id, href := range l.links {
		if s, ok := p.spots[quoted(id)]; ok {
			all = append(all, insertion{s.begin, 1, `<a href="` + quoted(href) + `">`}, insertion{s.end, 0, "</a>"})
		}
	}
	for id, list := range l.badges {
		if s, ok := p.spots[quoted(id)]; ok && s.w > 0 {
			all = append(all, insertion{s.end - len("</g>"), 1, badgesText(s, list)})
		}
	}
	for id, n := range l.failed {
		if s, ok := p.spots[quoted(id)]; ok {
			all = append(all, insertion{s.end - len("</g>"), 1, timesText(p.text[s.begin:s.end], n)})
		}
	}
	slices.SortFunc(all, func(a, b insertion) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order), cmp.Compare(a.text, b.text))
	})
	var out bytes.Buffer
	last := 0
	for _, in := range all {
		out.Write(p.text[last:in.at])
		out.WriteString(in.text)
		last = in.at
	}
	out.Write(p.text[last:])
	return template.HTML(out.String()) //nolint:gosec // written by codegen/svg and quoted, which escape every text
}

// labelled is the first line of an arrow's label.
var labelled = regexp.MustCompile(`<text (?:class="[^"]*" )?x="(\d+)" y="(\d+)"`)

// timesText writes how often an arrow was taken, beside its label: above it, where the arrow passes, and of a row
// within a state left of the box.
func timesText(group []byte, n int64) string {
	m := labelled.FindSubmatch(group)
	if m == nil {
		return ""
	}
	x, _ := strconv.Atoi(string(m[1]))
	y, _ := strconv.Atoi(string(m[2]))
	class := "times"
	switch kind, _, _ := bytes.Cut(group, []byte(">")); {
	case bytes.Contains(kind, []byte(`class="stub`)):
		class, x = "times row", x-15
	case bytes.Contains(kind, []byte(` retry"`)):
		x, y = x+8, y-13
	default:
		x, y = x-7, y-13
	}
	return fmt.Sprintf(`<text class="%s" x="%d" y="%d">%d</text>`, class, x, y, n)
}

// quoted makes text fit to stand in an attribute or between tags.
func quoted(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(drawing.Clean(text))) // a Builder never fails
	return b.String()
}

// badgesText writes badges from the right corner of a box to the left.
func badgesText(s spot, list []badge) string {
	var b strings.Builder
	right := s.x + s.w + 8
	for _, one := range list {
		wide := 12 + 7*len(one.text)
		left := right - wide
		fmt.Fprintf(&b, `<g class="badge %s"><title>%s</title><rect x="%d" y="%d" width="%d" height="18" rx="9"/><text x="%d" y="%d">%s</text></g>`,
			one.class, quoted(one.title), left, s.y-9, wide, left+wide/2, s.y+4, quoted(one.text))
		right = left - 3
	}
	return b.String()
}
