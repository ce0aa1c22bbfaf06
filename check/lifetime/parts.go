package lifetime

import (
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Part is one term of the sum that a time is: what a timer lets pass, how long machines
// last that are called in its state and that it cancels, or what attempts and the waits
// before them may take in a visit.
type Part struct {
	Timer *ir.Timer // nil where it is attempts
	Stops bool      // it is what the machines last that Timer cancels
	Leaf  *ir.State // of the attempts
	Time  int64     // nanoseconds
}

// byTimer are the parts of what passes until c has fired, and what it cancels has stopped.
func byTimer(c capping) []Part {
	parts := []Part{{Timer: c.Timer, Time: c.most - c.stops}}
	if c.stops > 0 {
		parts = append(parts, Part{Timer: c.Timer, Stops: true, Time: c.stops})
	}
	return parts
}

// Parts is the sum that the time from the start is; nil where that has no end.
// It follows the equations by which component computed it, so that the parts add
// up to Longest[0].
func (t *Times) Parts() []Part {
	if t.Longest[0] == graph.Infinite {
		return nil
	}
	var parts []Part
	c, timer := int32(0), -1 // timer is the one whose exit is sought, or -1
	for {
		if timer < 0 && t.free(t.component(c)) != t.Longest[c] {
			timer = t.capOf(c)
			parts = append(parts, byTimer(t.timers(c)[timer])...)
		}
		from, e := t.follow(c, timer)
		if e == graph.None {
			return parts
		}
		to := t.p.To[e]
		if timer >= 0 && !t.stops(t.timers(from)[timer].Timer, e) {
			c = to
			continue
		}
		weight, next := t.weight(from, e), -1
		if t.reach(from, e) != graph.Sum(weight, t.Longest[to]) {
			next = t.capAlong(e)
			parts = append(parts, byTimer(t.around[t.p.Label(e).Into][next])...)
		} else if weight > 0 {
			parts = append(parts, Part{Leaf: t.p.Leaf(to), Time: weight})
		}
		c, timer = to, next
	}
}

// free is the time from a component by what it costs alone.
func (t *Times) free(members []int32) int64 {
	longest := int64(0)
	for _, v := range members {
		longest = max(longest, t.uncapped(v))
	}
	return longest
}

// capOf is a timer around c that sets its time, or -1.
func (t *Times) capOf(c int32) int {
	for i := range t.timers(c) {
		if most, ok := t.cap(c, i); ok && most == t.Longest[c] {
			return i
		}
	}
	return -1
}

// capAlong is a timer that starts with edge e and sets the time along it.
func (t *Times) capAlong(e int32) int {
	to, least, at := t.p.To[e], int64(graph.Infinite), -1
	for i, timer := range t.around[t.p.Label(e).Into] {
		if !startsWith(timer.Timer, t.p.Label(e)) {
			continue
		}
		if most, ok := t.cap(to, i); ok && most < least {
			least, at = most, i
		}
	}
	return at
}

// follow is an edge out of the component of c with which its time goes on, or the
// exit of timer where that is not -1, and where the edge starts; None where
// nothing follows.
func (t *Times) follow(c int32, timer int) (from, edge int32) {
	edge = graph.None
	longest := int64(-1)
	for _, v := range t.component(c) {
		for e := t.p.First[v]; e < t.p.First[v+1]; e++ {
			to := t.p.To[e]
			if t.of[to] == t.of[c] {
				continue
			}
			if time := t.beyond(v, e, timer); time > longest {
				from, edge, longest = v, e, time
			}
		}
	}
	return from, edge
}
