// Package scxml reads SCXML, the State Chart XML of the W3C.
package scxml

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/chart"
)

// Source reads SCXML.
var Source = foreign.Source{Name: "scxml", Summary: "SCXML, the State Chart XML of the W3C", Read: read}

// element is an element of the text.
type element struct {
	name   string
	line   int
	attrs  map[string]string
	inside []*element
}

func (e *element) all(name string) []*element {
	var found []*element
	for _, c := range e.inside {
		if c.name == name {
			found = append(found, c)
		}
	}
	return found
}

// parse reads text as a tree; words between elements are left out.
func parse(text []byte) (*element, error) {
	switch {
	case len(text) > foreign.MaxBytes:
		return nil, &foreign.Error{Message: "the text is longer than 16 MiB"}
	case !utf8.Valid(text):
		return nil, &foreign.Error{Message: "the text is not valid UTF-8"}
	}
	d := xml.NewDecoder(bytes.NewReader(text))
	var root *element
	var open []*element
	for count := 0; ; count++ {
		t, err := d.Token()
		line, column := d.InputPos()
		switch {
		case err == io.EOF && root != nil && len(open) == 0:
			return root, nil
		case err == io.EOF && root == nil:
			return nil, &foreign.Error{Line: line, Message: "there is no element in it: it is not XML"}
		case err == io.EOF:
			return nil, &foreign.Error{Line: line, Message: "the text ends before its root element does"}
		case err != nil:
			return nil, &foreign.Error{Line: line, Column: column, Message: "this is not XML: " + strings.TrimPrefix(err.Error(), "XML syntax error on ")}
		case len(open) > foreign.MaxDepth || count > foreign.MaxValues:
			return nil, &foreign.Error{Line: line, Message: "more than 100 levels of elements, or more than 1000000"}
		}
		switch t := t.(type) {
		case xml.StartElement:
			e := &element{name: t.Name.Local, line: line, attrs: map[string]string{}}
			for _, a := range t.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			if len(open) > 0 {
				outer := open[len(open)-1]
				outer.inside = append(outer.inside, e)
			} else if root == nil {
				root = e
			} else {
				return nil, &foreign.Error{Line: line, Message: "there are two root elements"}
			}
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

func read(name string, text []byte) (*foreign.Result, error) {
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	if root.name != "scxml" {
		return nil, &foreign.Error{Line: root.line, Message: "the root element is " + root.name + ", and not scxml"}
	}
	name = cmp.Or(root.attrs["name"], name)
	r := &reader{ids: map[string]*chart.State{}, elements: map[*chart.State]*element{}, fields: map[string]field{}, names: foreign.NewNames()}
	c := &chart.Chart{Format: "scxml", Name: name, Matches: matches}
	c.Root = r.state(root, nil)
	if r.twice != nil {
		return nil, &foreign.Error{Line: r.twice.line, Message: "the id " + foreign.Quote(r.twice.attrs["id"]) + " is there twice"}
	}
	c.Root.Key = name
	r.data(root, c)
	for _, s := range r.order {
		r.fill(s)
	}
	return chart.Build(c)
}

// matches reports whether a descriptor takes an event: "error" takes error.execution.
func matches(descriptor, event string) bool {
	descriptor = strings.TrimSuffix(strings.TrimSuffix(descriptor, "*"), ".")
	return descriptor == "" || event == descriptor || strings.HasPrefix(event, descriptor+".")
}

type reader struct {
	ids      map[string]*chart.State
	elements map[*chart.State]*element
	order    []*chart.State
	twice    *element // the second one with an id
	fields   map[string]field
	names    *foreign.Names
}

// field is a datum whose value is a literal.
type field struct{ name, typ string }

func (r *reader) state(e *element, parent *chart.State) *chart.State {
	id := e.attrs["id"]
	if id == "" && parent != nil {
		id = e.name
	}
	s := &chart.State{Key: id, Line: e.line, Parent: parent, Parallel: e.name == "parallel", Final: e.name == "final", History: e.name == "history"}
	if r.ids[id] == nil {
		r.ids[id] = s
	} else if e.attrs["id"] != "" && r.elements[r.ids[id]].attrs["id"] != "" && r.twice == nil {
		r.twice = e
	}
	r.elements[s], r.order = e, append(r.order, s)
	for _, c := range e.inside {
		switch c.name {
		case "state", "parallel", "final", "history":
			s.Children = append(s.Children, r.state(c, s))
		}
	}
	return s
}

// data makes fields of the data whose values are literals.
func (r *reader) data(e *element, c *chart.Chart) {
	for _, model := range e.all("datamodel") {
		for _, d := range model.all("data") {
			id, expr := d.attrs["id"], strings.TrimSpace(d.attrs["expr"])
			typ, value := literal(expr)
			if typ == "" || r.fields[id].name != "" {
				c.Root.Lost = append(c.Root.Lost, "the datum "+id+": its value is no whole number, text, true or false")
				continue
			}
			f := field{r.names.Snake(id), typ}
			r.fields[id] = f
			c.Fields = append(c.Fields, foreign.Field{Name: f.name, Type: typ, Default: value, Note: foreign.Comment(foreign.Renamed(id, f.name))})
		}
	}
	for _, inner := range e.inside {
		if inner.name == "state" || inner.name == "parallel" {
			r.data(inner, c)
		}
	}
}

func (r *reader) fill(s *chart.State) {
	e := r.elements[s]
	r.unread(s, e)
	initial := e.attrs["initial"]
	for _, i := range e.all("initial") {
		for _, t := range i.all("transition") {
			initial = t.attrs["target"]
			r.actions(t, &s.Lost)
		}
	}
	if initial != "" {
		if s.Initial = r.ids[initial]; s.Initial == nil || !s.Initial.Inside(s) || s.Initial == s {
			s.Initial = nil
			s.Lost = append(s.Lost, "it begins in "+initial)
		}
	}
	var delays []*element
	for _, on := range e.all("onentry") {
		s.Entry = append(s.Entry, r.actions(on, &s.Lost)...)
		for _, send := range on.all("send") {
			if send.attrs["delay"] != "" || send.attrs["delayexpr"] != "" {
				delays = append(delays, send)
			}
		}
	}
	for _, on := range e.all("onexit") {
		s.Exit = append(s.Exit, r.actions(on, &s.Lost)...)
	}
	for _, i := range e.all("invoke") {
		name := "invoke " + cmp.Or(i.attrs["src"], i.attrs["id"], i.attrs["type"])
		switch {
		case len(i.all("content")) > 0:
			s.Lost = append(s.Lost, "the machine inside "+name)
		case len(i.inside) > 0 || i.attrs["namelist"] != "" || i.attrs["autoforward"] == "true":
			s.Lost = append(s.Lost, "what "+name+" is given: an activity here takes nothing")
		}
		s.Invokes = append(s.Invokes, &chart.Invoke{Name: name})
	}
	for _, t := range e.all("transition") {
		r.transition(s, t)
	}
	for _, d := range delays {
		r.delay(s, d)
	}
}

// unread notes what stands in a state and is not read.
func (r *reader) unread(s *chart.State, e *element) {
	for _, c := range e.inside {
		switch c.name {
		case "state", "parallel", "final", "history", "initial", "transition", "onentry", "onexit", "datamodel", "invoke":
		case "donedata":
			s.Lost = append(s.Lost, "what it says at its end")
		default:
			s.Lost = append(s.Lost, "the element "+c.name)
		}
	}
}

// transition reads an arm, and puts it where its events say.
func (r *reader) transition(s *chart.State, e *element) {
	arm := &chart.Transition{Reenter: e.attrs["type"] != "internal"}
	if s.History {
		return
	}
	if cond := strings.TrimSpace(e.attrs["cond"]); cond != "" {
		arm.Guard = r.guard(cond)
	}
	arm.Actions = r.actions(e, &arm.Lost)
	switch targets := strings.Fields(e.attrs["target"]); {
	case len(targets) > 1:
		arm.Wherever = "several states at once"
	case len(targets) == 1:
		if arm.Target = r.ids[targets[0]]; arm.Target == nil {
			arm.Wherever = foreign.Quote(targets[0]) + ", which is not there"
		}
		arm.Reenter = arm.Reenter || arm.Target == s // only one to what is inside can be internal
	}
	descriptors := strings.Fields(e.attrs["event"])
	if len(descriptors) == 0 {
		s.Always = append(s.Always, arm)
		return
	}
	for _, d := range descriptors {
		switch {
		case strings.HasPrefix(d, "done.state."):
			if of := r.ids[strings.TrimPrefix(d, "done.state.")]; of != nil && of.Inside(s) {
				of.Done = append(of.Done, arm)
			} else {
				s.Lost = append(s.Lost, d)
			}
		case strings.HasPrefix(d, "done.invoke") && len(s.Invokes) > 0:
			r.invoked(s, d, "done.invoke.").Done = append(r.invoked(s, d, "done.invoke.").Done, arm)
		case (d == "error" || strings.HasPrefix(d, "error.")) && len(s.Invokes) > 0:
			s.Invokes[0].Error = append(s.Invokes[0].Error, arm)
		default:
			arm.Events = append(arm.Events, d)
		}
	}
	if len(arm.Events) > 0 {
		s.On = append(s.On, arm)
	}
}

func (r *reader) invoked(s *chart.State, event, prefix string) *chart.Invoke {
	id := strings.TrimPrefix(event, prefix)
	for i, e := range r.elements[s].all("invoke") {
		if e.attrs["id"] == id {
			return s.Invokes[i]
		}
	}
	return s.Invokes[0]
}

// delay makes a timer of an event that a state sends to itself and takes itself.
func (r *reader) delay(s *chart.State, send *element) {
	event, wait := send.attrs["event"], seconds(send.attrs["delay"])
	var arms []*chart.Transition
	for i := 0; i < len(s.On); i++ {
		if t := s.On[i]; len(t.Events) == 1 && t.Events[0] == event {
			arms = append(arms, t)
			s.On = append(s.On[:i], s.On[i+1:]...)
			i--
		}
	}
	if len(arms) == 0 || wait < 0 {
		s.Lost = append(s.Lost, "the event "+event+", which it sends to itself later")
		s.On = append(s.On, arms...)
		return
	}
	if r.taking(event) > len(arms) {
		s.Lost = append(s.Lost, "that other transitions take the event "+event+", too, which it sends to itself later")
	}
	s.After = append(s.After, &chart.Delay{Seconds: wait, Arms: arms, Outlives: r.outlives(s, send)})
}

// outlives is the event of a delayed send that may still come when s has been left: another transition
// leaves s, and nothing cancels the event then. Else it is empty.
func (r *reader) outlives(s *chart.State, send *element) string {
	cancels := func(e *element) bool {
		return slices.ContainsFunc(e.all("cancel"), func(c *element) bool { return c.attrs["sendid"] == send.attrs["id"] })
	}
	if slices.ContainsFunc(r.elements[s].all("onexit"), cancels) {
		return ""
	}
	for _, at := range r.order {
		if !at.Inside(s) && !s.Inside(at) {
			continue
		}
		for _, t := range r.elements[at].all("transition") {
			to := r.ids[t.attrs["target"]]
			stays := to == nil || to.Parent == nil || to != s && to.Inside(s) && (at != s && at.Inside(s) || t.attrs["type"] == "internal")
			if !stays && t.attrs["event"] != send.attrs["event"] && !cancels(t) {
				return send.attrs["event"]
			}
		}
	}
	return ""
}

// taking is how many transitions take an event.
func (r *reader) taking(event string) (n int) {
	for _, s := range r.order {
		for _, t := range r.elements[s].all("transition") {
			if slices.ContainsFunc(strings.Fields(t.attrs["event"]), func(d string) bool { return matches(d, event) }) {
				n++
			}
		}
	}
	return n
}

// seconds reads 1.5s or 500ms; -1 for all else.
func seconds(s string) float64 {
	unit := 1.0
	text, ok := strings.CutSuffix(s, "ms")
	if ok {
		unit = 0.001
	} else if text, ok = strings.CutSuffix(s, "s"); !ok {
		return -1
	}
	v := &foreign.Value{Kind: foreign.Number, Text: text}
	return v.Float(-1/unit) * unit
}
