package machine

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// migration makes a run of one machine into one of another.
type migration struct {
	old, m  *Machine
	s, next *Snapshot
	*Mapping
	step *step // of the new machine, for timers that start
}

// Migrated is the run by the definition m, after the step in which it moves
// there. The error says what does not fit.
func (m *Machine) Migrated(old *Machine, s *Snapshot, p *Mapping, now time.Time, ask Ask) (*Snapshot, error) {
	x := &migration{old: old, m: m, s: s, Mapping: p, next: m.NewSnapshot(s.Run, s.Seed)}
	for _, part := range []func() error{x.standing, x.data, x.params, x.kept} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	x.next.Now = stepTime(s, now)
	x.step = m.newStep(x.next, Input{Kind: MigrateInput}, x.next.Now, ask)
	x.step.seq = x.next.Seq
	for _, part := range []func() error{x.counters, x.tasks, x.timers, x.halt, x.require} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	made := x.step.next
	x.next.Tasks, x.next.Lists, x.next.Tries, x.next.Executions, x.next.Alarms = made.Tasks, made.Lists, made.Tries, made.Executions, made.Alarms
	return x.next, m.checkSnapshot(x.next)
}

// standing takes over what does not depend on the definition, and the state.
func (x *migration) standing() error {
	s, n := x.s, x.next
	n.Token, n.Semantics, n.Seq, n.Visit, n.Status = s.Token, s.Semantics, s.Seq+1, s.Visit, s.Status
	n.Started, n.Entered, n.PausedAt, n.Above = s.Started, s.Entered, s.PausedAt, s.Above
	n.Cancelled, n.Late, n.Spent, n.Uncounted, n.KeptNext = s.Cancelled, s.Late, s.Spent, s.Uncounted, s.KeptNext
	for i := range s.Stopping { // of which nothing will be known
		n.Spent = withCosts(n.Spent, x.old.silent(s, &s.Stopping[i], nil))
	}
	n.OverDue, n.OverDone = x.m.stillHeld(s.OverDue), x.m.stillHeld(s.OverDone)
	n.Left = x.m.calls && (s.Left || slices.ContainsFunc(s.Tasks, func(t Task) bool { return t.State == TaskOpen && x.old.dos[t.Do].calls }))
	n.Versions = append(slices.Clone(s.Versions), Version{Definition: x.old.hash, Until: s.Seq})
	path := x.old.def.States[s.State].Path
	state, ok := x.m.index.states.find(x.state(path))
	switch {
	case !ok:
		return fmt.Errorf("there is no state %q any more; the mapping can name another", x.state(path))
	case x.m.def.States[state].Kind != LeafState:
		return fmt.Errorf("state %q is not one in which a run can stand", x.state(path))
	case len(s.Queue) > 0:
		return fmt.Errorf("what came while it was paused has not been taken; resume it first")
	}
	n.State = state
	n.DoneDue = s.DoneDue || x.m.def.States[state].Choice
	return nil
}

// stillHeld are the names of costs to which runs of m are held, too.
func (m *Machine) stillHeld(names []string) (held []string) {
	for _, name := range names {
		if m.enforces && m.line(name) >= 0 {
			held = append(held, name)
		}
	}
	return held
}

func (x *migration) data() error {
	old := valuesByName(x.old.def.Fields, x.s.Data)
	origins, err := x.Origins(x.old.def.Fields)
	if err != nil {
		return err
	}
	set, err := x.setLeaves(x.m.def.Fields)
	if err != nil {
		return err
	}
	known := map[string]json.RawMessage{}
	for i, f := range x.m.def.Fields {
		origin, was := origins[f.Name]
		if v, ok := set[f.Name]; ok {
			known[f.Name] = v
		} else if v, ok := old[origin]; was && ok {
			known[f.Name] = v
		} else if was && f.group() != "" {
			x.next.Data[i] = Unset // as it was: it may be absent whatever its default
		}
		delete(origins, f.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(origins)) {
		if _, set := old[origins[name]]; set {
			return fmt.Errorf("there is no field %q any more, and it is set; the mapping can rename it or give it up", name)
		}
	}
	if err := x.overlay(x.m.def.Fields, known, x.next.Data); err != nil {
		return err
	}
	if err := inPart(x.m.def.Fields, x.next.Data); err != nil {
		return fmt.Errorf("%w; the mapping can set it", err)
	}
	return nil
}

func (x *migration) params() error {
	old := valuesByName(x.old.def.Params, x.s.Params)
	set, err := x.setLeaves(x.m.def.Params)
	if err != nil {
		return err
	}
	known := map[string]json.RawMessage{}
	for _, p := range x.m.def.Params {
		known[p.Name] = old[p.Name]
		if v, ok := set[p.Name]; ok {
			known[p.Name] = v
		}
		switch {
		case known[p.Name] != nil:
		case p.Optional:
			delete(known, p.Name)
		case slices.ContainsFunc(x.old.def.Params, func(f Field) bool { return f.Name == p.Name }):
			return fmt.Errorf("parameter %q is absent, and may not be any more; the mapping can set it", p.Name)
		default:
			return fmt.Errorf("parameter %q is new; the mapping can set it", p.Name)
		}
	}
	x.next.Params = make([]Value, len(x.m.def.Params))
	if err := x.overlay(x.m.def.Params, known, x.next.Params); err != nil {
		return ofParams(err)
	}
	if err := inPart(x.m.def.Params, x.next.Params); err != nil {
		return fmt.Errorf("of the parameters: %w; the mapping can set it", err)
	}
	return nil
}

// valuesByName are the JSON forms of those values that are set, by the names of fields.
func valuesByName(fields []Field, values []Value) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for i := range fields {
		if values[i].set {
			out[fields[i].Name] = appendValue(nil, &fields[i].Type, &values[i])
		}
	}
	return out
}

