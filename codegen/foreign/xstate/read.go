// Package xstate reads machines of XState, version 5, as JSON: the object that
// createMachine takes, or what a machine prints as JSON.
package xstate

import (
	"bytes"
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/chart"
)

// Source reads XState.
var Source = foreign.Source{Name: "xstate", Summary: "XState 5: the object that createMachine takes, as JSON", Read: read}

func read(name string, text []byte) (*foreign.Result, error) {
	root, err := foreign.Read(text)
	if program := bytes.TrimSpace(text); len(program) > 0 && program[0] != '{' && !root.Is(foreign.Object) {
		return nil, &foreign.Error{Message: "this is not JSON: of a program, write the output of JSON.stringify(machine.config) to a file"}
	}
	if err != nil {
		return nil, err
	}
	if c := root.Get("config"); c.Is(foreign.Object) {
		root = c
	}
	if !root.Get("states").Is(foreign.Object) {
		return nil, root.Errorf("there is no machine in it: an object with states")
	}
	name = cmp.Or(root.Get("id").Str(), name)
	r := &reader{ids: map[string]*chart.State{}, values: map[*chart.State]*foreign.Value{}}
	c := &chart.Chart{Format: "xstate", Name: name, Doc: root.Get("description").Str(), First: true, Matches: matches}
	if c.Root, err = r.state(name, root, nil); err != nil {
		return nil, err
	}
	if root.Get("context").Is(foreign.Object) && len(root.Get("context").Members) > 0 {
		c.Root.Lost = append(c.Root.Lost, "the context: what it holds, and how it changes, stands in the program")
	}
	for _, s := range r.order {
		if err := r.fill(s); err != nil {
			return nil, err
		}
	}
	return chart.Build(c)
}

// matches reports whether a descriptor takes an event: "*" and "mouse.*" are wild.
func matches(descriptor, event string) bool {
	if descriptor == "*" || descriptor == event {
		return true
	}
	prefix, wild := strings.CutSuffix(descriptor, ".*")
	return wild && (event == prefix || strings.HasPrefix(event, prefix+"."))
}

type reader struct {
	ids    map[string]*chart.State
	values map[*chart.State]*foreign.Value
	order  []*chart.State
}

// state makes the tree; what leads from state to state is filled in later.
func (r *reader) state(key string, v *foreign.Value, parent *chart.State) (*chart.State, error) {
	if v.Kind == foreign.Null {
		v.Kind = foreign.Object
	}
	if v.Kind != foreign.Object {
		return nil, v.Errorf("state %q is not an object", key)
	}
	switch t := v.Get("type"); t.Str() {
	case "", "atomic", "compound", "parallel", "final", "history":
	default:
		return nil, t.Errorf("state %q is of type %q, which XState does not have", key, t.Str())
	}
	if e := v.Get("on").Get(""); e != nil {
		return nil, e.Errorf("state %q has a transition on the event \"\": XState 5 calls that always", key)
	}
	for _, p := range [][2]string{{"after", "delay"}, {"on", "event"}} {
		if a := v.Get(p[0]); a != nil && a.Kind != foreign.Object && a.Kind != foreign.Null {
			return nil, a.Errorf("state %q has an %s that is not an object: XState 5 has the %s as a key", key, p[0], p[1])
		}
	}
	s := &chart.State{Key: key, Doc: v.Get("description").Str(), Line: v.Line, Parent: parent}
	kind := v.Get("type").Str()
	s.Final, s.Parallel, s.History = kind == "final", kind == "parallel", kind == "history"
	r.values[s] = v
	r.order = append(r.order, s)
	id := v.Get("id").Str()
	if parent != nil {
		r.ids[r.path(s)] = s
	}
	if id != "" {
		r.ids[id] = s
	} else if parent == nil {
		r.ids[key] = s
	}
	if states := v.Get("states"); states.Is(foreign.Object) {
		for _, c := range states.Members {
			child, err := r.state(c.Key, c.Value, s)
			if err != nil {
				return nil, err
			}
			s.Children = append(s.Children, child)
		}
	}
	return s, nil
}

// What is read, or has no part in what a machine does; also of what a machine prints as JSON.
var (
	inStates = strings.Fields(`id key type initial states on always after invoke entry exit onDone output description meta
		tags history target transitions order version`)
	inRoots   = strings.Fields("context types schemas $schema")
	inArms    = strings.Fields("target guard cond actions reenter internal description meta source eventType event")
	inInvokes = strings.Fields("id src systemId type input onDone onError onSnapshot description meta")
	inGuards  = strings.Fields("type params guards guard children")
)

