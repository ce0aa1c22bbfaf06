package table

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// arms compiles the written arms, whose indexes stay as they are, and behind
// them one for each `ignore` and `defer`.
func (c *compiler) arms() []machine.Arm {
	var names ir.StableNames
	var out []machine.Arm
	for i, name := range ir.ArmNames(c.m, &names) {
		out = append(out, c.arm(c.m.Arms[i], name))
	}
	uses := ir.UseNames(c.m, &names)
	for _, s := range c.m.States {
		for _, list := range []struct {
			uses []*ir.EventUse
			kind machine.ArmKind
		}{{s.Ignore, machine.IgnoreArm}, {s.Defer, machine.DeferArm}} {
			for _, u := range list.uses {
				c.kept[u] = len(out)
				out = append(out, machine.Arm{
					Name:   uses[u],
					State:  s.ID,
					Text:   string(list.kind),
					Kind:   list.kind,
					Target: -1,
					Scope:  machine.Scope{Kind: machine.PerRun, State: -1},
				})
			}
		}
	}
	return out
}

var armKinds = map[ir.ArmKind]machine.ArmKind{
	ir.Goto:      machine.GotoArm,
	ir.Retry:     machine.RetryArm,
	ir.Reject:    machine.RejectArm,
	ir.IgnoreArm: machine.IgnoreArm,
	ir.Stay:      machine.StayArm,
}

func (c *compiler) arm(a *ir.Arm, name string) machine.Arm {
	out := machine.Arm{
		Name:      name,
		State:     a.State.ID,
		Text:      a.Text(),
		Kind:      armKinds[a.Kind],
		Target:    -1,
		Max:       a.Max,
		Unbounded: a.Unbounded,
		Scope:     scope(a.Scope),
		Block:     c.block(a.Block),
	}
	if a.When != nil {
		out.When = c.expr(a.When)
	}
	if a.Target != nil {
		out.Target = a.Target.ID
	}
	if b := a.Backoff; b != nil {
		out.Backoff = &machine.Backoff{First: b.First, Last: b.Last, Factor: ratio(b.Factor), Jitter: ratio(b.Jitter)}
		if b.By != nil {
			out.Backoff = &machine.Backoff{By: c.expr(b.By)}
		}
	}
	return out
}

// handlers flattens what leaf can meet. Inputs that no arm could take are left
// out.
func (c *compiler) handlers(leaf *ir.State) []machine.Handler {
	var out []machine.Handler
	for _, k := range c.m.Cases(leaf) {
		arms := c.choices(leaf, k)
		if len(arms) == 0 {
			continue
		}
		h := machine.Handler{Kind: caseKinds[k.Kind], Event: -1, Do: -1, Category: -1, Timer: -1, Arms: arms}
		if k.Event != nil {
			h.Event = k.Event.Index
		}
		if k.Do != nil {
			h.Do = k.Do.ID
		}
		if k.Category != nil {
			h.Category = k.Category.Index
		}
		if k.Timer != nil {
			h.Timer = k.Timer.ID
		}
		h.Cost = k.Cost
		out = append(out, h)
	}
	return out
}

// choices are the arms that k reaches in leaf. What states around it say of an
// event is found once for all leaves inside: else a thousand leaves below a
// thousand handlers would look at each handler for each event a thousand times.
func (c *compiler) choices(leaf *ir.State, k ir.Case) []int {
	if k.Kind != ir.CaseEvent || leaf.Parent == nil {
		return c.indexes(c.m.Choices(leaf, k))
	}
	return slices.Concat(c.indexes(leaf.OwnChoices(k)), c.around(leaf.Parent)[k.Event.Index])
}

// around is what s and the states around it say of each event from outside, by
// its index.
func (c *compiler) around(s *ir.State) [][]int {
	if known := c.events[s]; known != nil {
		return known
	}
	out := make([][]int, len(c.m.Events))
	for i, e := range c.m.Events {
		if e.External() {
			out[i] = c.choices(s, ir.Case{Kind: ir.CaseEvent, Event: e})
		}
	}
	c.events[s] = out
	return out
}

// indexes are those of the arms of choices.
func (c *compiler) indexes(choices []ir.Choice) []int {
	return each(choices, func(choice ir.Choice) int {
		if choice.Arm != nil {
			return choice.Arm.ID
		}
		return c.kept[choice.Use]
	})
}

var caseKinds = map[ir.CaseKind]machine.InputKind{
	ir.CaseEvent:   machine.EventInput,
	ir.CaseResult:  machine.ResultInput,
	ir.CaseFailure: machine.FailureInput,
	ir.CaseDone:    machine.DoneInput,
	ir.CaseCancel:  machine.CancelInput,
	ir.CaseTimer:   machine.TimerInput,

	ir.CaseOverBudget: machine.OverBudgetInput,
}

var scopeKinds = map[ir.ScopeKind]machine.ScopeKind{
	ir.PerRun:   machine.PerRun,
	ir.PerVisit: machine.PerVisit,
	ir.PerState: machine.PerState,
}

func scope(s ir.Scope) machine.Scope {
	out := machine.Scope{Kind: scopeKinds[s.Kind], State: -1}
	if s.State != nil {
		out.State = s.State.ID
	}
	return out
}
