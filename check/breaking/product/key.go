package product

import (
	"reflect"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// What is told apart
//
// Pairs are alike where both runs have the same leaf, data, counters, attempts and deferred
// events, whatever the numbers of their steps and the time of day. Of times counts how far
// off they are. Where the runs have the same timers with the same ends, only their order
// counts: what comes first then comes first in both, however long it takes, and what they
// differ in is something else. Without that, a timer of a day and waits of seconds give
// more pairs than can be explored. Of a field that decides nothing, and is the same in both
// runs, counts whether it is set.

// clock gives the times of a pair as its key has them.
type clock struct {
	now   time.Time
	ranks []time.Time // the times that lie ahead, in order; nil where how far off they are counts
}

func (s *search) clock(old, new *machine.Snapshot, now time.Time) *clock {
	c := &clock{now: now}
	if !s.alarmsAlike(old, new) {
		return c
	}
	c.ranks = []time.Time{}
	for _, of := range []*machine.Snapshot{old, new} {
		for _, a := range of.Alarms {
			c.ranks = append(c.ranks, a.Due)
		}
		for _, t := range of.Tasks {
			if t.NotBefore.After(now) {
				c.ranks = append(c.ranks, t.NotBefore)
			}
		}
	}
	slices.SortFunc(c.ranks, time.Time.Compare)
	c.ranks = slices.CompactFunc(c.ranks, time.Time.Equal)
	return c
}

// alarmsAlike reports whether both runs have timers that are written alike and due at the
// same times.
func (s *search) alarmsAlike(old, new *machine.Snapshot) bool {
	return slices.EqualFunc(old.Alarms, new.Alarms, func(a, b machine.Alarm) bool {
		return a.Due.Equal(b.Due) && a.Wait == b.Wait && s.old.m.Timers[a.Timer].Text() == s.new.m.Timers[b.Timer].Text()
	})
}

// shown is a time as the key has it.
func (c *clock) shown(at time.Time) time.Time {
	if c.ranks == nil || !at.After(c.now) {
		return epoch.Add(max(0, at.Sub(c.now)))
	}
	rank, _ := slices.BinarySearchFunc(c.ranks, at, time.Time.Compare)
	return epoch.Add(time.Duration(rank+1) * time.Second)
}

func (s *search) key(old, new *machine.Snapshot, now time.Time) string {
	c := s.clock(old, new, now)
	a, b := c.canonical(old), c.canonical(new)
	s.forget(a, b)
	return string(s.old.x.EncodeSnapshot(a)) + string(s.new.x.EncodeSnapshot(b))
}

// forget makes fields that decide nothing alike in all pairs in which both runs have the
// same value there.
func (s *search) forget(old, new *machine.Snapshot) {
	old.Data, new.Data = slices.Clone(old.Data), slices.Clone(new.Data)
	for i, j := range s.idle {
		v, w := &old.Data[i], &new.Data[j]
		if !v.IsSet() || !w.IsSet() || !reflect.DeepEqual(*v, *w) {
			continue
		}
		*v = plain(s.old.m.Fields[i].Type, s.old.m.Fields[i].Type, 1)
		*w = plain(s.new.m.Fields[j].Type, s.new.m.Fields[j].Type, 1)
	}
}

// idleFields are the fields that decide nothing in either machine, by their indexes in the
// old and the new one.
func idleFields(old, new *ir.Machine, v *values) map[int]int {
	out := map[int]int{}
	for i, f := range old.Fields {
		j := slices.IndexFunc(new.Fields, func(g *ir.Var) bool { return g.Name == f.Name })
		if j >= 0 && !v.decides[f.Name] {
			out[i] = j
		}
	}
	return out
}

// canonical is of without what no arm can read.
func (c *clock) canonical(of *machine.Snapshot) *machine.Snapshot {
	s := *of
	s.Run, s.Token, s.Seq, s.Visit, s.Late, s.Versions, s.Seed = "r", "", 1, 1, 0, nil, 1
	s.Started, s.Entered, s.Now = epoch, epoch, epoch
	s.Halt, s.Spent, s.Uncounted = nil, nil, 0
	s.Tasks = slices.Clone(s.Tasks)
	for i := range s.Tasks {
		t := &s.Tasks[i]
		t.Key, t.Attempt, t.Begun, t.NotBefore = "k", 1, "", c.shown(t.NotBefore)
	}
	s.Alarms = slices.Clone(s.Alarms)
	for i := range s.Alarms {
		s.Alarms[i].Due = c.shown(s.Alarms[i].Due)
	}
	s.Lists = slices.Clone(s.Lists)
	for i := range s.Lists {
		s.Lists[i].Seq = 1
	}
	s.Executions = slices.Clone(s.Executions)
	for i := range s.Executions {
		s.Executions[i].Key, s.Executions[i].Attempt = "k", 1
	}
	return &s
}
