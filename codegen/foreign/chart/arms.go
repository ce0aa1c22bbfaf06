package chart

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
)

// handlers writes an `on` for each group of events with the same arms.
func (m *made) handlers(s *State) {
	m.wild(s)
	type group struct {
		events []string
		arms   []*Transition
	}
	var groups []group
	for _, e := range m.known {
		arms := m.taking(s, e)
		i := slices.IndexFunc(groups, func(g group) bool { return slices.Equal(g.arms, arms) })
		switch {
		case len(arms) == 0:
		case i >= 0:
			groups[i].events = append(groups[i].events, m.events.Title(e))
		default:
			groups = append(groups, group{[]string{m.events.Title(e)}, arms})
		}
	}
	for _, g := range groups {
		m.write("on "+strings.Join(g.events, ", "), s, g.arms, false)
	}
}

// wild notes the descriptors that take events which no text names: those are events of no
// machine here.
func (m *made) wild(s *State) {
	for _, t := range s.On {
		for _, d := range t.Events {
			switch {
			case !strings.Contains(d, "*"):
			case slices.ContainsFunc(m.known, func(e string) bool { return m.chart.Matches(d, e) }):
				m.part("%q takes the events that are named somewhere, and no others", d)
			default:
				m.lost("what %q takes: no event that it means is named", d)
			}
		}
	}
}

// taking is the transitions of s that take an event, in the order in which they are tried.
func (m *made) taking(s *State, event string) []*Transition {
	type match struct {
		length int
		arm    *Transition
	}
	var all []match
	for _, t := range s.On {
		longest := -1
		for _, d := range t.Events {
			if d == event {
				longest = math.MaxInt
			} else if m.chart.Matches(d, event) {
				longest = max(longest, len(d))
			}
		}
		if longest >= 0 {
			all = append(all, match{longest, t})
		}
	}
	if m.chart.First {
		slices.SortStableFunc(all, func(a, b match) int { return cmp.Compare(b.length, a.length) })
	}
	var arms []*Transition
	for _, a := range all {
		arms = append(arms, a.arm)
	}
	return arms
}

// write writes a trigger with its arms, up to the first that is always taken. With complete,
// an arm is last that has no guard: the state stays.
func (m *made) write(trigger string, s *State, arms []*Transition, complete bool) {
	var parts []string
	open := true
	for _, t := range arms {
		parts = append(parts, m.arm(s, t))
		if t.Guard == nil {
			open = false
			break
		}
		open = open && !slices.ContainsFunc(arms, func(o *Transition) bool { return opposite(o.Guard, t.Guard) })
	}
	if complete && open {
		parts = append(parts, "{}")
	}
	if len(parts) > 0 {
		m.cur.Add(trigger + " " + strings.Join(parts, " else "))
	}
}

// opposite reports whether b is not a, in so many words.
func opposite(a, b *Guard) bool {
	return a != nil && b != nil && b.Op == "!" && len(b.Of) == 1 && a.Name != "" && b.Of[0].Name == a.Name
}

func (m *made) arm(s *State, t *Transition) string {
	when := ""
	if t.Guard != nil {
		when = "when " + m.guard(t.Guard) + " "
	}
	for _, l := range t.Lost {
		m.cur.Add(m.item.Data("%s", l))
	}
	block := m.block(t.Actions)
	if t.Wherever != "" {
		m.lost("a step to %s: it stays where it is", t.Wherever)
		return when + cmp.Or(block, "{}")
	}
	if t.Target == m.root && m.root == m.chart.Root { // it leads to where the machine begins
		begin := *t
		begin.Target, begin.Reenter = cmp.Or(m.root.Initial, m.root.Children[0]), t.Reenter || s != m.root
		s, t = m.root, &begin
	}
	if t.Target == nil || t.Target == s && !t.Reenter && len(s.Children) == 0 {
		return when + m.stay(s, block)
	}
	if t.Target.History {
		m.lost("the history of %q: it begins anywhere it begins first", t.Target.Parent.Key)
	}
	path := m.path(t.Target)
	if t.Target == s && !t.Reenter && len(s.Children) > 0 && s != m.root {
		path += "." + m.initial(s) // what is inside begins again, and s itself is not left
	} else if left := m.reentered(s, t); left != nil && path != "" {
		m.lost("that %q is left and entered again on the way to %q", left.Key, t.Target.Key)
	}
	if path == "" {
		m.lost("a step out of its region, to %q: it stays where it is", t.Target.Key)
		return when + cmp.Or(block, "{}")
	}
	return strings.TrimSpace(when + "-> " + path + " " + block)
}

