package machine

import (
	"fmt"
	"maps"
	"slices"
)

// indexHandlers checks the handlers of the leaves, and notes with which inputs
// each arm can be met.
func (c *compiler) indexHandlers() error {
	d := c.d
	c.sources = make([]map[int]*elements, len(d.Arms))
	for i := range d.Arms {
		if s := d.Arms[i].State; s < 0 || s >= len(d.States) {
			return fmt.Errorf("arm %q stands in no state", d.Arms[i].Name)
		}
	}
	for leaf := range d.States {
		for i := range d.States[leaf].Handlers {
			h := &d.States[leaf].Handlers[i]
			if err := c.indexHandler(leaf, h); err != nil {
				return fmt.Errorf("state %q: handler %d: %w", d.States[leaf].Path, i, err)
			}
		}
		for e := range d.Events {
			if arms := c.m.handlers[inputKey{state: leaf, kind: EventInput, a: e}]; len(arms) > 0 {
				c.m.states[leaf].external = append(c.m.states[leaf].external, eventCode{e, arms})
			}
		}
	}
	return nil
}

func (c *compiler) indexHandler(leaf int, h *Handler) error {
	key, source, err := c.handlerKey(leaf, h)
	if err != nil {
		return err
	}
	if _, twice := c.m.handlers[key]; twice {
		return fmt.Errorf("there are two for one input")
	}
	c.m.handlers[key] = h.Arms
	visit := &c.m.states[leaf].visitArms
	for _, a := range h.Arms {
		if a < 0 || a >= len(c.d.Arms) {
			return fmt.Errorf("there is no arm %d", a)
		}
		arm := &c.d.Arms[a]
		if !slices.Contains(c.m.states[leaf].path, arm.State) {
			return fmt.Errorf("arm %q stands in another state", arm.Name)
		}
		raised := h.Kind == ResultInput || h.Kind == FailureInput
		if arm.Kind == RetryArm && !raised {
			return fmt.Errorf("arm %q retries what no activity raised", arm.Name)
		}
		if (arm.Kind == RejectArm || arm.Kind == DeferArm) && h.Kind != EventInput {
			return fmt.Errorf("arm %q would %s what does not come from outside", arm.Name, arm.Kind)
		}
		if arm.Kind == RetryArm && scopeOf(arm) == PerVisit && !slices.Contains(*visit, a) {
			*visit = append(*visit, a)
		}
		if c.sources[a] == nil {
			c.sources[a] = make(map[int]*elements)
		}
		of := c.elementsOf(h)
		if before, met := c.sources[a][source]; met {
			of = of.with(before)
		}
		c.sources[a][source] = of
	}
	return nil
}

// elementsOf are those of which the input of h is one; nil where it is of none.
func (c *compiler) elementsOf(h *Handler) *elements {
	if h.Kind != ResultInput && h.Kind != FailureInput {
		return nil
	}
	if item := c.d.Dos[h.Do].itemType(); item != nil {
		return &elements{item}
	}
	return nil
}

// with is what an input is of that may be of either.
func (e *elements) with(f *elements) *elements {
	switch {
	case e == nil || f == nil:
		return nil
	case e.item == nil || f.item == nil || !sameType(e.item, f.item):
		return &elements{}
	}
	return e
}

// itemType is the type of the elements that a do runs for, each for itself; nil where it
// has no Fan, or one without a list.
func (d *Do) itemType() *Type {
	if d.Fan == nil || d.Fan.List == nil {
		return nil
	}
	return d.Fan.List.Type.Elem
}

