package step

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Elements of a fan-out are alike, and how each ends is its own choice, so that a
// configuration need not tell them apart:
//
//   - Where an element that ends changes nothing that is held, it is told whether all of
//     them have ended. The others can have ended in the same moment and in the same way.
//   - Else the open ones are counted. The order in which they end is not told. Of a long
//     list they are counted up to enough where ends that come again and again change
//     nothing more: whether there are still as many after another end is a guess then, as
//     the length of such a list is (see data.Elements).
//   - Where the index is read, those of each group of indexes are counted that are not told apart.
//
// A retry that changes nothing that is held takes the run nowhere: the element that has
// used up its retries may have done so in this very configuration. So what follows when
// they are used up is open whenever an element is. The retries that change something are
// counted together, and whether one element has made them all is a guess.

// fans is what is known of the fan-outs of a machine by its text.
type fans struct {
	counted map[*ir.Do][]group                    // which are told apart, without their bits; none where they are not counted
	retries map[*ir.State]map[*ir.Arm]sharedRetry // by leaf
	beyond  map[*ir.Arm]int64                     // by retry that counts beyond a visit: how often all elements may make it
	retried map[*ir.Do]bool
}

// sharedRetry is a retry that the elements of a fan-out make, each as often as it says.
type sharedRetry struct {
	open  bool  // it changes nothing
	timed bool  // nothing but a timer bounds it
	most  int64 // of all elements together

	places []int    // of the dos of the leaf that make it
	makes  [][]bool // by the same, of those whose elements are told apart: by group, whether its guard lets one make it
}

// RetriesIn is how often an element of d may make the retry a in a visit: of one without
// bound as often as the shortest wait fits into the time that a timer of the leaf or
// around it leaves, since what comes in the instant of a timer comes too late.
func RetriesIn(d *ir.Do, a *ir.Arm) int64 {
	if a.Max != nil {
		return *a.Max
	}
	wait := timing.LeastWait(a)
	if wait <= 0 {
		return graph.Infinite
	}
	t := timing.EndsBefore(d.State, graph.Infinite)
	if t == nil {
		return graph.Infinite
	}
	_, most := timing.WaitOf(t)
	return most/wait + 1
}

func newFans(t *flat.Table, tracked *data.Tracked) *fans {
	f := &fans{counted: map[*ir.Do][]group{}, retries: map[*ir.State]map[*ir.Arm]sharedRetry{}, beyond: map[*ir.Arm]int64{}, retried: map[*ir.Do]bool{}}
	for _, d := range t.Machine.Dos {
		if d.Fan == nil || d.Fan.Most == 0 {
			continue
		}
		most := int64(0)
		for in := range t.Inputs(d.State) {
			for _, c := range in.Choices {
				if in.Do == d && c.Arm != nil && c.Arm.Kind == ir.Stay && assignsHeld(c.Arm.Block, tracked) {
					most = max(most, toTellApart(d, c.Arm.Block, tracked))
				}
			}
		}
		f.counted[d] = groupsOf(d, most, tracked)
		for _, a := range t.Retries(d) {
			if a.Max == nil || *a.Max > 0 {
				f.retried[d] = true
				f.share(t, d.State, a, !assignsHeld(a.Block, tracked) && !flat.CountsBeyondVisit(a))
			}
		}
	}
	return f
}

// enough is up to how many open elements are told apart where no number of them matters.
const enough = data.MaxHeldElements + 1

// toTellApart is up to how many open elements of d are told apart, for the effects of b
// with which one ends.
func toTellApart(d *ir.Do, b *ir.Block, tracked *data.Tracked) int64 {
	for _, a := range b.Assigns {
		if e := flat.EffectOf(a, flat.Declared); !tracked.FewOpen && tracked.Vars[a.Var].IsHeld() && a.Value != nil && e.Value == nil && e.Clamp == nil {
			return d.Fan.Most
		}
	}
	return min(d.Fan.Most, enough)
}

// share notes that elements make the retry a in leaf.
func (f *fans) share(t *flat.Table, leaf *ir.State, a *ir.Arm, open bool) {
	r := sharedRetry{open: open}
	for i, d := range leaf.Dos {
		if slices.Contains(t.Retries(d), a) {
			r.places = append(r.places, i)
			r.makes = append(r.makes, mayMake(a, f.counted[d]))
			_, most := d.Elements()
			r.most = graph.Sum(r.most, graph.Times(RetriesIn(d, a), most))
		}
	}
	if f.retries[leaf] == nil {
		f.retries[leaf] = map[*ir.Arm]sharedRetry{}
	}
	if r.most == graph.Infinite && a.Max == nil {
		return
	}
	r.timed = a.Max == nil
	f.retries[leaf][a] = r
	f.beyond[a] = max(f.beyond[a], r.most)
}

// countsRetriesOf reports whether a retry of the visit is counted that the elements of the
// do at place i of leaf make.
func (f *fans) countsRetriesOf(leaf *ir.State, i int) bool {
	if leaf.Dos[i].Fan == nil {
		return false
	}
	for a, r := range f.retries[leaf] {
		if !r.open && !r.timed && !flat.CountsBeyondVisit(a) && slices.Contains(r.places, i) {
			return true
		}
	}
	return false
}

