package contracttest

import (
	"encoding/binary"
	"slices"
)

// What a run is doing.
const (
	live = iota
	ended
	halted
)

// What an activity of the visit is doing.
const (
	running uint8 = iota
	waiting
	finished
	queued // an element that has no place yet
)

// config is a configuration of a run.
type config struct {
	status    uint8
	leaf      *State
	done      bool // `done` is the next input
	scan      int  // the deferred event to look at next; -1: none
	cancelled bool
	over      costSet // of which over_budget has come
	due       costSet // and of which it is the next input
	acts      []uint8 // of the tasks of the leaf, in their order
	data      []int
	counters  []int
	deferred  []deferral
	clocks    []clock
	memory    []uint8 // what each assert remembers
}

type deferral struct {
	event  *Event
	values []int
}

// clock is what has passed since a timer, a wait or an attempt began, as a region
// of dense time: whole seconds, and the rank of the rest among the rests of all
// clocks, 0 for none. One that is over its top is over, and has no rest.
type clock struct {
	kind  uint8 // of: an after, a wait, an attempt
	id    int
	lo    int // it may happen from here
	hi    int // it happens here at the latest; -1: whenever
	most  int // of a wait: where nothing waits in a queue it ends here
	top   int // beyond this nothing tells values apart
	whole int
	rest  int
	spent bool // an after that has fired
	arm   *Arm // of a wait: what began it
}

const (
	ofAfter uint8 = iota
	ofWait
	ofAttempt
)

func (c *config) clone() *config {
	d := *c
	d.acts = slices.Clone(c.acts)
	d.data = slices.Clone(c.data)
	d.counters = slices.Clone(c.counters)
	d.deferred = slices.Clone(c.deferred)
	d.clocks = slices.Clone(c.clocks)
	d.memory = slices.Clone(c.memory)
	return &d
}

func (c *config) key() string {
	b := make([]byte, 0, 64)
	num := func(v int) { b = binary.AppendVarint(b, int64(v)) }
	b = append(b, c.status)
	num(c.leaf.at)
	flags := byte(0)
	if c.done {
		flags |= 1
	}
	if c.cancelled {
		flags |= 2
	}
	b = append(b, flags, byte(c.over), byte(c.due))
	num(c.scan)
	b = append(b, c.acts...)
	for _, v := range c.data {
		num(v)
	}
	for _, v := range c.counters {
		num(v)
	}
	num(len(c.deferred))
	for _, k := range c.deferred {
		b = append(append(b, k.event.Name...), 0)
		for _, v := range k.values {
			num(v)
		}
	}
	for _, k := range c.clocks {
		b = append(b, k.kind)
		num(k.id)
		num(k.lo)
		num(k.hi)
		num(k.top)
		num(k.whole)
		num(k.rest)
		if k.arm != nil {
			num(k.arm.line)
		}
		if k.spent {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	return string(append(b, c.memory...))
}

// over says that a clock is over its top.
func (k *clock) over() bool { return k.whole > k.top }

// exactly says that k stands at v.
func (k *clock) exactly(v int) bool { return !k.over() && k.whole == v && k.rest == 0 }

// atLeast says that k stands at v or later.
func (k *clock) atLeast(v int) bool { return k.whole >= v }

func (c *config) clock(kind uint8, id int) *clock {
	for i := range c.clocks {
		if k := &c.clocks[i]; k.kind == kind && k.id == id {
			return k
		}
	}
	return nil
}

// begin starts a clock at zero.
func (c *config) begin(k clock) {
	k.top = max(k.lo, k.hi, k.most)
	if old := c.clock(k.kind, k.id); old != nil {
		*old = k
	} else {
		c.clocks = append(c.clocks, k)
		slices.SortFunc(c.clocks, func(a, b clock) int {
			if a.kind != b.kind {
				return int(a.kind) - int(b.kind)
			}
			return a.id - b.id
		})
	}
	c.ranks()
}

// stop drops the clocks for which drop holds.
func (c *config) stop(drop func(k *clock) bool) {
	c.clocks = slices.DeleteFunc(c.clocks, func(k clock) bool { return drop(&k) })
	c.ranks()
}

// ranks numbers the rests without gaps. A clock that no longer matters stands
// over its top.
func (c *config) ranks() {
	for i := range c.clocks {
		k := &c.clocks[i]
		if k.spent {
			k.top, k.whole = -1, 0
		}
		if k.over() || k.whole == k.top && k.rest > 0 {
			k.whole, k.rest = k.top+1, 0
		}
	}
	var seen []int
	for _, k := range c.clocks {
		if k.rest > 0 && !slices.Contains(seen, k.rest) {
			seen = append(seen, k.rest)
		}
	}
	slices.Sort(seen)
	for i := range c.clocks {
		if k := &c.clocks[i]; k.rest > 0 {
			k.rest = slices.Index(seen, k.rest) + 1
		}
	}
}

// elapse lets time pass into the next region, and says whether there is one.
func (c *config) elapse() bool {
	whole, last := false, 0
	for i := range c.clocks {
		k := &c.clocks[i]
		if k.over() {
			continue
		}
		whole = whole || k.rest == 0
		last = max(last, k.rest)
	}
	if !whole && last == 0 {
		return false
	}
	for i := range c.clocks {
		k := &c.clocks[i]
		switch {
		case k.over():
		case whole:
			k.rest++
		case k.rest == last:
			k.whole, k.rest = k.whole+1, 0
		}
	}
	c.ranks()
	return true
}
