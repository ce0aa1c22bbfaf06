package golang

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// corePlan is what the pure machine needs beside the types: names for what the
// source does not name, and where things lie in a snapshot.
//
// Activities and timers have fixed places there. The activities of a leaf are
// numbered from 0. The timers of a state come behind those of the states
// around it, so that for each leaf it is known which timer is at which place,
// and a transition leaves those of the states that it does not leave alone.
type corePlan struct {
	m *machinePlan

	Dos      []constPlan // by ir.Do.ID
	Timers   []constPlan // by ir.Timer.ID
	Arms     []constPlan // by ir.Arm.ID
	Counters map[*ir.Arm]string
	counted  []*ir.Arm // in source order
	slot     map[*ir.Timer]int
	rank     map[*ir.Timer]int // of those due at one instant the lowest fires first
	tasks    int               // places for activities
	alarms   int               // places for timers

	executions map[*ir.Do]int          // places of those that outlive a visit
	anew       map[*ir.State][]*ir.Arm // counters that start anew where the state is entered
	ends       map[*ir.State][]*ir.Do  // executions that end there
	visit      map[*ir.State][]*ir.Arm // by leaf: counters that end with the visit

	idle, deferred, ignored, raised bool
	nested                          bool  // composite states have timers
	longest                         int64 // ns: the longest wait that is known beforehand
}

func newCorePlan(m *machinePlan) *corePlan {
	c := &corePlan{
		m: m, Counters: map[*ir.Arm]string{}, slot: map[*ir.Timer]int{}, rank: map[*ir.Timer]int{}, executions: map[*ir.Do]int{},
		anew: map[*ir.State][]*ir.Arm{}, ends: map[*ir.State][]*ir.Do{}, visit: map[*ir.State][]*ir.Arm{},
	}
	c.planDos()
	c.planTimers()
	c.rankTimers()
	c.planCounters()
	c.planArms()
	for _, s := range m.src.States {
		c.deferred = c.deferred || len(s.Defer) > 0
		c.ignored = c.ignored || len(s.Ignore) > 0
		c.nested = c.nested || s.Kind == ir.Composite && s.Parent != nil && len(s.Timers) > 0
	}
	c.raised = len(m.src.Dos) > 0
	return c
}

// unique numbers the second and later uses of a name.
func unique(taken map[string]bool, name string) string {
	out := name
	for n := 2; taken[out]; n++ {
		out = name + strconv.Itoa(n)
	}
	taken[out] = true
	return out
}

// word keeps the letters and digits of text: "1h30m idle" is "1h30mIdle".
func word(text string) string {
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	}) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

func (c *corePlan) planDos() {
	names, taken := ir.DoNames(c.m.src), map[string]bool{}
	for i, d := range c.m.src.Dos {
		what := d.Label
		if what == "" {
			what = d.Activity.Name
		}
		name := unique(taken, c.m.Name+"Do"+pathName(d.State.Path)+exported(what))
		c.Dos = append(c.Dos, constPlan{Name: name, Value: names[i]})
		c.tasks = max(c.tasks, len(d.State.Dos))
		if d.Scope.Kind == ir.PerVisit {
			continue
		}
		c.executions[d] = len(c.executions)
		if d.Scope.Kind == ir.PerState {
			c.ends[d.Scope.State] = append(c.ends[d.Scope.State], d)
		}
	}
}

func (c *corePlan) planTimers() {
	names, taken := ir.TimerNames(c.m.src), map[string]bool{}
	base := map[*ir.State]int{} // the first place behind the timers of a state
	for _, s := range c.m.src.States {
		base[s] = base[s.Parent]
		for _, t := range s.Timers {
			c.slot[t] = base[s]
			base[s]++
			c.alarms = max(c.alarms, base[s])
		}
	}
	for i, t := range c.m.src.Timers {
		path := ""
		if t.State.Path != "" {
			path = pathName(t.State.Path)
		}
		what := word(t.DelayText())
		if t.Var != nil {
			what = exported(t.Var.Name)
		}
		c.Timers = append(c.Timers, constPlan{Name: unique(taken, c.m.Name+"Timer"+path+"After"+what), Value: names[i]})
		c.idle = c.idle || t.Idle
		c.longest = max(c.longest, t.Delay)
		if t.Var != nil && t.Var.Type.Range != nil {
			c.longest = max(c.longest, t.Var.Type.Range.Hi)
		}
	}
}

// rankTimers ranks the inner before the outer, and those of one state by name,
// so that the order of declarations means nothing.
func (c *corePlan) rankTimers() {
	order := slices.Clone(c.m.src.Timers)
	slices.SortFunc(order, func(a, b *ir.Timer) int {
		return cmp.Or(cmp.Compare(b.State.Depth, a.State.Depth), cmp.Compare(c.Timers[a.ID].Value, c.Timers[b.ID].Value))
	})
	for rank, t := range order {
		c.rank[t] = rank
	}
}

// places is how many places the timers of s and those around it take.
func (c *corePlan) places(s *ir.State) int {
	n := 0
	for ; s != nil; s = s.Parent {
		n += len(s.Timers)
	}
	return n
}