// setLeaves are the values that the mapping sets, with those of the leaves in place of a
// record of fields that it sets as a whole.
func (x *migration) setLeaves(fields []Field) (map[string]json.RawMessage, error) {
	out := maps.Clone(x.Set)
	for _, name := range slices.Sorted(maps.Keys(x.Set)) {
		if !isRecord(fields, name) {
			continue
		}
		var leaves []Field
		for _, f := range fields {
			if strings.HasPrefix(f.Name, name+".") {
				if _, twice := x.Set[f.Name]; twice {
					return nil, fmt.Errorf("the mapping sets %q, and %q as a whole", f.Name, name)
				}
				leaves = append(leaves, f)
			}
		}
		values, err := x.leavesSet(leaves, name)
		if err != nil {
			return nil, err
		}
		for i := range leaves {
			if !values[i].set {
				out[leaves[i].Name] = json.RawMessage("null")
			}
		}
		maps.Copy(out, valuesByName(leaves, values))
	}
	return out, nil
}

// leavesSet are the values of leaves, all of the record called name, that the mapping sets. The whole
// of what may be absent it can take away.
func (x *migration) leavesSet(leaves []Field, name string) ([]Value, error) {
	s := &scanner{data: x.Set[name], stored: true}
	values := make([]Value, len(leaves))
	if isOptional(leaves, name) && s.word("null") {
		return values, nil
	}
	group := leaves[0].group()
	for i := range leaves { // that of what the record always has is the outermost
		if g := leaves[i].group(); len(g) < len(group) {
			group = g
		}
	}
	if err := x.m.def.scanMembers(s, leaves, name+".", values, false); err != nil {
		return nil, err
	}
	return values, x.m.def.missing(leaves, values, group)
}

// overlay reads the values that are known over those that stand there.
func (x *migration) overlay(fields []Field, known map[string]json.RawMessage, to []Value) error {
	for i := range fields {
		text, ok := known[fields[i].Name]
		if !ok {
			continue
		}
		s := &scanner{data: text, stored: true}
		if fields[i].Optional && s.word("null") {
			to[i] = Unset
			continue
		}
		v, err := x.m.def.scanValue(s, &fields[i].Type)
		if err == nil {
			err = s.end()
		}
		if err != nil {
			return fieldError(fields[i].Name, err)
		}
		to[i] = v
	}
	return nil
}

func (x *migration) kept() error {
	for _, k := range x.s.Kept {
		name := x.old.def.Events[k.Event].Name
		event, ok := x.m.index.events.find(name)
		if !ok {
			return fmt.Errorf("there is no event %q any more, of which one is kept", name)
		}
		text := encodeFields(x.old.def.Events[k.Event].Fields, k.Data) // which may be longer than it came
		data, err := x.m.allFields(&scanner{data: text, stored: true}, x.m.def.Events[event].Fields)
		if err != nil {
			return fmt.Errorf("a kept event %q: %w", name, err)
		}
		x.next.Kept = append(x.next.Kept, Kept{Event: event, Data: data, ID: k.ID})
	}
	return nil
}

// counters keeps those of arms that still stand, up to their new bounds. Where
// two arms become one, it has been used as often as both.
func (x *migration) counters() error {
	for a, n := range x.s.Counters {
		to, ok := x.m.index.arms.find(x.state(x.old.def.Arms[a].Name))
		if !ok || !x.m.arms[to].counted {
			continue
		}
		limit := int64(math.MaxInt64)
		if arm := &x.m.arms[to]; arm.bounded {
			limit = arm.max
		}
		x.next.Counters[to] += min(n, limit-x.next.Counters[to])
	}
	for _, n := range x.s.Tries {
		arm, ok := x.m.index.arms.find(x.state(x.old.def.Arms[n.Arm].Name))
		do, known := x.m.index.dos.find(x.state(x.old.dos[n.Do].Name))
		if !ok || !known || x.m.dos[do].Fan == nil || x.m.arms[arm].Kind != RetryArm {
			continue
		}
		if code := &x.m.arms[arm]; code.bounded {
			n.Used = min(n.Used, code.max)
		}
		if n.Do, n.Arm = do, arm; n.Used > 0 {
			x.step.next.Tries = append(x.step.next.Tries, n)
		}
	}
	slices.SortFunc(x.step.next.Tries, compareTries)
	x.step.next.Tries = slices.CompactFunc(x.step.next.Tries, func(a, b Tries) bool { return compareTries(a, b) == 0 })
	return nil
}

// halt takes over the input that the run could not take, so that a retry can.
func (x *migration) halt() error {
	if x.s.Halt == nil {
		return nil
	}
	halt := &Halt{Cause: x.s.Halt.Cause}
	err := x.m.decode(x.old.encodeInput(&x.s.Halt.Input), func(c *coder) { x.m.codeInput(c, &halt.Input) })
	switch {
	case err != nil:
		return fmt.Errorf("what halted it is not known any more: %w", err)
	case !x.step.next.canComeAgain(&halt.Input):
		return fmt.Errorf("what halted it, %s, cannot come there", x.m.Describe(halt.Input))
	}
	x.next.Halt = halt
	return nil
}

func (x *migration) require() error {
	ok, err := x.step.holds(x.next.State)
	if err == nil && !ok {
		err = fmt.Errorf("the require of state %q is false", x.m.def.States[x.next.State].Path)
	}
	return err
}
