package product

import (
	"math/big"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// arrival is an input that both runs get at one time. Where old and new have no kind,
// time passes until then, and what is due comes.
type arrival struct {
	old, new machine.Input
	at       time.Time
	text     string // as a trigger
}

// arrivals are all inputs that can come next and that both runs know.
func (s *search) arrivals(n *node) []arrival {
	if n.old.State < 0 {
		return s.starts(n)
	}
	due := n.due()
	var out []arrival
	add := func(a arrival) {
		if due.IsZero() || !a.at.After(due) {
			out = append(out, a)
		}
	}
	for _, e := range s.old.m.Events {
		if f := s.external(e); f != nil {
			in := machine.Input{Kind: machine.EventInput}
			s.each(ir.Slots(e.Fields), ir.Slots(f.Fields), e.Name+".", func(old, new []machine.Value) {
				a := arrival{old: in, new: in, at: n.at, text: e.Name}
				a.old.Event, a.old.Data, a.new.Event, a.new.Data = e.Index, old, f.Index, new
				add(a)
			})
		}
	}
	for _, t := range s.old.open(n.old) {
		if u, ok := s.new.same(n.new, &t, s.old); ok {
			s.ends(n, &t, &u, add)
			s.spends(n, &t, &u, add)
		}
	}
	if !n.old.Cancelled && !n.new.Cancelled {
		in := machine.Input{Kind: machine.CancelInput}
		add(arrival{old: in, new: in, at: n.at, text: "cancel"})
	}
	if !due.IsZero() {
		out = append(out, arrival{at: due, text: s.timerText(n, due)})
	}
	return out
}

// due is when the next timer of either run is due; zero for none.
func (n *node) due() time.Time {
	due := n.old.NextDue()
	if other := n.new.NextDue(); due.IsZero() || !other.IsZero() && other.Before(due) {
		due = other
	}
	if !due.IsZero() && due.Before(n.at) {
		return n.at
	}
	return due
}

// timerText is the timer that is due, as a trigger; of the old machine where it is one of its.
func (s *search) timerText(n *node, due time.Time) string {
	if in, ok := s.old.x.Next(n.old, due); ok && in.Kind == machine.TimerInput {
		return s.old.m.Timers[in.Timer].Trigger()
	}
	if in, ok := s.new.x.Next(n.new, due); ok && in.Kind == machine.TimerInput {
		return s.new.m.Timers[in.Timer].Trigger()
	}
	return "wait"
}

// external is the event of the new machine that senders of e may send, or nil.
func (s *search) external(e *ir.Event) *ir.Event {
	i := slices.IndexFunc(s.new.m.Events, func(f *ir.Event) bool { return f.Name == e.Name })
	if !e.External() || i < 0 || !s.new.m.Events[i].External() {
		return nil
	}
	return s.new.m.Events[i]
}

// starts are the ways to start a run. What one machine alone knows has a plain value.
func (s *search) starts(n *node) []arrival {
	var out []arrival
	in := machine.Input{Kind: machine.StartInput}
	s.each(ir.Slots(s.old.m.Params), ir.Slots(s.new.m.Params), "", func(old, new []machine.Value) {
		a := arrival{old: in, new: in, at: n.at}
		a.old.Data, a.new.Data = old, new
		out = append(out, a)
	})
	return out
}

// ends are the ways in which an attempt can end that both machines know.
func (s *search) ends(n *node, t, u *machine.Task, add func(arrival)) {
	of := func(kind machine.InputKind, t *machine.Task) machine.Input {
		return machine.Input{Kind: kind, Event: -1, Do: t.Do, Index: t.Index, Key: t.Key, Attempt: t.Attempt}
	}
	ready := later(n.at, later(t.NotBefore, u.NotBefore))
	was, is := s.old.m.Dos[t.Do], s.new.m.Dos[u.Do]
	a := arrival{old: of(machine.ResultInput, t), new: of(machine.ResultInput, u), at: ready}
	if was.Activity.Silent() && is.Activity.Silent() {
		a.text = was.Activity.Name + " ends"
		add(a)
	}
	for _, e := range was.Activity.Results {
		i := slices.IndexFunc(is.Activity.Results, func(f *ir.Event) bool { return f.Name == e.Name })
		if i < 0 {
			continue
		}
		f := is.Activity.Results[i]
		s.each(ir.Slots(e.Fields), ir.Slots(f.Fields), e.Name+".", func(old, new []machine.Value) {
			a := a
			a.old.Event, a.old.Data, a.new.Event, a.new.Data, a.text = e.Index, old, f.Index, new, e.Name
			add(a)
		})
	}
	for _, c := range s.old.m.FailuresOf(was) {
		first, can := s.new.limitOf(u.Do, c.Name)
		limit, _ := s.old.limitOf(t.Do, c.Name)
		i := slices.IndexFunc(s.new.m.Categories, func(d *ir.Category) bool { return d.Name == c.Name })
		if !can || i < 0 {
			continue
		}
		a := arrival{old: of(machine.FailureInput, t), new: of(machine.FailureInput, u), at: ready.Add(max(first, limit)), text: "failed(" + c.Name + ")"}
		a.old.Category, a.new.Category = c.Index, s.new.m.Categories[i].Index
		a.old.Message, a.new.Message = "why", "why"
		add(a)
	}
}

// spends says of each cost to whose budgets both runs are held that the attempt has used
// more of it than either has.
func (s *search) spends(n *node, t, u *machine.Task, add func(arrival)) {
	for _, name := range s.old.m.Enforced() {
		most := s.most(name)
		if most == "" || slices.Contains(n.old.OverDone, name) {
			continue
		}
		in := func(t *machine.Task) machine.Input {
			return machine.Input{Kind: machine.SpentInput, Do: t.Do, Index: t.Index, Key: t.Key, Attempt: t.Attempt, Cost: []machine.Cost{{Name: name, Amount: most}}}
		}
		add(arrival{old: in(t), new: in(u), at: later(n.at, later(t.NotBefore, u.NotBefore)), text: "over_budget(" + name + ")"})
	}
}

// most is more than both machines may spend of a cost; empty where one of them is not held
// to it.
func (s *search) most(name string) string {
	if !slices.Contains(s.new.m.Enforced(), name) {
		return ""
	}
	most := big.NewRat(1, 1)
	for _, m := range []*ir.Machine{s.old.m, s.new.m} {
		for _, c := range m.Budget.Costs {
			if c.Name == name {
				most.Add(most, c.Amount)
			}
		}
	}
	return ir.DecimalText(most)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// each calls take with every payload to try, as each machine has it. Prefix stands before
// the names by which values knows the fields. A payload with a field that only one machine knows, and
// that may not be absent, is for parameters alone: an event has all its fields.
func (s *search) each(old, new []*ir.Slot, prefix string, take func(old, new []machine.Value)) {
	var names []string
	var lists [][]machine.Value
	number := 7
	for _, f := range old {
		g := fieldOf(new, f.Name)
		if g == nil || g.Type.Kind != f.Type.Kind {
			if prefix != "" && !(g == nil && f.Optional) {
				return
			}
			continue
		}
		number += 4
		names = append(names, f.Name)
		list := s.values.of(prefix+f.Name, f.Type, g.Type, number)
		if f.Optional && g.Optional {
			list = append(list[:len(list):len(list)], machine.Unset)
		}
		lists = append(lists, list)
	}
	for _, g := range new {
		if f := fieldOf(old, g.Name); f == nil && !g.Optional && prefix != "" {
			return
		}
	}
	for _, row := range s.rows(lists) {
		given := map[string]machine.Value{}
		for i, name := range names {
			given[name] = row[i]
		}
		take(filled(old, given), filled(new, given))
	}
}

// rows are the payloads: each has a value of each list. Where there are too many, each
// value stands in one at least.
func (s *search) rows(lists [][]machine.Value) [][]machine.Value {
	count, longest := 1, 1
	for _, list := range lists {
		count, longest = min(count*len(list), maxTogether+1), max(longest, len(list))
	}
	if count > maxTogether {
		s.result.Whole = false
		out := make([][]machine.Value, longest)
		for i := range out {
			for _, list := range lists {
				out[i] = append(out[i], list[i%len(list)])
			}
		}
		return out
	}
	out := [][]machine.Value{nil}
	for _, list := range lists {
		var next [][]machine.Value
		for _, row := range out {
			for _, v := range list {
				next = append(next, append(row[:len(row):len(row)], v))
			}
		}
		out = next
	}
	return out
}

func fieldOf(list []*ir.Slot, name string) *ir.Slot {
	if i := slices.IndexFunc(list, func(s *ir.Slot) bool { return s.Name == name }); i >= 0 {
		return list[i]
	}
	return nil
}

// filled are the values of fields, in their order.
func filled(fields []*ir.Slot, given map[string]machine.Value) []machine.Value {
	out := make([]machine.Value, len(fields))
	for i, f := range fields {
		v, said := given[f.Name]
		if !said && !f.Optional {
			v = plain(f.Type, f.Type, i+1)
		}
		out[i] = v
	}
	return out
}
