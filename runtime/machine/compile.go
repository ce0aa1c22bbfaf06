package machine

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// compiler turns a Definition into a Machine. Each phase relies on what those
// before it have checked.
type compiler struct {
	d *Definition
	m *Machine

	sources []map[int]*elements // by arm: the inputs with which it can be met, and what they are of
}

// names checks that all names are there, valid and different, and indexes them.
func (c *compiler) names() error {
	d, m := c.d, c.m
	var err error
	list := func(what string, n int, name func(i int) string) names {
		valid := isName
		switch what {
		case "state", "field", "event": // an event of a child has the name of its machine before its own
			valid = isPath
		case "arm", "do", "timer":
			valid = isTitle
		}
		all := names{what, make([]string, n), make(map[string]int, n)}
		for i := range n {
			s := name(i)
			_, twice := all.find(s)
			switch {
			case err != nil:
			case !valid(s) && !(s == "" && what == "state" && i == 0):
				err = fmt.Errorf("%s %d has no valid name: %q", what, i, shorten(s))
			case twice:
				err = fmt.Errorf("there are two of %s %q", what, s)
			}
			all.quoted[i], all.index[s] = string(appendText(nil, s)), i
		}
		return all
	}
	list("machine", 1, func(int) string { return d.Name })
	list("field", len(d.Params)+len(d.Fields), func(i int) string {
		if i < len(d.Params) {
			return d.Params[i].Name
		}
		return d.Fields[i-len(d.Params)].Name
	})
	list("enum", len(d.Enums), func(i int) string { return d.Enums[i].Name })
	list("activity", len(d.Activities), func(i int) string { return d.Activities[i].Name })
	m.index.states = list("state", len(d.States), func(i int) string { return d.States[i].Path })
	m.index.events = list("event", len(d.Events), func(i int) string { return d.Events[i].Name })
	m.index.categories = list("category", len(d.Categories), func(i int) string { return d.Categories[i] })
	m.index.guards = list("guard", len(d.Guards), func(i int) string { return d.Guards[i].Name })
	m.index.arms = list("arm", len(d.Arms), func(i int) string { return d.Arms[i].Name })
	m.index.dos = list("do", len(d.Dos), func(i int) string { return d.Dos[i].Name })
	m.index.timers = list("timer", len(d.Timers), func(i int) string { return d.Timers[i].Name })
	return err
}