// handlerKey is what a handler is found by, and what `event` means in it.
func (c *compiler) handlerKey(leaf int, h *Handler) (inputKey, int, error) {
	key := inputKey{state: leaf, kind: h.Kind}
	do := func() (*Do, error) {
		if h.Do < 0 || h.Do >= len(c.d.Dos) || c.d.Dos[h.Do].State != leaf {
			return nil, fmt.Errorf("do %d is none of its own", h.Do)
		}
		key.do = h.Do
		d := &c.d.Dos[h.Do]
		if d.Activity < 0 || d.Activity >= len(c.d.Activities) {
			return nil, fmt.Errorf("do %q runs no activity", d.Name)
		}
		return d, nil
	}
	switch h.Kind {
	case EventInput:
		key.a = h.Event
		if h.Event < 0 || h.Event >= len(c.d.Events) || c.d.Events[h.Event].Internal {
			return key, 0, fmt.Errorf("event %d does not come from outside", h.Event)
		}
		return key, h.Event, nil
	case ResultInput:
		key.a = h.Event
		d, err := do()
		if err == nil && !slices.Contains(c.d.Activities[d.Activity].Results, h.Event) {
			err = fmt.Errorf("do %q does not raise event %d", d.Name, h.Event)
		}
		return key, h.Event, err
	case FailureInput:
		key.a = h.Category
		_, err := do()
		if err == nil && (h.Category < 0 || h.Category >= len(c.d.Categories)) {
			err = fmt.Errorf("there is no category %d", h.Category)
		}
		return key, failureSource, err
	case TimerInput:
		key.a = h.Timer
		if h.Timer < 0 || h.Timer >= len(c.d.Timers) || !slices.Contains(c.m.states[leaf].path, c.d.Timers[h.Timer].State) {
			return key, 0, fmt.Errorf("timer %d does not run there", h.Timer)
		}
	case DoneInput, CancelInput:
	case OverBudgetInput:
		key.a = -1
		if c.d.Budget != nil {
			key.a = slices.IndexFunc(c.d.Budget.Costs, func(b Cost) bool { return b.Name == h.Cost })
		}
		if key.a < 0 {
			return key, 0, fmt.Errorf("cost %q is in no budget", h.Cost)
		}
		c.m.enforces = true
	default:
		return key, 0, fmt.Errorf("there is no handler of kind %q", h.Kind)
	}
	return key, noSource, nil
}

// scopeOf is the kind of scope of a counter; unless said, that of a retry is
// the visit's, that of a transition the run's.
func scopeOf(a *Arm) ScopeKind {
	switch {
	case a.Scope.Kind != "":
		return a.Scope.Kind
	case a.Kind == RetryArm:
		return PerVisit
	}
	return PerRun
}

// compileArms compiles every arm, and notes at the states which counters they
// start again.
func (c *compiler) compileArms() error {
	c.m.arms = make([]armCode, len(c.d.Arms))
	for i := range c.d.Arms {
		if err := c.compileArm(i); err != nil {
			return fmt.Errorf("arm %q: %w", c.d.Arms[i].Name, err)
		}
	}
	return nil
}

func (c *compiler) compileArm(i int) error {
	a := &c.d.Arms[i]
	out := &c.m.arms[i]
	*out = armCode{Arm: a, place: Place{"arm", a.Name}, backoff: &defaultBackoff}
	x := c.exprs()
	x.inArm, x.of = true, c.sources[i]
	x.sources = slices.Sorted(maps.Keys(c.sources[i]))
	var err error
	if a.When != nil {
		if out.when, err = x.compileTest(a.When); err != nil {
			return err
		}
	}
	if out.block, err = c.compileBlock(x, a.Block, out.place); err != nil {
		return err
	}
	switch a.Kind {
	case GotoArm:
		if !c.isTarget(a.Target) {
			return fmt.Errorf("its target is no state")
		}
		return c.compileBound(i, out)
	case RetryArm:
		if err := c.compileBackoff(x, out); err != nil {
			return err
		}
		return c.compileBound(i, out)
	case StayArm:
		return nil
	case RejectArm, IgnoreArm, DeferArm:
		if a.Block != nil {
			return fmt.Errorf("%q has no effects", a.Kind)
		}
		return nil
	}
	return fmt.Errorf("there is no kind of arm %q", a.Kind)
}

// compileBound resolves the scope of the counter: `per visit` means for a
// transition the state in which it stands, and for a retry the visit of the
// leaf, whatever state the arm stands in.
func (c *compiler) compileBound(i int, out *armCode) error {
	out.counted = out.Max != nil || out.Kind == RetryArm
	if !out.counted {
		return nil
	}
	scope := Scope{Kind: scopeOf(out.Arm), State: out.Scope.State}
	if out.Max != nil {
		if out.bounded, out.max = true, *out.Max; out.max < 0 {
			return fmt.Errorf("its bound is negative")
		}
	}
	if !c.isScope(scope) {
		return fmt.Errorf("the scope of its counter is damaged")
	}
	if out.Kind == GotoArm && scope.Kind == PerVisit {
		scope = Scope{Kind: PerState, State: out.State}
	}
	if scope.Kind == PerState {
		s := &c.m.states[scope.State]
		s.restarts = append(s.restarts, i)
	}
	return nil
}

func (c *compiler) compileBackoff(x *exprCompiler, out *armCode) error {
	b := out.Backoff
	if b == nil {
		return nil
	}
	if !isBackoff(b) {
		return fmt.Errorf("its backoff is damaged")
	}
	out.backoff = b
	if b.By == nil {
		return nil
	}
	by, err := x.compile(b.By)
	if err == nil && by.typ.Kind != DurationKind {
		err = fmt.Errorf("its backoff is no duration")
	}
	if err != nil {
		return err
	}
	out.by = by.num
	return nil
}