// unread notes the keys of v that are not known.
func unread(v *foreign.Value, lost *[]string, known ...string) {
	for _, key := range v.Others(known...) {
		*lost = append(*lost, foreign.Quote(key)+", which is not read")
	}
}

func (r *reader) path(s *chart.State) string {
	if s.Parent == nil {
		return s.Key
	}
	return r.path(s.Parent) + "." + s.Key
}

func (r *reader) fill(s *chart.State) error {
	v := r.values[s]
	i := v.Get("initial")
	targets := i.List()
	if i.Is(foreign.Object) {
		targets = i.Get("target").List()
	}
	for _, t := range targets {
		target := t.Str()
		if s.Initial = r.find(s, target, true); s.Initial == nil {
			return i.Errorf("state %q begins in %q, which is not there", s.Key, target)
		}
	}
	known := inStates
	if s.Parent == nil {
		known = slices.Concat(inStates, inRoots)
	}
	unread(v, &s.Lost, known...)
	if len(v.Get("initial").Get("actions").List()) > 0 {
		s.Lost = append(s.Lost, "what it does on the way to where it begins")
	}
	if s.Initial == nil && len(s.Children) > 0 && !s.Parallel {
		s.Lost = append(s.Lost, "where it begins: the original does not say, and its first state is a guess")
	}
	if o := v.Get("output"); o != nil && o.Kind != foreign.Null {
		s.Lost = append(s.Lost, "its output")
	}
	s.Entry, s.Exit = r.actions(v.Get("entry"), &s.Lost), r.actions(v.Get("exit"), &s.Lost)
	r.events(s, v.Get("on"))
	s.Always = append(s.Always, r.arms(s, v.Get("always"))...)
	if v.Get("always") == nil {
		for _, t := range v.Get("transitions").List() {
			if e := t.Get("eventType"); e.Is(foreign.String) && e.Text == "" {
				s.Always = append(s.Always, r.arms(s, t)...)
			}
		}
	}
	s.Done = append(s.Done, r.arms(s, v.Get("onDone"))...)
	if after := v.Get("after"); after.Is(foreign.Object) {
		for _, d := range after.Members {
			s.After = append(s.After, delay(d.Key, r.arms(s, d.Value)))
		}
	}
	r.invokes(s, v)
	return nil
}

var internal = regexp.MustCompile(`^xstate\.(after\.([^.]+)|done\.state|done\.actor\.(.*)|error\.actor\.(.*))(\..*)?$`)

// events fills in `on`. What a machine prints has delays and ends of activities there, too.
func (r *reader) events(s *chart.State, on *foreign.Value) {
	if !on.Is(foreign.Object) {
		return
	}
	for _, e := range on.Members {
		arms := r.arms(s, e.Value)
		found := internal.FindStringSubmatch(e.Key)
		switch {
		case found != nil && found[2] != "":
			s.After = append(s.After, delay(found[2], arms))
			continue
		case strings.HasPrefix(e.Key, "xstate.done.state."):
			s.Done = append(s.Done, arms...)
			continue
		case strings.HasPrefix(e.Key, "xstate.done.actor."), strings.HasPrefix(e.Key, "xstate.error.actor."):
			continue // see invokes
		}
		for _, t := range arms {
			t.Events = []string{e.Key}
		}
		s.On = append(s.On, arms...)
	}
}

func delay(key string, arms []*chart.Transition) *chart.Delay {
	if ms, err := strconv.ParseFloat(key, 64); err == nil && !math.IsNaN(ms) {
		return &chart.Delay{Seconds: max(ms, 0) / 1000, Arms: arms}
	}
	return &chart.Delay{Name: key, Arms: arms}
}

func (r *reader) invokes(s *chart.State, v *foreign.Value) {
	for _, i := range v.Get("invoke").List() {
		src := i.Get("src")
		name, id := src.Str(), i.Get("id").Str()
		if src.Is(foreign.Object) {
			name = src.Get("type").Str()
		}
		name = cmp.Or(name, id)
		call := &chart.Invoke{Name: name, Done: r.arms(s, i.Get("onDone")), Error: r.arms(s, i.Get("onError"))}
		if on := v.Get("on"); on.Is(foreign.Object) {
			call.Done = append(call.Done, r.arms(s, on.Get("xstate.done.actor."+id))...)
			call.Error = append(call.Error, r.arms(s, on.Get("xstate.error.actor."+id))...)
		}
		unread(i, &s.Lost, inInvokes...)
		if in := i.Get("input"); in != nil && in.Kind != foreign.Null {
			s.Lost = append(s.Lost, "what "+name+" is given: an activity here takes nothing")
		}
		if i.Get("onSnapshot") != nil {
			s.Lost = append(s.Lost, "what happens on each snapshot of "+name)
		}
		s.Invokes = append(s.Invokes, call)
	}
}

