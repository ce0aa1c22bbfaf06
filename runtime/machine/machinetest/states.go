package machinetest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

func (b *builder) state(path string) int {
	i := slices.IndexFunc(b.d.States, func(s machine.State) bool { return s.Path == path })
	if i < 0 {
		panic("no state " + path)
	}
	return i
}

// WithState is a state, composite where parts have states of their own.
func WithState(name string, parts ...Part) Part {
	return func(b *builder, parent int) {
		i := len(b.d.States)
		path := name
		if parent > 0 {
			path = b.d.States[parent].Path + "." + name
		}
		b.d.States = append(b.d.States, machine.State{Path: path, Kind: machine.LeafState, Parent: parent, Initial: -1})
		if p := &b.d.States[parent]; parent > 0 && p.Kind == machine.LeafState {
			p.Kind, p.Initial = machine.CompositeState, i
		}
		for _, p := range parts {
			p(b, i)
		}
		_, isDone := b.find(i, "done")
		b.d.States[i].Choice = isDone && len(b.d.States[i].Dos) == 0 && b.d.States[i].Kind == machine.LeafState
	}
}

func (b *builder) find(state int, trigger string) (on, bool) {
	for _, o := range b.ons[state] {
		if slices.Contains(o.triggers, trigger) {
			return o, true
		}
	}
	return on{}, false
}

// WithTerminal is a terminal and what it does when it is entered.
func WithTerminal(name string, outcome machine.Outcome, effects ...ArmPart) Part {
	return func(b *builder, parent int) {
		i := len(b.d.States)
		b.d.States = append(b.d.States, machine.State{Path: name, Kind: machine.TerminalState, Outcome: outcome, Initial: -1})
		b.d.States[i].Entry = b.block(effects)
	}
}

// Returning lets the terminal called name, which is declared before, return params and fields.
func Returning(name string, returned ...string) Part {
	return func(b *builder, _ int) {
		t := &b.d.States[b.state(name)]
		for _, r := range returned {
			t.Returns = append(t.Returns, b.expr(r, nil))
		}
	}
}

// block makes a Block of effects; nil where there are none.
func (b *builder) block(effects []ArmPart) *machine.Block {
	var a machine.Arm
	for _, e := range effects {
		e(b, &a, nil)
	}
	return a.Block
}

// Entering is what a state does when it is entered.
func Entering(effects ...ArmPart) Part {
	return func(b *builder, s int) { b.d.States[s].Entry = b.block(effects) }
}

// Leaving is what a state does when it is left.
func Leaving(effects ...ArmPart) Part {
	return func(b *builder, s int) { b.d.States[s].Exit = b.block(effects) }
}

// WithRequire is a condition that must hold on entry, and where to go where it does not.
func WithRequire(cond, target string) Part {
	return func(b *builder, s int) {
		r := &machine.Require{Cond: b.expr(cond, nil)}
		b.d.States[s].Require = r
		b.fix = append(b.fix, func() { r.Target = b.state(target) })
	}
}

// Doing is a do of an activity: options are "for l", "limit 2", "as a", "per run", "per S", "timeout 5s", "heartbeat 5s",
// "progress 5s". With "for l" it runs for each element of the list l, which the arguments
// read as each.item and each.index.
func Doing(activity string, args []string, options ...string) Part {
	return func(b *builder, s int) {
		i := len(b.d.Dos)
		d := machine.Do{Name: b.d.States[s].Path + "/" + activity, State: s, Scope: machine.Scope{Kind: machine.PerVisit, State: -1}}
		d.Activity = b.activity(activity)
		for _, o := range options {
			word, value, _ := strings.Cut(o, " ")
			switch word {
			case "for":
				d.Fan = &machine.Fan{List: b.expr(value, nil)}
				b.each = map[string]machine.Type{"item": *d.Fan.List.Type.Elem, "index": {Kind: machine.Int}}
			case "limit":
				d.Fan.Limit, _ = strconv.ParseInt(value, 10, 64)
			}
		}
		for k, a := range args {
			d.Args = append(d.Args, b.expr(a, &b.d.Activities[d.Activity].Params[k].Type))
		}
		for _, o := range options {
			word, value, _ := strings.Cut(o, " ")
			switch word {
			case "for", "limit":
			case "as":
				d.Label = value
				d.Name += "/" + value
			case "per":
				b.fix = append(b.fix, func() { b.d.Dos[i].Scope = b.scope(value) })
			default:
				*map[string]**int64{"timeout": &d.Timeout, "heartbeat": &d.Heartbeat, "progress": &d.Progress}[word] = new(int64(Duration(value)))
			}
		}
		b.d.Dos = append(b.d.Dos, d)
		b.d.States[s].Dos = append(b.d.States[s].Dos, i)
	}
}

func (b *builder) scope(s string) machine.Scope {
	if s == "run" || s == "visit" {
		return machine.Scope{Kind: machine.ScopeKind(s), State: -1}
	}
	return machine.Scope{Kind: machine.PerState, State: b.state(s)}
}

// After handles a timer: wait is a duration, or the name of a parameter or field.
func After(wait string, parts ...any) Part {
	return func(b *builder, s int) {
		i := len(b.d.Timers)
		timer := machine.Timer{Name: fmt.Sprintf("%s/after %s #%d", b.d.States[s].Path, wait, i), State: s}
		if d, err := time.ParseDuration(wait); err == nil {
			timer.Delay = int64(d)
		} else {
			timer.Var = b.expr(wait, nil)
		}
		var arms []Arm
		for _, p := range parts {
			switch p := p.(type) {
			case string:
				timer.Idle = true
			case float64:
				timer.Jitter = p
			case Arm:
				arms = append(arms, p)
			}
		}
		b.d.Timers = append(b.d.Timers, timer)
		b.d.States[s].Timers = append(b.d.States[s].Timers, i)
		b.ons[s] = append(b.ons[s], on{[]string{fmt.Sprintf("timer %d", i)}, b.arms(s, arms, nil)})
	}
}