// reentered is a state around the target which the original leaves and enters again, and which tells by
// what it does then: all that is inside s, and s itself with Reenter. Here a run stays in what is around
// both its leaf and the target. In SCXML, a region is left only with all that is beside it.
func (m *made) reentered(s *State, t *Transition) *State {
	if t.Target == s || !t.Target.Inside(s) {
		return nil
	}
	for at := t.Target.Parent; at != s || t.Reenter; at = at.Parent {
		tells := len(at.Entry)+len(at.Exit)+len(at.After) > 0 || at == m.root && !m.chart.First
		if tells && !(t.Target.History && at == t.Target.Parent) {
			return at
		}
		if at == s {
			break
		}
	}
	return nil
}

// stay is an arm that stays. Where the state looks at conditions when it is entered, it is
// entered again, so that it looks again.
func (m *made) stay(s *State, block string) string {
	if len(s.Children) > 0 || s == m.root || len(m.always(s)) == 0 {
		return cmp.Or(block, "{}")
	}
	if len(s.Entry)+len(s.Exit)+len(s.After)+len(s.Invokes) > 0 {
		m.lost("after this its conditions are not looked at again")
		return cmp.Or(block, "{}")
	}
	return strings.TrimSpace("-> " + m.path(s) + " " + block)
}

// always is the transitions without an event of s and of what is around it.
func (m *made) always(s *State) []*Transition {
	var all []*Transition
	for ; s != nil; s = s.Parent {
		all = append(all, s.Always...)
		if s == m.root {
			break
		}
	}
	return all
}

// leaf writes the activities of a leaf and what it does at once.
func (m *made) leaf(s *State) {
	always := m.always(s)
	if s.Final && s.Parent != nil && s.Parent != m.root && len(s.Parent.Done) > 0 {
		always = s.Parent.Done
	}
	stays := len(s.Invokes) > 0
	for n, i := range s.Invokes {
		label := ""
		if len(s.Invokes) > 1 { // so that each has its own results and failures
			label = fmt.Sprintf("%s_%d", m.calls.Snake(i.Name), n+1)
		}
		stays = m.invoke(s, i, label) && stays
	}
	switch {
	case len(always) > 0 && len(s.Invokes) > 0:
		m.lost("what it does without an event, beside what it invokes")
	case len(always) > 0:
		m.write("on done", s, always, true)
	}
	if stays {
		m.cur.Add("on done {}")
	}
}

// invoke writes an activity, and reports whether it can end with the run still there.
// label tells it apart from others in the state; empty where there are none.
func (m *made) invoke(s *State, i *Invoke, label string) (stays bool) {
	name := m.calls.Snake(i.Name)
	done := ""
	if len(i.Done) > 0 {
		done = m.events.TitleFor("\x00done "+i.Name, i.Name+" done")
	}
	decl := name + "()"
	if done != "" {
		decl += " -> " + done
	}
	at := slices.IndexFunc(m.m.Activities, func(d foreign.Decl) bool { return strings.HasPrefix(d.Text, name+"()") })
	switch {
	case at < 0:
		m.m.Activities = append(m.m.Activities, foreign.Decl{Text: decl, Doc: foreign.Renamed(i.Name, name)})
		if done != "" {
			m.m.Events = append(m.m.Events, foreign.Decl{Text: done})
		}
	case strings.Contains(m.m.Activities[at].Text, "->") && done == "":
		done = m.events.TitleFor("\x00done "+i.Name, i.Name+" done")
	case !strings.Contains(m.m.Activities[at].Text, "->") && done != "":
		m.m.Activities[at].Text = decl
		m.m.Events = append(m.m.Events, foreign.Decl{Text: done})
		m.part("every state that runs %s has to take its result", name)
	}
	of := ""
	if label != "" {
		of, label = label+".", " as "+label
	}
	m.cur.Add("do " + name + "()" + label)
	if done != "" {
		m.write("on "+of+done, s, i.Done, true)
	}
	if len(i.Error) > 0 {
		m.write("on "+of+"failed", s, i.Error, true)
	} else {
		m.fails = true
	}
	return !leaves(s, i.Done) || len(i.Error) > 0 && !leaves(s, i.Error)
}

// leaves reports whether one of the arms is sure to lead out of s.
func leaves(s *State, arms []*Transition) bool {
	for _, t := range arms {
		if t.Target == nil || t.Wherever != "" || t.Target == s && !t.Reenter {
			return false
		}
		if t.Guard == nil {
			return true
		}
	}
	return false
}

