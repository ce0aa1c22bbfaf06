package machinetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// On handles triggers, separated by ", ", with arms.
func On(triggers string, arms ...Arm) Part {
	return func(b *builder, s int) {
		list := strings.Split(triggers, ", ")
		b.ons[s] = append(b.ons[s], on{list, b.arms(s, arms, list)})
	}
}

// Arm is one way to answer an input.
type Arm struct {
	kind   machine.ArmKind
	target string
	parts  []ArmPart
}

// ArmPart adds its part to an arm of a handler for triggers.
type ArmPart func(b *builder, a *machine.Arm, triggers []string)

// ArmOf is an arm of any kind.
func ArmOf(kind machine.ArmKind, target string, parts ...ArmPart) Arm {
	return Arm{kind, target, parts}
}

// GoTo, Retry, Stay, Refuse, Ignore and Deferring are arms of these kinds.
func GoTo(target string, parts ...ArmPart) Arm { return Arm{machine.GotoArm, target, parts} }
func Retry(n int64, parts ...ArmPart) Arm {
	return Arm{machine.RetryArm, "", append(parts, Bound(n, ""))}
}
func Stay(parts ...ArmPart) Arm      { return Arm{machine.StayArm, "", parts} }
func Refuse(parts ...ArmPart) Arm    { return Arm{machine.RejectArm, "", parts} }
func Ignore(parts ...ArmPart) Arm    { return Arm{machine.IgnoreArm, "", parts} }
func Deferring(parts ...ArmPart) Arm { return Arm{machine.DeferArm, "", parts} }

func (b *builder) arms(s int, specs []Arm, triggers []string) []int {
	var out []int
	for _, spec := range specs {
		i := len(b.d.Arms)
		a := machine.Arm{State: s, Kind: spec.kind, Target: -1, Scope: machine.Scope{Kind: machine.PerRun, State: -1}}
		if spec.kind == machine.RetryArm {
			a.Scope.Kind = machine.PerVisit
		}
		a.Name = fmt.Sprintf("%s#%d", b.d.States[s].Path, i)
		a.Text = string(spec.kind) + " " + spec.target
		b.d.Arms = append(b.d.Arms, a)
		for _, p := range spec.parts {
			p(b, &b.d.Arms[i], triggers)
		}
		if spec.kind == machine.GotoArm {
			b.fix = append(b.fix, func() { b.d.Arms[i].Target = b.state(spec.target) })
		}
		out = append(out, i)
	}
	return out
}

// When guards an arm by a condition.
func When(e string) ArmPart {
	return func(b *builder, a *machine.Arm, triggers []string) {
		b.triggers(triggers)
		a.When = b.expr(e, nil)
	}
}

// Bound is how often an arm may be taken: max n, in "run", "visit" or a state.
func Bound(n int64, scope string) ArmPart {
	return func(b *builder, a *machine.Arm, _ []string) {
		a.Max = &n
		if i := slices.IndexFunc(b.d.Arms, func(x machine.Arm) bool { return x.Name == a.Name }); scope != "" {
			b.fix = append(b.fix, func() { b.d.Arms[i].Scope = b.scope(scope) })
		}
	}
}

// WithBackoff gives a retry its waits.
func WithBackoff(first, last string, factor, jitter float64) ArmPart {
	return func(_ *builder, a *machine.Arm, _ []string) {
		a.Backoff = &machine.Backoff{First: int64(Duration(first)), Last: int64(Duration(last)), Factor: factor, Jitter: jitter}
	}
}

// By gives a retry a wait that is an expression.
func By(e string) ArmPart {
	return func(b *builder, a *machine.Arm, triggers []string) {
		b.triggers(triggers)
		a.Backoff = &machine.Backoff{By: b.expr(e, &machine.Type{Kind: machine.DurationKind})}
	}
}

// Set assigns a field; "unset" unsets it.
func Set(field, e string) ArmPart {
	return func(b *builder, a *machine.Arm, triggers []string) {
		b.triggers(triggers)
		b.own(a)
		i := indexOf(b.d.Fields, field)
		assign := machine.Assign{Field: i}
		if e != "unset" {
			assign.Value = b.expr(e, &b.d.Fields[i].Type)
		}
		a.Block.Assigns = append(a.Block.Assigns, assign)
	}
}

// Publishing publishes an event: values in the order of the event's fields.
func Publishing(name string, values ...string) ArmPart {
	return func(b *builder, a *machine.Arm, triggers []string) {
		b.triggers(triggers)
		b.own(a)
		p := machine.Publish{Event: b.event(name)}
		for i, v := range values {
			p.Values = append(p.Values, b.expr(v, &b.d.Events[p.Event].Fields[i].Type))
		}
		a.Block.Publishes = append(a.Block.Publishes, p)
	}
}

func (b *builder) own(a *machine.Arm) {
	if a.Block == nil {
		a.Block = &machine.Block{}
	}
}

func indexOf(fields []machine.Field, name string) int {
	return slices.IndexFunc(fields, func(f machine.Field) bool { return f.Name == name })
}

// failure is what event.x is in the arm of a failure.
var failure = []machine.Field{
	{Name: "category", Type: machine.Type{Kind: machine.String}}, {Name: "message", Type: machine.Type{Kind: machine.String}},
	{Name: "activity", Type: machine.Type{Kind: machine.String}}, {Name: "attempt", Type: machine.Type{Kind: machine.Int}},
}

// triggers notes the types that event.x has under them.
func (b *builder) triggers(triggers []string) {
	b.types = make(map[string]machine.Type)
	maps.Copy(b.types, b.each)
	for _, t := range triggers {
		fields := failure
		if e := b.ofTrigger(t); e != nil {
			fields = e.Fields
		}
		for _, f := range fields {
			b.types[f.Name] = f.Type
		}
	}
}

// ofTrigger is the event that a trigger names: its name, or with a label its own part of it.
func (b *builder) ofTrigger(trigger string) *machine.Event {
	_, own, _ := strings.Cut(trigger, ".")
	for i := range b.d.Events {
		if e := &b.d.Events[i]; e.Name == trigger || ownName(e.Name) == own {
			return e
		}
	}
	return nil
}

// ownName is the name of an event without that of the machine whose terminal it is.
func ownName(event string) string { return event[strings.IndexByte(event, '.')+1:] }
