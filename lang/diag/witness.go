package diag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Of a very long path the first and the last rows are drawn, this many each.
const witnessEnds = 20

// witness draws w: the parameters of the run, a row for each step with its
// time, its state and the input that leads on, a bracket along the loop, and
// the values that the path ends with.
//
//	witness:
//	      0s    Idle       --StartReview-->
//	  +-> 2m0s  Analyzing  --LlmTimeout-->
//	  +-- 4m0s  Analyzing
//	  with retries = 3
func (p *textPrinter) witness(w *Witness) {
	if w == nil {
		return
	}
	p.line("  ", p.paint(yellow, "witness:"))
	p.path(w)
}

// path draws the parameters, the rows and the values of w; a single row is the
// state in which every run starts.
func (p *textPrinter) path(w *Witness) {
	if len(w.Params) > 0 {
		p.line("    started with ", assignments(w.Params, ", "))
	}
	if len(w.Guards) > 0 {
		p.line("    where at the start ", assignments(w.Guards, ", "))
	}
	p.rows(w)
	if len(w.Values) > 0 {
		p.line("    with ", assignments(w.Values, ", "))
	}
}

func (p *textPrinter) rows(w *Witness) {
	if len(w.Path) == 1 {
		if w.Path[0].State == "" {
			p.line("    the run cannot start")
		} else {
			p.line("    the run starts in ", w.Path[0].State)
		}
		return
	}
	at, state := 0, 0
	for _, s := range w.Path {
		at, state = max(at, textWidth(s.At)), max(state, textWidth(s.State))
	}
	for i := 0; i < len(w.Path); i++ {
		hidden, what := w.hiddenFrom(i), "more row"
		if hidden == 0 {
			hidden, what = w.alikeFrom(i), "more element"
		}
		if hidden > 0 {
			p.line(fmt.Sprintf("    %s… %s …", w.bracket(i), Count(hidden, what)))
			i += hidden - 1
			continue
		}
		s := w.Path[i]
		row := fmt.Sprintf("    %s%s  %s  %s", w.bracket(i), padded(s.At, at), padded(s.State, state), arrow(s))
		p.line(strings.TrimRight(row, " "))
		margin := strings.Repeat(" ", len(w.bracket(i)))
		if w.loops() && i >= w.Loop && i < len(w.Path)-1 {
			margin = "|   "
		}
		p.children(s.Children, "    "+margin+padded("", at)+"      ")
	}
}

// children draws a line for each of list, and below it the run of the child where that is
// there.
//
//	review[2]: CodeReview(file = "a.go") ends in Completed
func (p *textPrinter) children(list []Child, margin string) {
	alike := func(i int) bool { return list[i].alike(&list[i-1]) }
	for i := 0; i < len(list); i++ {
		c := &list[i]
		if hidden := hiddenAlike(i, len(list), alike); hidden > 0 {
			p.line(margin, "… ", Count(hidden, "more element"), " …")
			i += hidden - 1
			continue
		}
		how := " ends in " + c.Terminal
		switch {
		case c.Ends == "timeout":
			how = " is cancelled after its timeout"
		case c.Ends == "unknown":
			how = " cannot start"
		case c.Ends != "":
			how = " is " + c.Ends
		case c.Terminal == "":
			how = " runs on"
		}
		p.line(margin, c.Do, ": ", c.Machine, "(", assignments(c.Given, ", "), ")", how)
		if c.Run != nil {
			outer := p.indent
			p.indent += margin
			p.path(c.Run)
			p.indent = outer
		}
	}
}

// hiddenFrom is how many rows from row i on are left out of the drawing; the
// row to which the loop returns never is.
func (w *Witness) hiddenFrom(i int) int {
	n := 0
	for ; i >= witnessEnds && i < len(w.Path)-witnessEnds && i != w.Loop; i++ {
		n++
	}
	if n == 1 {
		return 0 // the row itself takes no more room than the note
	}
	return n
}

// fewAlike is how many rows in a row are drawn that differ in the element alone, of which they tell.
const fewAlike = 4

// alikeFrom is how many rows from row i on are left out of the drawing since the one before them and the one after
// them tell the same of other elements.
func (w *Witness) alikeFrom(i int) int {
	return hiddenAlike(i, len(w.Path), func(i int) bool { return i != w.Loop && w.Path[i].alike(&w.Path[i-1]) })
}

// hiddenAlike is alikeFrom of n of anything, of which alike says whether one is as the one before.
func hiddenAlike(i, n int, alike func(int) bool) int {
	first, end := i, i
	for first > 0 && alike(first) {
		first--
	}
	for end+1 < n && alike(end+1) {
		end++
	}
	if i == first || end-first < fewAlike {
		return 0
	}
	return end - i
}

// alike reports whether s and t tell the same of two elements, whenever that comes.
func (s *Step) alike(t *Step) bool {
	input, ofElement := withoutIndex(s.Input)
	other, _ := withoutIndex(t.Input)
	return ofElement && s.State == t.State && input == other && reflect.DeepEqual(s.Data, t.Data) && reflect.DeepEqual(s.Guards, t.Guards) &&
		slices.EqualFunc(s.Children, t.Children, func(c, d Child) bool { return c.alike(&d) })
}

// alike reports whether c and d tell the same of two elements, or of one.
func (c Child) alike(d *Child) bool {
	other := *d
	c.Do, _ = withoutIndex(c.Do)
	other.Do, _ = withoutIndex(d.Do)
	return reflect.DeepEqual(c, other)
}

// withoutIndex is text without the index of an element, as in "review[2].Done", and whether it has one.
func withoutIndex(text string) (string, bool) {
	before, rest, has := strings.Cut(text, "[")
	_, after, closed := strings.Cut(rest, "]")
	return before + after, has && closed
}

// loops reports whether the path returns to one of its rows.
func (w *Witness) loops() bool { return w.Loop >= 0 && w.Loop < len(w.Path) }

// bracket is the left margin of row i: the loop goes up from the last row to
// the row to which it returns.
func (w *Witness) bracket(i int) string {
	switch {
	case !w.loops():
		return ""
	case i < w.Loop:
		return "    "
	case i == w.Loop:
		return "+-> "
	case i == len(w.Path)-1:
		return "+-- "
	}
	return "|   "
}

// arrow is "--input { payload } [verdicts]-->", or nothing for the last row.
func arrow(s Step) string {
	if s.Input == "" {
		return ""
	}
	label := s.Input
	if len(s.Data) > 0 {
		label += " { " + assignments(s.Data, ", ") + " }"
	}
	if len(s.Guards) > 0 {
		label += " [" + assignments(s.Guards, ", ") + "]"
	}
	return "--" + label + "-->"
}

// assignments is "a = 1, b = true" with values in their JSON forms, by name, long ones in short.
func assignments[V any](values map[string]V, separator string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		parts = append(parts, name+" = "+shortText(fullText(values[name])))
	}
	return strings.Join(parts, separator)
}

// fullText is v in JSON, without the escapes that only HTML needs.
func fullText(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v) // a value without a JSON form: better shown somehow than not at all
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func padded(s string, width int) string {
	return s + strings.Repeat(" ", width-textWidth(s))
}