func (m *made) timer(s *State, d *Delay) {
	wait := ""
	if d.Name != "" {
		wait = m.delay(d.Name)
	} else {
		wait = foreign.Seconds(d.Seconds)
		if d.Seconds > foreign.Year {
			m.part("a wait of more than a year: it is %s", wait)
		}
	}
	if d.Outlives != "" {
		m.part("this timer ends when it is left; in the original nothing cancels the event %s", d.Outlives)
	}
	m.write("after "+wait, s, d.Arms, true)
}

// delay is a field for a delay that only the program knows.
func (m *made) delay(name string) string {
	known := m.waits.Find(name) != ""
	field := m.waits.SnakeFor(name, "wait "+name)
	if !known {
		m.m.Fields = append(slices.Clone(m.m.Fields), foreign.Field{Name: field, Type: "duration", Default: "1m",
			Note: m.item.Part("how long %s is stands in the program; a minute is a guess", name)})
	}
	return field
}

// guard is a condition as text.
func (m *made) guard(g *Guard) string {
	switch {
	case g.Op == "!" && len(g.Of) == 1:
		return "!(" + m.guard(g.Of[0]) + ")"
	case g.Op != "" && len(g.Of) > 0:
		var parts []string
		for _, o := range g.Of {
			part := m.guard(o)
			if o.Text != "" {
				part = "(" + part + ")"
			}
			parts = append(parts, part)
		}
		return "(" + strings.Join(parts, " "+g.Op+" ") + ")"
	case g.Text != "" && m.reads(g.Text):
		m.lost("the condition %s: it reads data of the machine around", g.Text)
		g = &Guard{Name: g.Text}
	case g.Text != "":
		return g.Text
	case g.Region:
		m.lost("a condition that asks where another region is")
	}
	name := m.calls.SnakeFor("\x00guard "+g.Name, g.Name)
	if !m.guarded[name] {
		m.guarded[name] = true
		doc := foreign.Renamed(g.Name, name)
		if !foreign.Valid(g.Name) { // a condition, whose operators a name does not have
			doc = "Reports whether this holds: " + g.Name
		}
		m.m.Guards = append(m.m.Guards, foreign.Decl{Text: name + "()", Doc: doc})
		m.part("a program has to answer %s", name)
	}
	return name + "()"
}

// block is actions as a block, empty for none.
func (m *made) block(actions []Action) string {
	var effects []string
	assigned := map[string]bool{}
	for _, a := range actions {
		field, value, _ := strings.Cut(a.Assign, " = ")
		switch {
		case a.Assign != "" && m.reads(a.Assign):
			m.cur.Add(m.item.Data("%s: the data are those of the machine around", a.Assign))
		case a.Assign != "" && assigned[field]:
			m.cur.Add(m.item.Data("%s: a block assigns a field once", a.Assign))
		case a.Assign != "" && slices.ContainsFunc(strings.Fields(strings.Split(value, `"`)[0]), func(t string) bool { return assigned[t] }):
			m.cur.Add(m.item.Data("%s: a block reads what was there before it", a.Assign))
		case a.Assign != "":
			assigned[field] = true
			effects = append(effects, a.Assign)
		default:
			effects = append(effects, "publish "+m.message(a.Publish))
		}
	}
	if len(effects) == 0 {
		return ""
	}
	return "{ " + strings.Join(slices.Compact(effects), ", ") + " }"
}

// message is the event that stands for an action.
func (m *made) message(action string) string {
	known := m.events.Find(action) != ""
	name := m.events.Title(action)
	if !known {
		m.m.Events = append(m.m.Events, foreign.Decl{Text: name, Doc: strings.TrimSpace(foreign.Renamed(action, name) + "\nAn action of the original: a program that takes messages does it.")})
	}
	return name
}

// regions runs the regions of a parallel state as machines of their own.
func (m *made) regions(s *State) {
	m.part("its regions are runs of their own: events are sent to these, and not to this run")
	for i, r := range s.Children {
		if r.History {
			continue
		}
		name := m.machines.TitleFor(fmt.Sprintf("\x00%s %s %d", m.m.Name, s.Key, i), m.m.Name+" "+r.Key)
		child := m.machine(r, name, r.Doc)
		label := foreign.SnakeCase(r.Key)
		if !foreign.Valid(label) {
			label = "region"
		}
		label = fmt.Sprintf("%s_%d", label, i+1)
		m.cur.Add("do machine " + name + "() as " + label)
		for _, f := range child.finals {
			m.cur.Add("on " + label + "." + child.names[f] + " {}")
		}
		if child.fails {
			m.cur.Add("on " + label + "." + child.failed + " -> " + m.failed)
		}
	}
	m.fails = true
	m.write("on done", s, s.Done, true)
}
