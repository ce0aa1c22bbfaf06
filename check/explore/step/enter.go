package step

import "github.com/fsmc-dev/fsmc/lang/ir"

// Move takes the arm of c, which leads elsewhere.
func (s *Step) Move(c *ChoiceCode) {
	s.count(c)
	from := s.Program.States[s.From.ID].Path
	target := c.Arm.Target
	domain := depthOfDomain(from, s.Program.States[target.ID].Path)
	s.leave(from[domain+1:])
	s.apply(c.code.block)
	s.enter(target, domain, domain)
}

// depthOfDomain is ir.Domain by paths.
func depthOfDomain(from, target []*ir.State) int {
	n := min(len(from), len(target)) - 1
	d := 0
	for d+1 < n && from[d+1] == target[d+1] {
		d++
	}
	return d
}

func (s *Step) leave(path []*ir.State) {
	for i := len(path) - 1; i >= 0; i-- {
		s.apply(s.Program.States[path[i].ID].exit)
	}
}

// enter enters target from below the state at depth domain; see the step of the runtime.
func (s *Step) enter(target *ir.State, domain, shared int) {
	first := target
	for turns := 0; !s.Failed(); turns++ {
		leaf := s.Program.States[target.ID].leaf
		code := &s.Program.States[leaf.ID]
		last := len(code.Path) - 1
		for _, state := range code.Path[domain+1 : last] {
			s.refill(state)
			s.apply(s.Program.States[state.ID].entry)
		}
		if s.Failed() {
			return
		}
		s.hosted = false
		holds := code.require == nil
		if !holds {
			s.turn = turn{leaf, turns, domain, shared}
			holds = !s.triedInTurn(0) && code.require(s)
		}
		if s.Failed() || s.Oracle.Over {
			return
		}
		if holds {
			s.arrive(leaf, shared)
			return
		}
		if turns == len(s.Program.Machine.States) {
			s.fail(Fault{Leaf: s.Program.States[first.ID].leaf})
			return
		}
		s.Turned++
		if s.hosted {
			s.TurnedByHost = append(s.TurnedByHost, leaf)
		}
		s.Tries++
		target = leaf.Require.Target
		domain = depthOfDomain(code.Path, s.Program.States[target.ID].Path)
		s.leave(code.Path[domain+1 : last])
		shared = min(shared, domain)
	}
}

// startTimers reads the fields that say how long the timers of state run.
func (s *Step) startTimers(state *ir.State) {
	for _, read := range s.Program.States[state.ID].timerReads {
		read(s)
	}
	if s.Program.Clocks != nil && !s.Failed() {
		for _, t := range state.Timers {
			s.noteStart(t)
		}
	}
}

// refill sets the counters back to zero that count from state's being entered.
func (s *Step) refill(state *ir.State) {
	counters := s.Program.States[state.ID].refills
	if len(counters) == 0 || s.From != nil && s.From.Inside(state) {
		return
	}
	for _, f := range counters {
		f.Set(s.Next, 0)
	}
}

// arrive enters leaf: the visit begins, timers down to depth shared run on.
func (s *Step) arrive(leaf *ir.State, shared int) {
	k := s.Program.Packing
	code := &s.Program.States[leaf.ID]
	s.refill(leaf)
	s.apply(code.entry)
	if code.returns != nil && !s.Failed() {
		code.returns(s)
	}
	for _, state := range code.Path[shared+1:] {
		s.startTimers(state)
	}
	if s.countElements(code); s.Failed() {
		return
	}
	s.Shared = shared
	k.Leaf.Set(s.Next, uint64(leaf.ID))
	k.Rested.Set(s.Next, 0)
	running := uint64(0)
	if shared >= 0 {
		running = 1<<k.slots[code.Path[shared].ID] - 1
	}
	k.Fired.Set(s.Next, k.Fired.Get(s.Next)&running)
	for i := range k.Deferred {
		pending := k.Deferred[i].Get(s.Next)
		if code.defersAgain != nil {
			pending &^= code.defersAgain[i]
		}
		k.Pending[i].Set(s.Next, pending)
	}
	for i, mask := range s.LiveAt(leaf) {
		s.Next[i] &= mask &^ k.visitBits[i]
	}
	s.beginElements(leaf)
}

// LiveAt are the bits that matter in leaf, in the configuration that is being made.
func (s *Step) LiveAt(leaf *ir.State) []uint64 {
	live := s.Program.liveAt(leaf, s.Next)
	if s.Foot.Noted {
		if by := s.Program.apart.n; by != nil {
			s.Foot.reads(by)
		}
		s.Foot.drops(live)
	}
	return live
}
