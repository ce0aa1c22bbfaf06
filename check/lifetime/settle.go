package lifetime

import (
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// component lists the members of the component of c.
func (t *Times) component(c int32) []int32 {
	return t.members[t.first[t.of[c]]:t.first[t.of[c]+1]]
}

// settle computes the times of one component, given those that it leads to.
// In a cycle that costs time nothing but a timer that runs all the while sets an
// end.
func (t *Times) settle(members []int32) {
	free := t.free(members)
	for _, c := range members {
		for i := range t.timers(c) {
			t.exits[t.start[c]+int32(i)] = t.exit(members, c, i)
		}
		if t.Longest[c] = free; int(c) >= t.p.Configurations() {
			continue // what caps the time of a step is seen where it starts
		}
		for i := range t.timers(c) {
			if most, ok := t.cap(c, i); ok {
				t.Longest[c] = min(t.Longest[c], most)
			}
		}
	}
}

// uncapped is the time from c by what it costs alone.
func (t *Times) uncapped(c int32) int64 {
	time := int64(0)
	for e := t.p.First[c]; e < t.p.First[c+1]; e++ {
		if t.isOver(e) {
			continue
		}
		if t.of[t.p.To[e]] != t.of[c] {
			time = max(time, t.reach(c, e))
		} else if t.weight(c, e) > 0 {
			return graph.Infinite
		}
	}
	if t.p.Waits(c) {
		return graph.Infinite
	}
	return time
}

// freely is uncapped with what lies behind junctions of the same component.
func (t *Times) freely(c int32) int64 {
	time := t.uncapped(c)
	for e := t.p.First[c]; e < t.p.First[c+1]; e++ {
		if to := t.p.To[e]; t.p.IsWithin(e) && t.of[to] == t.of[c] {
			time = max(time, t.uncapped(to))
		}
	}
	return time
}

// exit is the longest time behind any step with which timer i around c stops
// running. In a component of several configurations they all have it in common.
func (t *Times) exit(members []int32, c int32, i int) int64 {
	if members[0] != c { // computed for the first already, where both share the timer
		if t.has(members[0], i, t.timers(c)[i].Timer) {
			return t.exits[t.start[members[0]]+int32(i)]
		}
		return graph.Infinite
	}
	timer := t.timers(c)[i].Timer
	longest := int64(0)
	for _, v := range members {
		if !t.has(v, i, timer) {
			return graph.Infinite
		}
		for e := t.p.First[v]; e < t.p.First[v+1]; e++ {
			to := t.p.To[e]
			switch {
			case t.isOver(e):
			case t.of[to] != t.of[c]:
				longest = max(longest, t.beyond(v, e, i))
			case t.stops(timer, e):
				return graph.Infinite
			}
		}
	}
	return longest
}

func (t *Times) has(c int32, i int, timer *ir.Timer) bool {
	timers := t.timers(c)
	return i < len(timers) && timers[i].Timer == timer
}

// Path follows a longest run from the start, as far as it takes no cycle.
func (t *Times) Path() []int32 {
	var path []int32
	c, timer := int32(0), -1 // timer is the one whose cap the time at hand keeps to, or -1
	for {
		if timer < 0 {
			timer = t.binding(c)
		}
		before, best, length := int32(graph.None), int32(-1), int64(-1)
		for into, e := range t.p.StepsFrom(c) {
			to := t.p.To[e]
			if t.of[to] == t.of[c] {
				continue
			}
			time := t.beyond(c, e, timer)
			if time > length || time == length && t.haste(c, e, timer) < t.haste(c, best, timer) {
				before, best, length = into, e, time
			}
		}
		if best < 0 {
			return path
		}
		if before != graph.None {
			path = append(path, before)
		}
		if timer >= 0 && t.stops(t.timers(c)[timer].Timer, best) {
			timer = -1
		}
		path = append(path, best)
		c = t.p.To[best]
	}
}

// haste says how much less a step is liked than another that is as long: what was deferred
// comes at once, and a move ends attempts that may run on. Where no timer sets the time, one
// fires later than the attempts that do have ended, and the next one would have to wait for a worker. Where
// one does, all but its firing comes before it is due.
func (t *Times) haste(c, e int32, timer int) int64 {
	haste := t.p.Detours(graph.None, e)
	if t.p.IsMove(e) {
		haste++
	}
	if in, ok := t.p.Input(e); ok && in.Kind == ir.CaseTimer {
		switch {
		case timer < 0:
			haste += 2
		case in.Timer == t.timers(c)[timer].Timer:
			haste -= 2
		}
	}
	return haste
}

// binding is the timer that sets the time of c, or -1.
func (t *Times) binding(c int32) int {
	if t.Longest[c] == graph.Infinite || t.freely(c) == t.Longest[c] {
		return -1
	}
	return t.capOf(c)
}
