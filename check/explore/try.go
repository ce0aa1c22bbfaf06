package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/explore/step"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// DefaultLimit is the number of configurations past which a machine is not
// explored to its end.
const DefaultLimit = 4_000_000

// edgesEach is the most edges for each configuration of the limit, on average:
// the limit is there to bound memory.
const edgesEach = 8

// maxStored is the most words that all configurations may take together: half
// a gigabyte.
const maxStored = 1 << 26

// stepsEach is the most times that a step may be run for each configuration of
// the limit, on average: free choices within one step multiply.
const stepsEach = 10

// stepsOfWide is stepsEach where so many values are told apart that a choice of one of them
// may take all the time: then they are told apart no more.
const stepsOfWide = 3

// mostOfWide is the most of them by what hangs on it: some tenths of a second where that is not known.
var mostOfWide = map[flat.Effort]int{flat.AtFirst: 1 << 18, flat.ForGuesses: 1 << 20}

// HasWide reports whether there may be more to tell apart than is at first: where something of t is
// undecided, it may be decided with a greater t.Wide.
func HasWide(t *flat.Table, limit int) bool {
	return t.Wide < flat.ForAnswers && data.New(t.Machine).Wider(nil, limit)
}

// NewProduct explores the machine of t breadth first: the store is the queue. It is nil
// where the machine has more than limit configurations, or takes more memory than that
// many usually do; and where the machine is broken, so that an arm or a target may be
// missing.
func NewProduct(t *flat.Table, limit int) *Product {
	p, _ := TryFurther(t, 0, limit, limit)
	return p
}

// Seen is what runs do that were gone through before an exploration was given up.
type Seen struct {
	Guessed bool // some choice was made for want of knowing, so that one of them may be no run

	entered []bool // by state ID
	taken   []bool // by arm ID
}

// Entered reports whether one of them enters state.
func (s *Seen) Entered(state *ir.State) bool { return s.entered[state.ID] }

// Taken reports whether one of them takes a.
func (s *Seen) Taken(a *ir.Arm) bool { return s.taken[a.ID] }

// TryFurther is NewProduct where it gave nil with a limit before: what would give up as
// it did then is left out. Where it gave up, seen is what it had gone through, if that was
// anything. It may be asked again, with the limit most.
func TryFurther(t *flat.Table, before, limit, most int) (p *Product, seen *Seen) {
	return tryWithout(t, nil, false, before, limit, most)
}

// tryWithout is TryFurther that does not hold the sums given. Where the machine is large an
// event may bring flags one by one.
func tryWithout(t *flat.Table, sums []*data.Sum, large bool, before, limit, most int) (p *Product, seen *Seen) {
	held, paced := data.NewWithout(t.Machine, sums, data.MostValues), true
	coarse := held.Wider(sums, most)
	recalls := (before < maxRecalling || coarse) && step.Recalls(t.Machine, held)
	for _, which := range []step.Which{step.EveryTimer, step.TimersOfLeaves} {
		c, tooMany := step.NewClocks(t, held, which)
		paced = paced && !tooMany
		if c == nil {
			continue
		}
		if timed := mostTimed(t, before, limit, most); timed > 0 {
			if coarse {
				p, _ = tryWide(t, sums, large, timed, most, &which)
			}
			values := coarse && t.Wide == flat.ForAnswers // with times alone it is known already
			if p == nil && recalls && !values {
				p = tryRecalling(t, sums, limit, &which)
			}
			if p == nil && !values {
				p, _ = try(t, timed, held, c)
			}
			if p != nil {
				p.paced = paced
				return p, nil
			}
		}
		held, paced = data.NewWithout(t.Machine, sums, data.MostValues), false
	}
	if coarse {
		if p, seen = tryWide(t, sums, large, limit, most, nil); p == nil && (limit < most || t.Past) {
			return nil, seen
		}
	}
	if p == nil && recalls {
		p = tryRecalling(t, sums, limit, nil)
	}
	if p == nil {
		held.OneByOne = large
		p, seen = try(t, limit, held, nil)
	}
	if p != nil {
		p.paced = paced
	}
	return p, seen
}

// tryWide is try where more values are told apart than data.MostValues: up to as many as
// there may be configurations in the end.
func tryWide(t *flat.Table, sums []*data.Sum, large bool, limit, most int, which *step.Which) (*Product, *Seen) {
	held := data.NewWithout(t.Machine, sums, most)
	held.OneByOne = large
	return tryTimed(t, limit, held, which)
}

// tryRecalling is try where verdicts on data that is not held are; see step.Recalled.
// With which it tells configurations apart by those times, too.
func tryRecalling(t *flat.Table, sums []*data.Sum, limit int, which *step.Which) *Product {
	held := data.NewWithout(t.Machine, sums, data.MostValues)
	held.Recalls = true
	p, _ := tryTimed(t, min(limit, maxRecalling), held, which)
	return p
}

// tryTimed is try with the times of which; without times where that is nil.
func tryTimed(t *flat.Table, limit int, held *data.Tracked, which *step.Which) (*Product, *Seen) {
	var c *step.Clocks
	if which != nil {
		c, _ = step.NewClocks(t, held, *which)
	}
	return try(t, limit, held, c)
}

// TryOpen is NewProduct with every bound both open and used up, so that no counter
// multiplies configurations. What no path of it does, no run does; a path of it may
// be none. It gives nil where the machine has no bounds, too.
func TryOpen(t *flat.Table, limit int) *Product {
	if !slices.ContainsFunc(t.Machine.Arms, func(a *ir.Arm) bool { return a.Max != nil && *a.Max > 0 }) {
		return nil
	}
	held := data.New(t.Machine)
	held.Loose = true
	p, _ := try(t, limit/2, held, nil) // it is tried where the product took all the time that there is
	return p
}