func (c *corePlan) planCounters() {
	taken := map[string]bool{}
	for _, a := range c.m.src.Arms {
		if a.Max == nil && a.Kind != ir.Retry {
			continue
		}
		c.Counters[a] = unique(taken, armName(a))
		c.counted = append(c.counted, a)
		if a.Backoff != nil {
			c.longest = max(c.longest, a.Backoff.Last)
		}
		switch scope := a.Scope; {
		case scope.Kind == ir.PerState:
			c.anew[scope.State] = append(c.anew[scope.State], a)
		case scope.Kind == ir.PerVisit && a.Kind == ir.Goto:
			c.anew[a.State] = append(c.anew[a.State], a)
		}
	}
	c.longest = max(c.longest, defaultLast)
	for _, leaf := range c.m.src.States {
		if leaf.Kind == ir.Leaf {
			c.visit[leaf] = c.visitCounters(leaf)
		}
	}
}

// armName joins the state in which an arm stands and its trigger.
func armName(a *ir.Arm) string {
	name := ""
	if a.State.Path != "" {
		name = pathName(a.State.Path)
	}
	if a.Timer != nil {
		name += "After" + word(a.Timer.DelayText())
	} else {
		name += "On" + word(a.Handler.Text())
	}
	if a.Index > 0 {
		name += "Else" + strconv.Itoa(a.Index)
	}
	return name
}

func (c *corePlan) planArms() {
	var stable ir.StableNames
	names, taken := ir.ArmNames(c.m.src, &stable), map[string]bool{}
	for _, own := range []string{"Ignored", "Deferred"} {
		taken[c.m.Name+"Arm"+own] = true
	}
	for i, a := range c.m.src.Arms {
		c.Arms = append(c.Arms, constPlan{Name: unique(taken, c.m.Name+"Arm"+armName(a)), Value: names[i]})
	}
}

// visitCounters are those of the retries that leaf can meet and that count per
// visit.
func (c *corePlan) visitCounters(leaf *ir.State) []*ir.Arm {
	var out []*ir.Arm
	seen := map[*ir.Arm]bool{}
	for _, k := range c.m.src.Cases(leaf) {
		for _, choice := range c.m.src.Choices(leaf, k) {
			if a := choice.Arm; a != nil && a.Kind == ir.Retry && a.Scope.Kind == ir.PerVisit && !seen[a] {
				seen[a] = true
				out = append(out, a)
			}
		}
	}
	return out
}

// counterType is the smallest type that holds the bound of a.
func counterType(a *ir.Arm) string {
	switch {
	case a.Max == nil || *a.Max > 1<<32-1:
		return "int64"
	case *a.Max > 1<<16-1:
		return "uint32"
	case *a.Max > 1<<8-1:
		return "uint16"
	}
	return "uint8"
}

// declareCore takes the names of the core.
func (m *machinePlan) declareCore(p *planner) {
	at := m.src.Span
	for _, own := range []string{
		"StepTime", "StepTimeOf", "RunStatus", "RunStatusNotStarted", "RunStatusRunning", "RunStatusHalted", "RunStatusFinished",
		"DoName", "TimerName", "FailureCategory", "Core", "Arm", "ArmIgnored", "ArmDeferred", "DoTask", "DoExecution",
		"Counters", "Snapshot", "StepHalt", "InputKind", "InputStart", "InputEvent", "InputResult", "InputEnded", "InputFailure",
		"InputTimer", "InputDone", "InputKept", "InputCancel", "StepInput", "StepPayload", "StartInput", "CancelInput", "EndedInput", "FailureInput",
		"CommandKind", "CommandStartTask", "CommandCancelTask", "CommandEndTask", "CommandSetTimer", "CommandDropTimer", "CommandPublish",
		"CommandFinish", "StepCommand", "OutMessage",
		"Stepper", "StepRefused",
	} {
		p.declare(m.Name+own, at)
	}
	for _, own := range []string{
		"Epoch", "Last", "DoNameNames", "TimerNameNames", "FailureCategoryNames", "Alarms", "TimerRank", "ArmNames", "ArmKind", "ArmKinds", "Object", "SnapshotJSON", "InputJSON", "TaskJSON", "TimeOf", "Cover", "CoverStep", "CoverRun", "CoverGuards", "Stays", "Moves", "Retries",
		"Value", "Add", "Sub", "Mul", "Finite", "Negative", "Join", "Append", "Size", "After", "Before", "InTime", "Between", "Earlier",
		"Later", "Widen", "WideTime", "Wide", "Backoff", "Lengthen", "ShareOf", "Share", "Hash", "HashStart",
	} {
		p.declare(m.low+own, at)
	}
	for _, own := range []string{"New" + m.Name + "Core", "New" + m.Name + "Snapshot", "Err" + m.Name + "Fenced", "Err" + m.Name + "Halted", "Err" + m.Name + "NotDue"} {
		p.declare(own, at)
	}
	for _, g := range m.Guards {
		p.declare(m.low+g.Method+"Verdict", g.src.Span)
	}
	for _, e := range m.Events {
		e.Input = m.Name + "On" + exported(e.Name)
		if m.sent[e] || !e.External && m.core.raised {
			p.declare(e.Input, e.src.Span)
		}
	}
	for i, d := range m.src.Dos {
		p.declare(m.core.Dos[i].Name, d.Span)
	}
	for i, t := range m.src.Timers {
		p.declare(m.core.Timers[i].Name, t.Span)
	}
	for i, a := range m.src.Arms {
		p.declare(m.core.Arms[i].Name, a.Span)
	}
	for _, k := range m.src.Categories {
		p.declare(m.Name+"Category"+exported(k.Name), k.Span)
	}
}
