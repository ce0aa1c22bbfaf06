package machine

import "time"

// takeStart enters the machine.
func (t *step) takeStart() error {
	if err := ofParams(t.m.def.checkFields(t.m.def.Params, t.in.Data)); err != nil {
		return t.m.Reject(t.old, t.in, err.Error(), err)
	}
	t.next.Params, t.params = t.in.Data, t.in.Data
	t.next.Started, t.next.Token, t.next.Semantics, t.next.Above = t.at, t.in.Token, t.in.Semantics, t.in.Above
	t.record.Effect = Moved
	t.enterState(0)
	if err := t.apply(t.m.states[0].entry); err != nil {
		return err
	}
	return t.enter(0, 0, -1)
}

// move takes a transition.
func (t *step) move(a int) error {
	t.record.Effect = Moved
	t.count(a)
	return t.transit(t.m.arms[a].Target, t.m.arms[a].block)
}

// transit goes to target. Exit blocks run from the leaf outwards up to below
// the domain (the innermost composite that contains leaf and target and is
// neither), then the block, if there is one, then entry blocks from below the domain
// inwards.
func (t *step) transit(target int, block *blockCode) error {
	leaf := &t.m.states[t.old.State]
	t.leaveTasks()
	t.resetCounters(leaf.visitArms)
	domain := t.m.domain(t.old.State, target)
	if err := t.exit(leaf.path[domain+1:]); err != nil {
		return err
	}
	if err := t.apply(block); err != nil {
		return err
	}
	return t.enter(target, domain, domain)
}

// domain is the depth of the innermost composite that contains both leaf and
// target and is neither.
func (m *Machine) domain(leaf, target int) int {
	p, q := m.states[leaf].path, m.states[target].path
	n := min(len(p), len(q)) - 1
	d := 0
	for d+1 < n && p[d+1] == q[d+1] {
		d++
	}
	return d
}

// exit runs the exit blocks of path, innermost first.
func (t *step) exit(path []int) error {
	for i := len(path) - 1; i >= 0; i-- {
		if err := t.apply(t.m.states[path[i]].exit); err != nil {
			return err
		}
	}
	return nil
}

// enter enters target and what lies initially in it, from below the state at
// depth domain. A leaf whose require is false is not entered: the composites
// around it, which have been, are left again as far as its other target asks.
// No state at or above depth kept is left or entered by the step, so that
// timers there run on (-1: none).
func (t *step) enter(target, domain, kept int) error {
	for turns := 0; ; turns++ {
		leaf := t.m.states[target].leaf
		path := t.m.states[leaf].path
		last := len(path) - 1
		for _, s := range path[domain+1 : last] {
			t.enterState(s)
			if err := t.apply(t.m.states[s].entry); err != nil {
				return err
			}
		}
		ok, err := t.holds(leaf)
		if err != nil {
			return err
		}
		if ok {
			return t.arrive(leaf, kept)
		}
		if turns == len(t.m.states) {
			t.place = Place{}
			return faultOf(RequireCircle, t.m.def.States[leaf].Path)
		}
		t.record.Redirects = append(t.record.Redirects, leaf)
		target = t.m.def.States[leaf].Require.Target
		domain = t.m.domain(leaf, target)
		if err := t.exit(path[domain+1 : last]); err != nil {
			return err
		}
		kept = min(kept, domain)
	}
}

// holds reads the require of a leaf.
func (t *step) holds(leaf int) (bool, error) {
	require := t.m.states[leaf].require
	if require == nil {
		return true, nil
	}
	ok, err := require(&t.env)
	if err != nil {
		t.place = Place{"require", t.m.def.States[leaf].Path}
	}
	return ok, err
}

// enterState starts again what lives until s is entered from outside, that is
// from a leaf that is neither s nor inside it.
func (t *step) enterState(s int) {
	state := &t.m.states[s]
	if len(state.restarts) == 0 && len(state.executions) == 0 {
		return
	}
	if t.old.State >= 0 {
		from := t.m.states[t.old.State].path
		if d := state.depth(); d < len(from) && from[d] == s {
			return
		}
	}
	t.resetCounters(state.restarts)
	for _, do := range state.executions {
		t.dropExecutions(func(x *Execution) bool { return x.Do == do })
	}
}

// arrive enters a leaf or a terminal, and starts the timers and activities of
// every state that the step has entered, outermost first.
func (t *step) arrive(leaf, kept int) error {
	n, state := t.next, &t.m.states[leaf]
	t.enterState(leaf)
	if err := t.apply(state.entry); err != nil {
		return err
	}
	if len(state.returned) > 0 {
		if err := t.returns(leaf); err != nil {
			return err
		}
	}
	n.State, n.Entered = leaf, t.at
	n.Visit++
	n.KeptNext = 0
	n.Status, n.Halt = Running, nil
	if t.old.Status == Halted && t.in.Kind != OverBudgetInput {
		n.OverDue = nil // which had halted the run, and is of the leaf that was left
	}
	def := &t.m.def.States[leaf]
	if def.Kind == TerminalState {
		t.end(def.Outcome)
		return nil
	}
	n.DoneDue = def.Choice
	n.Alarms = t.remaining(kept)
	for _, s := range state.path[kept+1:] {
		if err := t.startTimers(s); err != nil {
			return err
		}
	}
	return t.startTasks(leaf)
}

// returns notes what a terminal returns. A value that is not set cannot be.
func (t *step) returns(terminal int) error {
	state := &t.m.states[terminal]
	t.record.Returns = t.m.returned(terminal, t.params, t.data)
	for i, v := range t.record.Returns {
		if f := &state.returned[i]; v.set || recordOf(f.group()) != "" { // what may be absent in a record
			continue
		}
		t.place = Place{"terminal", t.m.def.States[terminal].Path}
		if t.m.def.States[terminal].Returns[i].Op == "param" {
			return faultOf(ParamUnset, state.returned[i].Name)
		}
		return faultOf(FieldUnset, state.returned[i].Name)
	}
	return nil
}

// returned are the values that a terminal returns, of a run with these parameters
// and this data; in the order in which it names them.
func (m *Machine) returned(terminal int, params, data []Value) []Value {
	values := make([]Value, len(m.states[terminal].returned))
	for i, e := range m.def.States[terminal].Returns {
		from := data
		if e.Op == "param" {
			from = params
		}
		values[i] = from[e.Index]
	}
	return values
}

// end finishes the run. Events that are still kept are dropped afterwards, one
// by one, so that history shows each.
func (t *step) end(outcome Outcome) {
	n := t.next
	n.Status, n.Halt = Finished, nil
	n.Alarms, n.Tasks, n.Lists, n.Tries, n.Executions = nil, nil, nil, nil, nil
	n.DoneDue, n.OverDue, n.KeptNext, n.PausedAt = false, nil, 0, time.Time{}
	if n.Left {
		n.Status, n.Forced = Ending, t.in.Force
		return
	}
	n.Outcome = outcome
	t.commands = append(t.commands, Command{Kind: Finish, Outcome: outcome})
}

// takeCancel: where no state handles cancel, or with force, the run ends where
// it stands: no exit block, nothing published.
func (t *step) takeCancel() error {
	t.next.Cancelled = true
	if t.old.Status == Ending {
		t.next.Forced = true
		t.record.Effect, t.idle = Stopped, false
		return nil
	}
	if !t.in.Force {
		a, err := t.choose(t.arms(inputKey{kind: CancelInput}))
		if err != nil {
			return err
		}
		if a >= 0 {
			return t.follow(a)
		}
	}
	t.record.Effect = Stopped
	t.leaveTasks()
	t.end(Cancelled)
	return nil
}