func try(t *flat.Table, limit int, tracked *data.Tracked, clocks *step.Clocks) (*Product, *Seen) {
	x, seen := exploration(t, limit, tracked, clocks)
	if x == nil {
		return nil, seen
	}
	return x.Product, nil
}

// exploration is try with what it took.
func exploration(t *flat.Table, limit int, tracked *data.Tracked, clocks *step.Clocks) (x *search, seen *Seen) {
	if x = searchOf(t, limit, tracked, clocks); x == nil {
		return nil, nil
	}
	if !x.goThrough(limit) {
		return nil, x.seenSoFar()
	}
	x.numberJunctions()
	return x, nil
}

// searchOf is an exploration that has not begun; nil of a machine that is broken, and where there is
// surely too much.
func searchOf(t *flat.Table, limit int, tracked *data.Tracked, clocks *step.Clocks) *search {
	if t.Machine.Broken || t.Machine.Incomplete || t.Machine.Root.Leaf() == nil || limit <= 0 {
		return nil
	}
	code := step.Compile(t, tracked, clocks)
	if code == nil {
		return nil
	}
	x := newSearch(t, code)
	if tracked.Stays {
		x.stayed = make([]int, len(t.Machine.Arms))
	}
	x.most = stepsEach * limit
	if tracked.Wide {
		x.most = stepsOfWide * limit
		if most, limited := mostOfWide[t.Wide]; limited {
			x.most = min(x.most, most)
		}
	}
	if tracked.Wide && tracked.Starts() > float64(x.most) {
		return nil
	}
	return x
}

// goThrough explores up to limit configurations, and reports whether these are all.
func (x *search) goThrough(limit int) bool {
	x.start()
	half := 0 // of the steps, until there were half as many configurations
	for c := int32(1); int(c) < x.store.count; c++ {
		x.Stop.Poll()
		if x.work > mostWork(x.Table) || x.Tries > x.most || x.store.count > limit || len(x.To)+len(x.junctions.to) > edgesEach*limit || len(x.store.words) > maxStored {
			return false
		}
		if c&(c-1) == 0 {
			if c >= firstLook && (x.surelyMore(limit) || (x.Tries-half)/int(c/2)*x.store.count > farMore*x.most) {
				return false
			}
			half = x.Tries
		}
		x.First = push(x.First, int32(len(x.To)))
		x.expand(c)
		x.settle()
	}
	x.First = append(x.First, int32(len(x.To)))
	return x.Tries <= x.most
}

// firstLook is after how many configurations it is asked first whether there are surely too
// many; it is asked again after twice as many, and so on.
const firstLook = 16

// farMore times as many steps as there may be, if each configuration that is known takes as many as
// the latter half of those before, are too many.
const farMore = 4

// surelyMore reports whether the flags that events can set, one by one, in a leaf that was
// entered make more configurations than limit, or more edges than those may have.
func (x *search) surelyMore(limit int) bool {
	for id, c := range x.firstIn {
		leaf := x.Program.Machine.States[id]
		if c == graph.None || leaf.Kind != ir.Leaf {
			continue
		}
		flags, edges := x.Program.LeastFrom(leaf, x.words(c))
		if flags >= 40 || float64(int64(1)<<flags)*max(1, edges/edgesEach) > float64(limit) {
			return true
		}
	}
	return false
}

func (x *search) seenSoFar() *Seen {
	seen := &Seen{Guessed: x.Guessed, entered: make([]bool, len(x.firstIn)), taken: x.taken}
	for s, c := range x.firstIn {
		seen.entered[s] = c != graph.None
	}
	return seen
}

// maxTimed is the most configurations that are told apart by their times. A machine
// with more, or where it is more work, is explored with the timers of leaves alone,
// and if need be without times: then the order of the clocks is free but for what
// their lengths alone say; see timing.Forestalls.
const maxTimed = 20_000

// maxTimedLong and maxWorkLong are maxTimed and maxWork where it is known that something hangs on
// the times; see HasTimes.
const (
	maxTimedLong = 300_000
	maxWorkLong  = 30_000_000
)

// HasTimes reports whether more configurations may be told apart by their times than are at first:
// where something of t is undecided, it may be decided with t.Timed.
func HasTimes(t *flat.Table) bool {
	c, _ := step.NewClocks(t, data.New(t.Machine), step.EveryTimer)
	return c != nil
}

// mostTimed is how many configurations are told apart by their times; 0 where that was tried before.
func mostTimed(t *flat.Table, before, limit, most int) int {
	switch {
	case t.Timed && before == 0:
		return min(most, maxTimedLong)
	case !t.Timed && before < maxTimed:
		return min(limit, maxTimed)
	}
	return 0
}

func mostWork(t *flat.Table) int {
	if t.Timed {
		return maxWorkLong
	}
	return maxWork
}

// maxRecalling is the most configurations that are told apart by verdicts on data that is
// not held: where there are more, each verdict is chosen again at every reading.
const maxRecalling = 20_000

// maxWork is the most bounds in all zones that steps may make: less than a tenth of a second.
const maxWork = 2_000_000

// loosely is of how many values an event may choose one in TryLoosest: no more decide what runs do.
const loosely = 16

// TryLoosest is a product that tells apart neither values nor counters, but with retries those of
// one visit, and of the data only which fields are set: guards may be true or false, bounds open or
// used up, but `is set` is exact. It has all runs of the machine, and more, and mostly few
// configurations.
func TryLoosest(t *flat.Table, limit int, retries bool) *Product {
	held := data.NewWithout(t.Machine, nil, loosely)
	held.Loose, held.Retries = true, retries
	for _, n := range held.Nodes {
		n.Read = false
	}
	p, _ := try(t, limit, held, nil)
	return p
}
