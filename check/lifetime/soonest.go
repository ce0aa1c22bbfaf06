package lifetime

import (
	"container/heap"
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// mostMoments is how many moments are kept at most: half a gigabyte.
const mostMoments = 1 << 26

// Soonest is how long after its start a run enters each state at the earliest, by state ID, in
// nanoseconds, as a lower bound; graph.Infinite where no run does. It is nil where that would take too much room.
//
// Each configuration has moments before which nothing of it can be: that a run is there, that it
// entered each of the states, and that each attempt began. A step takes place when a run can be there,
// and its timer or attempt has lasted long enough. Of the ways to a configuration each moment is that of the
// one for which it is the least. (Dijkstra's algorithm, with vertices that are looked at again.)
func Soonest(p *explore.Product) []int64 {
	s := newSoon(p)
	if s == nil {
		return nil
	}
	for s.Len() > 0 {
		next := heap.Pop(s).(sooner)
		if next.at > s.of(next.config)[0] {
			continue // it was looked at since
		}
		p.Stop.Poll()
		for e := p.First[next.config]; e < p.First[next.config+1]; e++ {
			s.take(next.config, e)
		}
	}
	return s.states
}

// soon are the moments while they are computed, and the configurations that are to be looked at.
type soon struct {
	queue
	p       *explore.Product
	depths  int
	width   int     // how many moments a configuration has: its own, those of states by depth, those of attempts by place
	moments []int64 // by configuration
	behind  []int64 // the step at hand
	states  []int64
}

func newSoon(p *explore.Product) *soon {
	states := p.Table.Machine.States
	s := &soon{p: p, states: slices.Repeat([]int64{graph.Infinite}, len(states))}
	dos := 0
	for _, state := range states {
		s.depths, dos = max(s.depths, state.Depth+1), max(dos, len(state.Dos))
	}
	if s.width = 1 + s.depths + dos; s.width*p.Len() > mostMoments {
		return nil
	}
	s.moments, s.behind = slices.Repeat([]int64{graph.Infinite}, s.width*p.Len()), make([]int64, s.width)
	clear(s.of(0))
	heap.Push(s, sooner{})
	return s
}

// of are the moments of configuration c.
func (s *soon) of(c int32) []int64 { return s.moments[int(c)*s.width:][:s.width] }

// attempt is where the moment of the do is.
func (s *soon) attempt(d *ir.Do) int { return 1 + s.depths + slices.Index(d.State.Dos, d) }

// take lowers the moments of where edge e leads from c.
func (s *soon) take(c, e int32) {
	l, here := s.p.Label(e), s.of(c)
	copy(s.behind, here)
	if !s.p.IsWithin(e) {
		now := s.comes(here, e, l)
		s.behind[0] = now
		switch {
		case l.Kind == explore.Started || l.Kind == explore.Moved:
			for i := 2 + int(l.Shared); i < s.width; i++ {
				s.behind[i] = now
			}
			for state := s.p.Table.Machine.States[l.Into]; state != nil; state = state.Parent {
				s.states[state.ID] = min(s.states[state.ID], now)
			}
		case l.Kind == explore.Begun:
			s.behind[s.attempt(s.p.Table.Machine.Dos[l.Do])] = now
		case l.Kind == explore.Retried:
			if in, _ := s.p.Input(e); in.Do.Fan == nil {
				s.behind[s.attempt(in.Do)] = graph.Sum(now, s.p.LeastRetryWait(c, s.p.Arm(e)))
			}
		}
	}
	to, lower := s.of(s.p.To[e]), false
	for i, at := range s.behind {
		if at < to[i] {
			to[i], lower = at, true
		}
	}
	if lower {
		heap.Push(s, sooner{to[0], s.p.To[e]})
	}
}

// comes is when what leads along edge e comes at the earliest.
func (s *soon) comes(here []int64, e int32, l explore.Label) int64 {
	now := here[0]
	if l.Kind == explore.Begun {
		return max(now, here[s.attempt(s.p.Table.Machine.Dos[l.Do])])
	}
	in, ok := s.p.Input(e)
	if !ok || l.Again {
		return now
	}
	least, _ := timing.Earliest(s.p.Table, in)
	switch {
	case in.Kind == ir.CaseTimer:
		return max(now, graph.Sum(here[1+in.Timer.State.Depth], least))
	case in.Do != nil:
		return max(now, graph.Sum(here[s.attempt(in.Do)], least))
	}
	return now
}

// sooner is a configuration that is to be looked at, with its moment.
type sooner struct {
	at     int64
	config int32
}

// queue is a heap, the soonest first.
type queue []sooner

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].at < q[j].at }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(sooner)) }
func (q *queue) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