// isName reports whether text is a name as machines have them: letters, digits and
// underscores. Names become names of files, columns and members; a definition from a
// database may have been written by anyone.
func isName(text string) bool {
	for i, c := range text {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}

// isPath reports whether text is the path of a state: names with points between.
func isPath(text string) bool {
	for name := range strings.SplitSeq(text, ".") {
		if !isName(name) {
			return false
		}
	}
	return true
}

// isTitle reports whether text can name what has no name of its own, an arm by its
// trigger: it is for people, and for nothing else.
func isTitle(text string) bool {
	return text != "" && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// declarations checks types, defaults, events, categories and activities.
func (c *compiler) declarations() error {
	d := c.d
	for i := range d.Enums {
		if err := distinct("value of enum "+d.Enums[i].Name, d.Enums[i].Values); err != nil {
			return err
		}
	}
	if err := c.fields("machine", d.Params); err != nil {
		return err
	}
	if err := c.fields("context", d.Fields); err != nil {
		return err
	}
	c.m.defaults = make([]Value, len(d.Fields))
	for i := range d.Fields {
		f := &d.Fields[i]
		if len(f.Default) == 0 {
			continue
		}
		v, err := decodeValue(d, &f.Type, f.Default)
		if err != nil {
			return fmt.Errorf("the default of field %q: %w", f.Name, err)
		}
		c.m.defaults[i] = v
	}
	for i := range d.Events {
		if e := &d.Events[i]; !e.Internal && !isName(e.Name) {
			return fmt.Errorf("event %q comes from outside, and has the name of one of a child", e.Name)
		}
		if err := c.fields("event "+d.Events[i].Name, d.Events[i].Fields); err != nil {
			return err
		}
	}
	for i := range d.Guards {
		if err := c.fields("guard "+d.Guards[i].Name, d.Guards[i].Params); err != nil {
			return err
		}
	}
	unknown, ok := c.m.index.categories.find("unknown")
	if !ok {
		return fmt.Errorf(`category "unknown" is missing`)
	}
	c.m.unknown = unknown
	for i := range d.Dos {
		if label := d.Dos[i].Label; label != "" && !isName(label) {
			return fmt.Errorf("do %q has no valid label: %q", d.Dos[i].Name, shorten(label))
		}
	}
	if d.Budget != nil {
		if err := costNames("the budget", d.Budget.Costs); err != nil {
			return err
		}
	}
	return c.activities()
}

func (c *compiler) activities() error {
	d := c.d
	for i := range d.Activities {
		a := &d.Activities[i]
		if err := c.fields("activity "+a.Name, a.Params); err != nil {
			return err
		}
		if err := costNames("activity "+a.Name, a.Costs); err != nil {
			return err
		}
		if l := a.Limit; l != nil && (l.AtOnce < 0 || l.Rate < 0 || (l.Rate == 0) != (l.Window == 0) || l.Window < 0 || l.AtOnce+l.Rate == 0) {
			return fmt.Errorf("the limit of activity %q is none: %+v", a.Name, *l)
		}
		if a.Callee != "" && (!isHash(a.Callee) || a.Limit != nil || slices.ContainsFunc(a.Costs, func(c Cost) bool { return c.Amount != "0" })) {
			return fmt.Errorf("activity %q has a callee, and is no call of a machine", a.Name)
		}
		for _, e := range a.Results {
			if e < 0 || e >= len(d.Events) || !d.Events[e].Internal {
				return fmt.Errorf("activity %q raises event %d, which is none that activities raise", a.Name, e)
			}
			if of, _, ofChild := strings.Cut(d.Events[e].Name, "."); ofChild != (a.Callee != "") || ofChild && of != a.Name {
				return fmt.Errorf("activity %q raises %q, which is no event of it", a.Name, d.Events[e].Name)
			}
		}
		for _, f := range a.Fails {
			if f < 0 || f >= len(d.Categories) {
				return fmt.Errorf("activity %q fails with category %d, which is not there", a.Name, f)
			}
		}
	}
	return nil
}

// isHash reports whether text can be the Hash of a Machine.
func isHash(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

func costNames(of string, costs []Cost) error {
	names := make([]string, len(costs))
	for i := range costs {
		names[i] = costs[i].Name
	}
	return distinct("cost of "+of, names)
}

func (c *compiler) fields(of string, fields []Field) error {
	for i := range fields {
		t := &fields[i].Type
		if err := checkType(c.d, t); err != nil {
			return fmt.Errorf("field %q of %s: %w", fields[i].Name, of, err)
		}
		if t.Kind == RecordKind {
			return fmt.Errorf("field %q of %s is a record, and not its leaves", fields[i].Name, of)
		}
		if fields[i].Optional && of == "context" && recordOf(fields[i].Name) == "" {
			return fmt.Errorf("field %q of %s cannot be declared to be absent", fields[i].Name, of)
		}
		if w := fields[i].Within; of == "context" && len(w) > 0 && recordOf(w[0]) == "" {
			return fmt.Errorf("record %q of %s cannot be declared to be absent", shorten(w[0]), of)
		}
		if !hasItems(t) {
			return fmt.Errorf("field %q of %s: a list has no type of its items", fields[i].Name, of)
		}
	}
	if err := checkWithin(of, fields); err != nil {
		return err
	}
	return checkNames(of, fields)
}

// hasItems reports whether every list in t has a type of its items.
func hasItems(t *Type) bool {
	switch t.Kind {
	case ListKind:
		return t.Elem != nil && hasItems(t.Elem)
	case RecordKind:
		return !slices.ContainsFunc(t.Fields, func(f Field) bool { return !hasItems(&f.Type) })
	}
	return true
}

func distinct(what string, names []string) error {
	seen := make(map[string]bool, len(names))
	for _, n := range names {
		if !isName(n) {
			return fmt.Errorf("a %s has no valid name: %q", what, shorten(n))
		}
		if seen[n] {
			return fmt.Errorf("there are two of %s %q", what, n)
		}
		seen[n] = true
	}
	return nil
}

// tree checks the hierarchy of states: the machine first, parents before
// their children, every composite with an initial child.
func (c *compiler) tree() error {
	d := c.d
	if len(d.States) == 0 || d.States[0].Kind != CompositeState || d.States[0].Parent != -1 {
		return fmt.Errorf("the first state must be the machine itself")
	}
	c.m.states = make([]stateCode, len(d.States))
	c.m.states[0].path = []int{0}
	for i := 1; i < len(d.States); i++ {
		s := &d.States[i]
		switch {
		case s.Parent < 0 || s.Parent >= i || d.States[s.Parent].Kind != CompositeState:
			return fmt.Errorf("state %q: its parent is no composite before it", s.Path)
		case s.Kind == TerminalState && s.Parent != 0:
			return fmt.Errorf("terminal %q is inside a state", s.Path)
		case s.Kind == TerminalState && s.Outcome != Success && s.Outcome != Failed && s.Outcome != Cancelled:
			return fmt.Errorf("terminal %q: there is no outcome %q", s.Path, s.Outcome)
		case s.Kind != TerminalState && s.Kind != LeafState && s.Kind != CompositeState:
			return fmt.Errorf("state %q: there is no kind of state %q", s.Path, s.Kind)
		}
		outer := c.m.states[s.Parent].path
		if len(outer) > MaxNesting {
			return fmt.Errorf("state %q is nested deeper than %d", s.Path, MaxNesting)
		}
		c.m.states[i].path = append(outer[:len(outer):len(outer)], i)
	}
	for i := len(d.States) - 1; i >= 0; i-- { // children before their parents
		s := &d.States[i]
		c.m.states[i].leaf = i
		if s.Kind != CompositeState {
			continue
		}
		if s.Initial <= i || s.Initial >= len(d.States) || d.States[s.Initial].Parent != i {
			return fmt.Errorf("state %q: its initial state is none inside it", s.Path)
		}
		c.m.states[i].leaf = c.m.states[s.Initial].leaf
	}
	return nil
}

// members checks that each kind of state has only what it may have, and that
// dos and timers stand where they say.
func (c *compiler) members() error {
	d := c.d
	dos, timers := make([]bool, len(d.Dos)), make([]bool, len(d.Timers))
	for i := range d.States {
		s := &d.States[i]
		leaf := s.Kind == LeafState
		if !leaf && (len(s.Dos) > 0 || len(s.Handlers) > 0 || s.Require != nil || s.Choice) ||
			s.Kind == TerminalState && (len(s.Timers) > 0 || s.Exit != nil) || s.Kind != TerminalState && len(s.Returns) > 0 || s.Choice && len(s.Dos) > 0 {
			return fmt.Errorf("state %q has what a %s cannot have", s.Path, s.Kind)
		}
		for _, k := range s.Dos {
			if k < 0 || k >= len(dos) || dos[k] || d.Dos[k].State != i {
				return fmt.Errorf("state %q: do %d is none of its own", s.Path, k)
			}
			dos[k] = true
		}
		for _, k := range s.Timers {
			if k < 0 || k >= len(timers) || timers[k] || d.Timers[k].State != i {
				return fmt.Errorf("state %q: timer %d is none of its own", s.Path, k)
			}
			timers[k] = true
		}
		if s.Require != nil && !c.isTarget(s.Require.Target) {
			return fmt.Errorf("state %q: the target of its require is no state", s.Path)
		}
	}
	for k, ok := range dos {
		if !ok {
			return fmt.Errorf("do %q stands in no state", d.Dos[k].Name)
		}
	}
	for k, ok := range timers {
		if !ok {
			return fmt.Errorf("timer %q stands in no state", d.Timers[k].Name)
		}
	}
	return nil
}

// isTarget reports whether a transition can go to s: to any state but the
// machine itself.
func (c *compiler) isTarget(s int) bool { return s > 0 && s < len(c.d.States) }

// isShare reports whether x is a share of something, from 0 to 1.
func isShare(x float64) bool { return x >= 0 && x <= 1 }

// isScope reports whether s is a scope; a per-visit one is good for everything.
func (c *compiler) isScope(s Scope) bool {
	switch s.Kind {
	case PerRun, PerVisit:
		return true
	case PerState:
		return s.State >= 0 && s.State < len(c.d.States)
	}
	return false
}

// isBackoff refuses what would not be a wait.
func isBackoff(b *Backoff) bool {
	return b.By != nil || b.First >= 0 && b.First <= b.Last && isShare(b.Jitter) &&
		(b.Factor >= 1 || b.Factor == 0 && b.First == b.Last) && b.Factor <= math.MaxFloat64
}
