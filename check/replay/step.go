package replay

import (
	"errors"
	"fmt"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// input is what comes.
type input struct {
	ir.Case
	silent   *ir.Do // an activity that ends with nothing to say
	deferred bool   // the event that was deferred first and not looked at yet
	data     map[string]value
	guards   map[string]bool
	arm      *ir.Arm // the one that takes it; nil where that is not known
}

// errRefused says that nothing takes an input: one from outside is refused, and
// one from inside halts the run.
var errRefused = errors.New("nothing takes it")

// take performs in on r. Where there is an error r is worth nothing any more.
func (r *run) take(in *input) error {
	if r.finished {
		return errors.New("the run has ended")
	}
	e := &env{run: r, event: in.data, guards: in.guards}
	at := r.attemptOf(in)
	switch {
	case in.silent != nil:
		r.end(at)
		r.restartIdle()
		return nil
	case in.Kind == ir.CaseTimer:
		r.spend(in.Timer)
	case in.Kind == ir.CaseDone:
		r.done = false
	case in.Kind == ir.CaseCancel:
		r.cancelled = true
	case in.Kind == ir.CaseResult:
		delete(r.next, in.Do)
	case in.Kind == ir.CaseFailure:
		e.event = r.failure(in, at)
	}
	choice, err := r.decide(e, in.Case)
	if err == nil && in.arm != nil && choice.Arm != in.arm {
		return errors.New("another arm takes it")
	}
	if in.Kind == ir.CaseCancel && errors.Is(err, errRefused) {
		r.finished = true
		return nil
	}
	if in.deferred {
		return r.lookAgain(e, in, choice, err)
	}
	if err != nil {
		return err
	}
	return r.follow(e, in, choice, at)
}

// lookAgain goes on with an event that was deferred.
func (r *run) lookAgain(e *env, in *input, choice *ir.Choice, err error) error {
	switch {
	case err != nil && !errors.Is(err, errRefused):
		return err
	case err == nil && choice.Arm == nil && choice.Defer:
		r.looked++
		return nil
	}
	r.deferred = append(r.deferred[:r.looked:r.looked], r.deferred[r.looked+1:]...)
	if err != nil || choice.Arm != nil && choice.Arm.Kind == ir.Reject {
		return nil // dropped
	}
	return r.follow(e, in, choice, -1)
}

// decide is the first choice whose guard holds and whose bound is not used up.
func (r *run) decide(e *env, c ir.Case) (*ir.Choice, error) {
	for _, choice := range r.book.choicesOf(r.leaf, c) {
		if choice.Arm == nil {
			return &choice, nil
		}
		holds, err := e.test(choice.Arm.When)
		if err != nil {
			return nil, err
		}
		if holds && (choice.Arm.Max == nil || r.counters[choice.Arm] < *choice.Arm.Max) {
			return &choice, nil
		}
	}
	return nil, errRefused
}

// follow does what choice says. At is the attempt that the input is of, or -1.
func (r *run) follow(e *env, in *input, choice *ir.Choice, at int) error {
	a := choice.Arm
	switch {
	case a == nil && choice.Defer:
		if r.looked == len(r.deferred) {
			r.looked++
		}
		r.deferred = append(r.deferred, deferredEvent{in.Event, in.data})
		return nil
	case a != nil && a.Kind == ir.Reject:
		return errRefused
	case a != nil && a.Kind == ir.Goto:
		return r.move(e, a)
	case a != nil && a.Kind == ir.Retry:
		if err := r.retry(e, in, a, at); err != nil {
			return err
		}
		r.restartIdle()
		return nil
	case a != nil:
		if err := e.apply(a.Block); err != nil {
			return err
		}
	}
	r.end(at)
	r.restartIdle()
	return nil
}

// move takes `-> T`.
func (r *run) move(e *env, a *ir.Arm) error {
	if a.Max != nil {
		r.counters[a]++
	}
	from := r.leaf
	for arm := range r.counters {
		if arm.Kind == ir.Retry && arm.Scope.Kind == ir.PerVisit {
			delete(r.counters, arm)
		}
	}
	r.attempts = nil
	domain := ir.Domain(from, a.Target)
	for s := from; s != domain; s = s.Parent {
		if err := e.apply(s.Exit); err != nil {
			return err
		}
	}
	if err := e.apply(a.Block); err != nil {
		return err
	}
	return r.enter(e, from, a.Target, domain)
}

// start begins the run.
func (r *run) start(guards map[string]bool) error {
	e := &env{run: r, guards: guards}
	if err := e.apply(r.m.Root.Entry); err != nil {
		return err
	}
	return r.enter(e, nil, r.m.Root, nil)
}

// enter enters target from below domain, and where a require is false what it
// says instead. From is the leaf that was left, nil at the start.
func (r *run) enter(e *env, from, target, domain *ir.State) error {
	shared := domain // neither left nor entered
	for range len(r.m.States) + 1 {
		leaf := target.Leaf()
		for _, s := range below(domain, leaf.Parent) {
			r.refill(from, s)
			if s == r.m.Root {
				continue // its entry block was the first of all
			}
			if err := e.apply(s.Entry); err != nil {
				return err
			}
		}
		holds := true
		if leaf.Require != nil {
			var err error
			if holds, err = e.test(leaf.Require.Cond); err != nil {
				return err
			}
		}
		if holds {
			return r.arrive(e, from, leaf, shared)
		}
		target = leaf.Require.Target
		domain = ir.Domain(leaf, target)
		for s := leaf.Parent; s != domain; s = s.Parent {
			if err := e.apply(s.Exit); err != nil {
				return err
			}
		}
		if shared != nil && domain.Depth < shared.Depth {
			shared = domain
		}
	}
	return fmt.Errorf("the requires lead round in a circle")
}

// arrive begins a visit of leaf.
func (r *run) arrive(e *env, from, leaf, shared *ir.State) error {
	r.refill(from, leaf)
	if err := e.apply(leaf.Entry); err != nil {
		return err
	}
	r.leaf, r.looked = leaf, 0
	if leaf.Kind == ir.Terminal {
		r.finished = true
		return nil
	}
	r.done = leaf.IsChoice()
	running := r.timers[:0:0]
	for _, a := range r.timers {
		if shared != nil && a.timer.State.Depth <= shared.Depth {
			running = append(running, a)
		}
	}
	r.timers = running
	for _, s := range below(shared, leaf) {
		if err := r.startTimers(s); err != nil {
			return err
		}
	}
	for _, d := range leaf.Dos {
		r.attempts = append(r.attempts, attempt{do: d, number: max(1, r.next[d]), started: r.now})
		r.next[d]++
	}
	r.restartIdle()
	return nil
}

// refill sets back to zero what counts from s being entered from outside.
func (r *run) refill(from, s *ir.State) {
	if from != nil && from.Inside(s) {
		return
	}
	for a := range r.counters {
		if a.Scope.Kind == ir.PerState && a.Scope.State == s || a.Scope.Kind == ir.PerVisit && a.Kind == ir.Goto && a.State == s {
			delete(r.counters, a)
		}
	}
	for d := range r.next {
		if d.Scope.Kind == ir.PerState && d.Scope.State == s {
			delete(r.next, d)
		}
	}
}

// below lists the states inside outer down to inner, outermost first; a nil
// outer is around the machine.
func below(outer, inner *ir.State) []*ir.State {
	var list []*ir.State
	for s := inner; s != outer && s != nil; s = s.Parent {
		list = append([]*ir.State{s}, list...)
	}
	return list
}

// apply does the effects of b at once.
func (e *env) apply(b *ir.Block) error {
	if b == nil {
		return nil
	}
	values := make([]value, len(b.Assigns))
	for i, a := range b.Assigns {
		if a.Value == nil {
			continue
		}
		v, err := e.eval(a.Value)
		if err != nil {
			return err
		}
		if !v.fits(a.Var.Type) {
			return fmt.Errorf("%q leaves the range of %q", a.Text(), a.Var.Name)
		}
		values[i] = v
	}
	for _, p := range b.Publishes {
		for i, x := range p.Values {
			v, err := e.eval(x)
			if err != nil {
				return err
			}
			if f := p.Event.Fields[i]; !v.fits(f.Type) {
				return fmt.Errorf("%q leaves the range of %q", ir.ExprText(x), f.Name)
			}
		}
	}
	for i, a := range b.Assigns {
		e.run.fields[a.Var.Index] = values[i]
	}
	return nil
}
