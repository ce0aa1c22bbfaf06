package contracttest

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Change makes another machine of m of which the checker has to say the same:
// the same findings at the same places, and the same figures.
type Change struct {
	Name string
	Make func(m *Machine, r *rand.Rand) (*Machine, bool) // false: there is nothing to change
	// Except are rules that may say it otherwise.
	Except []string
}

// Changes are all changes.
var Changes = []Change{
	{Name: "renaming", Make: rename},
	{Name: "reordering", Make: reorder},
	{Name: "wrapping in a composite", Make: wrap},
	{Name: "putting fields in records", Make: inRecords},
	{Name: "unrolling a bound into a counter", Make: unroll, Except: []string{
		// A spent bound is a gap of the guards then, and a guard may be false
		// for good where a bound counts as open.
		"bound-without-else", "guard-gap", "unhandled-case", "dead-arm", "unreachable-state", "no-success",
	}},
}

func rename(m *Machine, _ *rand.Rand) (*Machine, bool) {
	c := m.copy()
	c.link()
	for _, s := range c.states[1:] {
		s.Name = "Zu" + s.Name
	}
	for _, e := range c.Events {
		e.Name = "Q" + e.Name
		for _, f := range e.Fields {
			f.Name = "w" + f.Name
		}
	}
	for _, a := range c.Acts {
		a.Name = "perform_" + a.Name
	}
	for _, f := range c.Fields {
		if !f.Own {
			f.Name = "k" + f.Name
		}
	}
	return c, true
}

func reorder(m *Machine, r *rand.Rand) (*Machine, bool) {
	c := m.copy()
	c.link()
	shuffle(r, c.Events)
	shuffle(r, c.Acts)
	shuffle(r, c.Asserts)
	shuffle(r, c.Failures)
	for _, s := range c.states {
		shuffle(r, s.Children)
		shuffle(r, s.Ons)
		shuffle(r, s.Ignore)
		shuffle(r, s.Defer)
		shuffle(r, s.Dos)
		shuffle(r, s.Entry)
		shuffle(r, s.Exit)
		shuffle(r, s.Returns)
		if !twins(s.Afters) {
			shuffle(r, s.Afters)
		}
	}
	for _, a := range c.arms() {
		shuffle(r, a.Block)
	}
	return c, true
}

// twins says whether two timers are written alike: their order decides.
func twins(afters []*After) bool {
	for i, a := range afters {
		for _, b := range afters[:i] {
			if a.Wait == b.Wait && a.Field == b.Field && a.Idle == b.Idle {
				return true
			}
		}
	}
	return false
}

func shuffle[T any](r *rand.Rand, list []T) {
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

func wrap(m *Machine, _ *rand.Rand) (*Machine, bool) {
	c := m.copy()
	w := &State{Name: "W", Parent: c.Root, Initial: c.Root.Initial}
	var rest []*State
	for _, s := range c.Root.Children {
		if s.Terminal != "" {
			rest = append(rest, s)
			continue
		}
		s.Parent = w
		w.Children = append(w.Children, s)
	}
	c.Root.Initial = w
	c.Root.Children = append([]*State{w}, rest...)
	return c, true
}

// unroll counts the uses of every `max` that is the run's in a field.
func unroll(m *Machine, _ *rand.Rand) (*Machine, bool) {
	c := m.copy()
	c.link()
	changed := false
	for _, s := range c.states {
		for _, o := range s.Ons {
			changed = c.count(o.Arms) || changed
		}
	}
	return c, changed
}

func (m *Machine) count(arms []*Arm) (changed bool) {
	// A chain that has no end without its bounds is another finding then.
	if last := arms[len(arms)-1]; last.When != nil || last.Bound > 0 {
		return false
	}
	for _, a := range arms {
		if a.Op != "go" || a.Bound == 0 || a.PerState != nil || a.Per == "visit" {
			continue
		}
		f := &Field{Name: fmt.Sprintf("used%d", len(m.Fields)), Kind: Int, Hi: a.Bound}
		m.Fields = append(m.Fields, f)
		read := &Expr{Op: "field", Field: f}
		open := &Expr{Op: "<", Args: []*Expr{read, lit(f, a.Bound)}}
		if a.When != nil {
			open = &Expr{Op: "&&", Args: []*Expr{a.When, open}}
		}
		a.When = open
		a.Block = append(slices.Clone(a.Block), &Effect{Field: f, Value: &Expr{Op: "+", Args: []*Expr{read, lit(f, 1)}}})
		a.Bound, a.Per = 0, ""
		changed = true
	}
	return changed
}

// Places names what stands at each line, in words that no change touches.
func (m *Machine) Places() map[int]string {
	places := map[int]string{}
	arms := func(where string, arms []*Arm) {
		for i, a := range arms {
			places[a.line] = fmt.Sprintf("%s, arm %d", where, i)
			for _, e := range a.Block {
				places[e.line] = fmt.Sprintf("%s, arm %d, %d", where, i, e.Field.Hi)
			}
		}
	}
	for _, s := range m.states {
		name := fmt.Sprint("state ", s.ID)
		places[s.line] = name
		for _, o := range s.Ons {
			where := fmt.Sprintf("%s, on %d", name, o.ID)
			places[o.line] = where
			arms(where, o.Arms)
		}
		for _, a := range s.Afters {
			where := fmt.Sprintf("%s, after %d", name, a.ID)
			places[a.line] = where
			arms(where, a.Arms)
		}
		for _, d := range s.Dos {
			places[d.line] = fmt.Sprintf("%s, do %d", name, d.ID)
		}
	}
	return places
}

// inRecords makes one record of all fields with a default, and one of the fields of each
// event: Text writes what has a point in its name as a place.
func inRecords(m *Machine, _ *rand.Rand) (*Machine, bool) {
	c := m.copy()
	c.link()
	changed := false
	returned := map[*Field]bool{} // which are named alone
	for _, s := range c.states {
		for _, f := range s.Returns {
			returned[f] = true
		}
	}
	for _, f := range c.Fields {
		if !returned[f] && !f.Param && !f.Own && f.Start != unset {
			f.Name, changed = "held."+f.Name, true
		}
	}
	for _, e := range c.Events {
		if slices.ContainsFunc(e.Fields, func(f *Field) bool { return f.Absent }) {
			continue // a place of a record is never absent
		}
		for _, f := range e.Fields {
			f.Name, changed = "of."+f.Name, true
		}
	}
	return c, changed
}