// mostOf is how often a may be taken until its counter, which outlives visits, is used up.
func (f *fans) mostOf(a *ir.Arm) int64 { return max(*a.Max, f.beyond[a]) }

// assignsHeld reports whether b assigns something that a configuration holds.
func assignsHeld(b *ir.Block, tracked *data.Tracked) bool {
	return b != nil && slices.ContainsFunc(b.Assigns, func(a *ir.Assign) bool { return tracked.Vars[a.Var].IsHeld() })
}

// fanCode is a fan-out of a leaf made ready.
type fanCode struct {
	place int
	do    *ir.Do
	read  func(*Step) // the list, where that may be unset; else nil
}

// Elements is how many elements a fan-out begins with.
type Elements struct {
	Place       int // of its do in the leaf
	Least, Most int64
}

// countElements reads the lists of the fan-outs of the leaf that is entered, and chooses
// what is not known of their lengths.
func (s *Step) countElements(code *StateCode) {
	for _, f := range code.fans {
		if f.read != nil {
			if f.read(s); s.Failed() {
				return
			}
		}
		s.Foot.reads(s.Program.Tracked.Vars[f.do.Fan.List])
		e := Elements{Place: f.place}
		e.Least, e.Most = s.Program.Tracked.Elements(f.do.Fan, s.Next)
		visit := &s.Program.Packing.Visits[f.do.State.ID]
		switch list := visit.open[f.place]; {
		case e.Least == e.Most:
		case len(list) > 0:
			s.Guess = true
			most := e.Most
			if last := list[len(list)-1]; last.enough > 0 && (len(list) == 1 || visit.begun[f.place].Mask == 0) {
				most = max(min(most, last.from+last.enough), e.Least)
			}
			n := e.Least + int64(s.Oracle.Choose(int(most-e.Least)+1))
			if e.Least = n; n < most {
				e.Most = n
			}
		case e.Least == 0:
			s.Guess = true
			if s.Oracle.Choose(2) == 0 {
				e.Least = 1
			} else {
				e.Most = 0
			}
		}
		s.Begun = append(s.Begun, e)
	}
}

// beginElements begins the visit to leaf with those elements.
func (s *Step) beginElements(leaf *ir.State) {
	v := &s.Program.Packing.Visits[leaf.ID]
	for _, e := range s.Begun {
		if v.begun[e.Place].Mask != 0 {
			v.begun[e.Place].Set(s.Next, uint64(e.Most))
		}
		switch {
		case v.Counts(e.Place):
			for i := range v.open[e.Place] {
				g := &v.open[e.Place][i]
				g.open.Set(s.Next, uint64(min(g.within(e.Least), g.most())))
			}
		case e.Most == 0:
			v.End(s.Next, e.Place)
		}
	}
}

// EndOne notes that the do at place i of the leaf has ended; of elements that are counted,
// that one has.
func (s *Step) EndOne(i int) {
	v := &s.Program.Packing.Visits[s.From.ID]
	if !v.Counts(i) {
		v.End(s.Next, i)
		return
	}
	g := s.groupOf(i)
	n := g.open.Get(s.Next)
	if int64(n) == g.enough {
		if s.Guess = true; s.Oracle.Choose(2) == 1 {
			s.OneLess = true
			return
		}
	}
	g.open.Set(s.Next, n-1)
}

// usedUpByElement reports whether the element at hand has used up the retries of c.
func (s *Step) usedUpByElement(c *ChoiceCode) bool {
	made := int64(0)
	if !c.retry.open {
		made = int64(c.Counter.Get(s.Next))
	}
	switch {
	case c.retry.open:
	case made < int64(c.Max):
		return false
	case made >= s.allRetries(c):
		s.UsedUp = append(s.UsedUp, c)
		return true
	default:
		s.Guess = true
	}
	if s.Oracle.Choose(2) == 0 {
		return false
	}
	s.UsedUp = append(s.UsedUp, c)
	return true
}

// allRetries is how often the elements of the visit can make the retry of c together.
func (s *Step) allRetries(c *ChoiceCode) int64 {
	v := &s.Program.Packing.Visits[s.From.ID]
	total := int64(0)
	for k, i := range c.retry.places {
		switch {
		case v.begun[i].Mask != 0:
			total = graph.Sum(total, graph.Times(int64(c.Max), v.makers(s.Here, i, c.retry.makes[k])))
		case s.From.Dos[i].Fan == nil:
			total = graph.Sum(total, int64(c.Max))
		default:
			return c.retry.most
		}
	}
	return total
}

// OpenRetry reports whether a is a retry in leaf of the elements of a fan-out that changes
// nothing, so that configurations do not count it.
func (p *Packing) OpenRetry(leaf *ir.State, a *ir.Arm) bool { return p.Visits[leaf.ID].retries[a].open }

// CountedOnEntering reports whether what a counts for in leaf counts where a visit begins.
func (p *Packing) CountedOnEntering(leaf *ir.State, a *ir.Arm) bool {
	r := p.Visits[leaf.ID].retries[a]
	return r.open || r.timed
}

// CountsOnEntering is CountedOnEntering of the retry of c.
func (c *ChoiceCode) CountsOnEntering() bool { return c.retry.open || c.retry.timed }