// arms reads a transition: a target, an object, or a list of these.
func (r *reader) arms(s *chart.State, v *foreign.Value) []*chart.Transition {
	var all []*chart.Transition
	for _, t := range v.List() {
		arm := &chart.Transition{}
		targets := t.List()
		if t.Is(foreign.Object) {
			targets = t.Get("target").List()
			arm.Guard = r.guard(t.Get("guard"), &arm.Lost)
			if arm.Guard == nil {
				if arm.Guard = r.guard(t.Get("cond"), &arm.Lost); arm.Guard != nil {
					arm.Lost = append(arm.Lost, `what XState 4 does otherwise, of which "cond" is: there, a step of a state to itself leaves it`)
				}
			}
			arm.Actions = r.actions(t.Get("actions"), &arm.Lost)
			arm.Reenter = t.Get("reenter").True() || t.Get("internal").Is(foreign.Bool) && !t.Get("internal").True()
			unread(t, &arm.Lost, inArms...)
		}
		r.aim(s, arm, targets)
		all = append(all, arm)
	}
	return all
}

func (r *reader) aim(s *chart.State, arm *chart.Transition, targets []*foreign.Value) {
	if len(targets) > 1 {
		arm.Wherever = "several states at once"
		return
	}
	for _, t := range targets {
		if arm.Target = r.find(s, t.Str(), false); arm.Target == nil {
			arm.Wherever = foreign.Quote(t.Str()) + ", which is not there"
		}
	}
}

// find is the state that a target names where it stands in s: "#id", ".child", "sibling".
// An initial names a child.
func (r *reader) find(s *chart.State, target string, initial bool) *chart.State {
	if id, ok := strings.CutPrefix(target, "#"); ok {
		if found := r.ids[id]; found != nil {
			return found
		}
		for i := len(id) - 1; i > 0; i-- {
			if id[i] == '.' && r.ids[id[:i]] != nil {
				return below(r.ids[id[:i]], id[i+1:])
			}
		}
		return nil
	}
	if inner, ok := strings.CutPrefix(target, "."); ok {
		return below(s, inner)
	}
	if !initial && s.Parent != nil {
		s = s.Parent
	}
	return below(s, target)
}

func below(s *chart.State, path string) *chart.State {
	for _, c := range s.Children {
		if c.Key == path {
			return c
		}
		if rest, ok := strings.CutPrefix(path, c.Key+"."); ok {
			if found := below(c, rest); found != nil {
				return found
			}
		}
	}
	return nil
}

// guard reads a name, an object with a type, or not, and, or of others.
func (r *reader) guard(v *foreign.Value, lost *[]string) *chart.Guard {
	switch {
	case v.Is(foreign.String):
		return &chart.Guard{Name: v.Text}
	case v == nil || v.Kind == foreign.Null:
		return nil
	case !v.Is(foreign.Object): // of no form: its program knows what it means
		text, _ := foreign.Literal(v)
		return &chart.Guard{Name: "guard " + text}
	}
	unread(v, lost, inGuards...)
	op := map[string]string{"xstate.not": "!", "xstate.and": "&&", "xstate.or": "||"}[v.Get("type").Str()]
	if op != "" {
		g := &chart.Guard{Op: op}
		for _, key := range []string{"guards", "guard", "children"} {
			for _, inner := range v.Get(key).List() {
				if i := r.guard(inner, lost); i != nil {
					g.Of = append(g.Of, i)
				}
			}
		}
		if len(g.Of) > 0 && (op != "!" || len(g.Of) == 1) {
			return g
		}
	}
	name := cmp.Or(v.Get("type").Str(), "guard")
	if p := v.Get("params"); p != nil {
		text, _ := foreign.Literal(p)
		name += " " + text
	}
	return &chart.Guard{Name: name, Region: strings.Contains(name, "stateIn")}
}

// actions reads names and objects with a type. What XState does itself is lost: it stands
// in functions of the program.
func (r *reader) actions(v *foreign.Value, lost *[]string) []chart.Action {
	var all []chart.Action
	for _, a := range v.List() {
		name := a.Str()
		if a.Is(foreign.Object) {
			name = a.Get("type").Str()
			unread(a, lost, "type")
		}
		if name == "" || strings.HasPrefix(name, "xstate.") || name == "inline" {
			*lost = append(*lost, "an action that stands in the program: "+name)
			continue
		}
		all = append(all, chart.Action{Publish: name})
	}
	return all
}
