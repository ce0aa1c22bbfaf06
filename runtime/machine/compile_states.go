package machine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

func (c *compiler) exprs() *exprCompiler { return &exprCompiler{d: c.d, m: c.m} }

// compileTest compiles a condition.
func (c *exprCompiler) compileTest(e *Expr) (func(*env) (bool, error), error) {
	out, err := c.compile(e)
	if err == nil && out.test == nil {
		err = fmt.Errorf("a condition is no bool")
	}
	if err != nil {
		return nil, err
	}
	return out.test, nil
}

// compileBlock gives nil for no block.
func (c *compiler) compileBlock(x *exprCompiler, b *Block, place Place) (*blockCode, error) {
	if b == nil {
		return nil, nil
	}
	out := &blockCode{place: place}
	for i := range b.Assigns {
		if err := c.compileAssign(x, out, &b.Assigns[i]); err != nil {
			return nil, err
		}
	}
	for i := range b.Publishes {
		if err := c.compilePublish(x, out, &b.Publishes[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *compiler) compileAssign(x *exprCompiler, out *blockCode, a *Assign) error {
	if a.Field < 0 || a.Field >= len(c.d.Fields) {
		return fmt.Errorf("there is no context field %d", a.Field)
	}
	f := &c.d.Fields[a.Field]
	if slices.ContainsFunc(out.assigns, func(other assignCode) bool { return other.field == a.Field }) {
		return fmt.Errorf("field %q is assigned twice", f.Name)
	}
	if a.Value == nil {
		if len(f.Default) > 0 && !f.Optional {
			return fmt.Errorf("field %q has a default and is never unset", f.Name)
		}
		out.assigns = append(out.assigns, assignCode{field: a.Field})
		return nil
	}
	value, err := c.compileFor(x, f, a.Value, f.Optional || len(f.Default) == 0)
	if err != nil {
		return err
	}
	switch f.Type.Kind {
	case String, JSON, ListKind:
		out.grows = true
	}
	out.assigns = append(out.assigns, assignCode{a.Field, value})
	return nil
}

// compileFor compiles e as the value of f, and has it checked whenever it is
// computed.
func (c *compiler) compileFor(x *exprCompiler, f *Field, e *Expr, mayBeUnset bool) (func(*env) (Value, error), error) {
	v, err := x.compilePlace(e, mayBeUnset)
	if err != nil {
		return nil, fmt.Errorf("field %q: %w", f.Name, err)
	}
	if !sameType(&v.typ, &f.Type) {
		return nil, fmt.Errorf("field %q of type %s is given a %s", f.Name, c.d.TypeName(&f.Type), c.d.TypeName(&v.typ))
	}
	d, value, grown := c.d, v.value, grows(e, &f.Type)
	if f.alone() && f.Type.Kind == JSON {
		value = noNull(value)
	}
	return func(e *env) (Value, error) {
		v, err := value(e)
		if err != nil || mayBeUnset && !v.set {
			return Unset, err
		}
		if grown && f.Type.holds(&v) { // the items before the last one have been looked at when they came
			last := v.list.all[v.n-1]
			if why := d.misfit(f.Type.Elem, &last); why != "" {
				return Unset, d.badValue(f, &v, "item "+strconv.FormatInt(v.n-1, 10)+": "+why)
			}
			return v, nil
		}
		if why := d.misfit(&f.Type, &v); why != "" {
			return Unset, d.badValue(f, &v, why)
		}
		return v, nil
	}, nil
}

// grows reports whether e is a list that is held somewhere, and one item behind it, and the
// items of the list held fit t.
func grows(e *Expr, t *Type) bool {
	if e.Op != "+" || t.Kind != ListKind || len(e.Args) != 2 {
		return false
	}
	held := e.Args[0]
	switch held.Op {
	case "field", "param", "event":
		return held.Type.Elem != nil && t.Elem != nil && held.Type.Elem.within(t.Elem)
	}
	return false
}

// within reports whether each value of t is one of u.
func (t *Type) within(u *Type) bool {
	switch {
	case !sameType(t, u):
		return false
	case u.Len != nil && (t.Len == nil || t.Len.Min < u.Len.Min || t.Len.Max > u.Len.Max):
		return false
	case u.Elem != nil:
		return t.Elem != nil && t.Elem.within(u.Elem)
	case u.Min == nil:
		return true
	}
	return t.Min != nil && *u.Min <= *t.Min && *t.Max <= *u.Max
}

func (c *compiler) compilePublish(x *exprCompiler, out *blockCode, p *Publish) error {
	if p.Event < 0 || p.Event >= len(c.d.Events) {
		return fmt.Errorf("there is no event %d", p.Event)
	}
	e := &c.d.Events[p.Event]
	if len(p.Values) != len(e.Fields) {
		return fmt.Errorf("event %q is published with %d values for %d fields", e.Name, len(p.Values), len(e.Fields))
	}
	code := publishCode{event: p.Event}
	for i := range e.Fields {
		value, err := c.compileFor(x, &e.Fields[i], p.Values[i], e.Fields[i].Optional)
		if err != nil {
			return fmt.Errorf("event %q: %w", e.Name, err)
		}
		code.values = append(code.values, value)
	}
	out.publishes = append(out.publishes, code)
	return nil
}

// compileStates compiles entry and exit blocks and requires.
func (c *compiler) compileStates() error {
	for i := range c.d.States {
		s, out := &c.d.States[i], &c.m.states[i]
		var err error
		for _, b := range []struct {
			to   **blockCode
			def  *Block
			what string
		}{{&out.entry, s.Entry, "entry"}, {&out.exit, s.Exit, "exit"}} {
			place := Place{b.what, s.Path}
			if *b.to, err = c.compileBlock(c.exprs(), b.def, place); err != nil {
				return fmt.Errorf("%s: %w", place, err)
			}
		}
		if out.returned, err = c.returned(s.Returns); err != nil {
			return fmt.Errorf("%s: %w", Place{"terminal", s.Path}, err)
		}
		if s.Require != nil {
			if out.require, err = c.exprs().compileTest(s.Require.Cond); err != nil {
				return fmt.Errorf("the require of %q: %w", s.Path, err)
			}
		}
	}
	return nil
}

// returned checks what a terminal returns: params and fields, each once.
func (c *compiler) returned(returns []*Expr) ([]Field, error) {
	var fields []Field
	for _, e := range returns {
		if _, err := c.exprs().compile(e); err != nil {
			return nil, err
		}
		var from []Field
		switch e.Op {
		case "param":
			from = c.d.Params
		case "field":
			from = c.d.Fields
		default:
			return nil, fmt.Errorf("it returns what is neither a parameter nor a field: %q", shorten(e.Op))
		}
		if f := from[e.Index]; indexOfField(fields, f.Name) < 0 {
			fields = append(fields, f)
			continue
		}
		return nil, fmt.Errorf("it returns %q twice", from[e.Index].Name)
	}
	return fields, checkNames("what it returns", fields)
}

// compileDos compiles the arguments of the activities, and notes at the states
// which executions end when they are entered from outside.
func (c *compiler) compileDos() error {
	c.m.dos = make([]doCode, len(c.d.Dos))
	for i := range c.d.Dos {
		if err := c.compileDo(i); err != nil {
			return fmt.Errorf("do %q: %w", c.d.Dos[i].Name, err)
		}
	}
	return nil
}

func (c *compiler) compileDo(i int) error {
	d := &c.d.Dos[i]
	if d.Activity < 0 || d.Activity >= len(c.d.Activities) {
		return fmt.Errorf("there is no activity %d", d.Activity)
	}
	if !c.isScope(d.Scope) {
		return fmt.Errorf("the scope of its execution is damaged")
	}
	if c.d.Calls(d) && (d.Scope.Kind != PerVisit || d.Heartbeat != nil || d.Progress != nil) {
		return fmt.Errorf("it runs a machine, which has no scope, no heartbeat and no progress")
	}
	for _, limit := range []struct {
		ns       *int64
		category string
	}{{d.Timeout, "timeout"}, {d.Heartbeat, "silent"}, {d.Progress, "stalled"}} {
		if limit.ns == nil {
			continue
		}
		if *limit.ns <= 0 {
			return fmt.Errorf("a limit is not positive")
		}
		if _, ok := c.m.index.categories.find(limit.category); !ok {
			return fmt.Errorf("category %q is missing", limit.category)
		}
	}
	x := c.exprs()
	list, err := c.compileFan(x, d)
	if err != nil {
		return err
	}
	x.each = d.itemType()
	args, err := x.compileGiven(c.d.Activities[d.Activity].Params, d.Args)
	if err != nil {
		return err
	}
	if d.Scope.Kind == PerState {
		s := &c.m.states[d.Scope.State]
		s.executions = append(s.executions, i)
	}
	calls := c.d.Calls(d)
	if calls && slices.ContainsFunc(c.d.States[d.State].Dos, func(other int) bool {
		return other < i && c.d.Calls(&c.d.Dos[other]) && c.d.labelOf(&c.d.Dos[other]) == c.d.labelOf(d)
	}) {
		return fmt.Errorf("another do of the state runs a machine as %q", c.d.labelOf(d))
	}
	c.m.dos[i] = doCode{d, calls, args, list}
	c.m.calls = c.m.calls || calls
	c.m.fans = c.m.fans || list != nil
	return nil
}

// compileFan compiles the list of a do; nil for one that has none. A do with a list and an
// element of it are told apart by their names in a store.
func (c *compiler) compileFan(x *exprCompiler, d *Do) (func(*env) (Value, error), error) {
	if d.Fan == nil {
		return nil, nil
	}
	list, err := x.compile(d.Fan.List)
	switch {
	case err != nil:
		return nil, err
	case d.Fan.List.Op != "param" && d.Fan.List.Op != "field":
		return nil, fmt.Errorf("it runs for the elements of what is no parameter and no field")
	case list.typ.Kind != ListKind || list.typ.Elem == nil || list.typ.Len == nil || list.typ.Len.Max > MaxElements:
		return nil, fmt.Errorf("it runs for the elements of a %s, not of a list of at most %d", c.d.TypeName(&list.typ), MaxElements)
	case d.Fan.List.Type.Elem == nil || d.Fan.Limit < 0:
		return nil, fmt.Errorf("its list or the limit of its elements is damaged")
	}
	for i := range c.d.Dos {
		if of, _, ok := CutElement(c.d.Dos[i].Name); ok && of == d.Name {
			return nil, fmt.Errorf("do %q is named like an element of it", c.d.Dos[i].Name)
		}
	}
	return list.value, nil
}

func (c *compiler) compileTimers() error {
	c.m.timers = make([]*code, len(c.d.Timers))
	for i := range c.d.Timers {
		t := &c.d.Timers[i]
		if !isShare(t.Jitter) {
			return fmt.Errorf("timer %q: its jitter is no share", t.Name)
		}
		if t.Budget && !c.isBudget(t) {
			return fmt.Errorf("timer %q is not the time of the budget", t.Name)
		}
		if t.Var == nil {
			continue
		}
		wait, err := c.exprs().compile(t.Var)
		if err == nil && wait.typ.Kind != DurationKind && wait.typ.Kind != TimeKind {
			err = fmt.Errorf("its wait is neither a duration nor a time")
		}
		if err != nil {
			return fmt.Errorf("timer %q: %w", t.Name, err)
		}
		c.m.timers[i] = wait
	}
	c.rankTimers()
	return nil
}

// isBudget reports whether t runs from the start of the run for the time of the budget.
func (c *compiler) isBudget(t *Timer) bool {
	b := c.d.Budget
	return b != nil && b.Time != nil && *b.Time == t.Delay && t.State == 0 && t.Var == nil && !t.Idle && t.Jitter == 0
}

// rankTimers says which of the timers that are due at one instant fires first:
// that of the inner state, and in one state that whose name comes first, so
// that the order of declarations means nothing.
func (c *compiler) rankTimers() {
	depth := func(timer int) int { return c.m.states[c.d.Timers[timer].State].depth() }
	order := make([]int, len(c.d.Timers))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(depth(b), depth(a)), cmp.Compare(c.d.Timers[a].Name, c.d.Timers[b].Name))
	})
	c.m.ranks = make([]int, len(order))
	for rank, timer := range order {
		c.m.ranks[timer] = rank
	}
}

// Calls reports whether do runs a machine as a child, and no activity of the host.
func (d *Definition) Calls(do *Do) bool { return d.Activities[do.Activity].Callee != "" }

// FailureNames are the categories with which do may fail.
func (d *Definition) FailureNames(do *Do) (names []string) {
	for c, name := range d.Categories {
		if d.CanFail(do, c) {
			names = append(names, name)
		}
	}
	return names
}

// CanFail reports whether do may fail with category: one that its activity
// declares, `unknown`, or a limit that it sets.
func (d *Definition) CanFail(do *Do, category int) bool {
	if category < 0 || category >= len(d.Categories) {
		return false
	}
	if slices.Contains(d.Activities[do.Activity].Fails, category) {
		return true
	}
	switch d.Categories[category] {
	case "unknown":
		return true
	case "timeout":
		return do.Timeout != nil
	case "silent":
		return do.Heartbeat != nil
	case "stalled":
		return do.Progress != nil
	}
	return false
}
