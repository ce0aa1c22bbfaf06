package product

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// maxDifferences is the most differences of two machines that are told.
const maxDifferences = 8

// maxQuestions is the most questions to host guards of one step whose answers are tried in
// all combinations.
const maxQuestions = 4

// maxDeferred is the most deferred events that a run has: the queue has no end, and what
// a longer one does a shorter one does, too.
const maxDeferred = 2

// Place is what is at fault in one of the machines: an arm, or a state.
type Place struct {
	Span  token.Span
	State *ir.State
}

// Difference is a run in which the machines do different things at its end.
type Difference struct {
	Old, New Place
	Stands   string        // the path of the old machine's state in which they do it; empty at the start
	Text     string        // what they do, as a clause
	Witness  *diag.Witness // the run, as the new machine takes it
}

// Result is what a search finds.
type Result struct {
	Differences []Difference // the shortest run first
	Whole       bool         // all pairs that can be reached with what is tried were explored
	Pairs       int          // that were explored
	// Spread: the search in the order of lengths has found nothing, and this is of another one.
	Spread bool
}

// node is a pair of runs that have done the same.
type node struct {
	old, new *machine.Snapshot
	at       time.Time
	from     int // the node before; -1 for the start
	by       arrival
	answers  map[string]bool
	kind     string // see search.kind; empty until it is asked for
}

// search explores a pair of machines.
type search struct {
	old, new *side
	path     func(string) string // of a state of the new machine, by that of the old one
	known    map[string][]string // the messages that both publish, with the fields that both know
	values   *values
	idle     map[int]int // see idleFields
	limit    int

	nodes  []node
	seen   map[string]bool
	told   map[string]bool
	result Result
}

// Explore looks for differences of old and new, in at most limit pairs of configurations.
// path gives the paths that states of old have in new. It fails where the runtime does not
// take one of the machines.
func Explore(old, new *ir.Machine, path func(string) string, limit int) (*Result, error) {
	a, err := newSide(old)
	if err != nil {
		return nil, err
	}
	b, err := newSide(new)
	if err != nil {
		return nil, err
	}
	s := begin(a, b, old, new, path, limit)
	for i := 0; i < len(s.nodes) && s.goesOn(); i++ {
		s.expand(i)
	}
	for _, last := range []bool{false, true} {
		if !s.result.Whole && len(s.result.Differences) == 0 {
			s = begin(a, b, old, new, path, limit)
			s.result.Spread = true
			s.spread(last)
		}
	}
	s.result.Pairs = len(s.nodes)
	return &s.result, nil
}

// spread looks for what a search in the order of the lengths does not reach: it goes on from a
// pair of a kind that it has gone on from least, and of those from the first, which stays near the
// start, or from the last, which goes deep. What it finds is found by the same steps, so it is as
// sure; its runs are not the shortest. It takes no more pairs than the other.
func (s *search) spread(last bool) {
	looked := map[string]int{}
	open := []int{0}
	for len(open) > 0 && s.goesOn() {
		at := 0
		for k, i := range open {
			if a, b := looked[s.kind(i)], looked[s.kind(open[at])]; a < b || a == b && last {
				at = k
			}
		}
		i := open[at]
		open = slices.Delete(open, at, at+1)
		looked[s.kind(i)]++
		before := len(s.nodes)
		s.expand(i)
		for k := before; k < len(s.nodes); k++ {
			open = append(open, k)
		}
	}
}

// kind is where a pair stands, and whether its data are equal: those that are not may be seen later.
func (s *search) kind(i int) string {
	n := &s.nodes[i]
	if n.kind == "" {
		n.kind = fmt.Sprint(s.old.leaf(n.old), " ", reflect.DeepEqual(n.old.Data, n.new.Data))
	}
	return n.kind
}

// goesOn reports whether there is more to try, and notes what is left.
func (s *search) goesOn() bool {
	goes := len(s.nodes) <= s.limit && len(s.result.Differences) < maxDifferences
	s.result.Whole = s.result.Whole && goes
	return goes
}

func (s *search) expand(i int) {
	for _, in := range s.arrivals(&s.nodes[i]) {
		s.answered(i, in)
	}
}

func begin(a, b *side, old, new *ir.Machine, path func(string) string, limit int) *search {
	s := &search{
		old: a, new: b, path: path, known: messages(old, new), values: newValues(old, new), limit: limit,
		seen: map[string]bool{}, told: map[string]bool{},
	}
	s.idle = idleFields(old, new, s.values)
	s.result.Whole = true
	start := node{old: a.x.NewSnapshot("r", 1), new: b.x.NewSnapshot("r", 1), at: epoch, from: -1}
	s.nodes = append(s.nodes, start)
	return s
}

// answered takes in at node i once for each way in which host guards can answer.
func (s *search) answered(i int, in arrival) {
	answers := map[string]bool{}
	for {
		v := &verdicts{of: maps.Clone(answers)}
		s.take(i, in, v)
		if len(v.order) > maxQuestions {
			s.result.Whole = false
			v.order = v.order[:maxQuestions]
		}
		if !following(v) {
			return
		}
		answers = v.of
	}
}

// following sets the next row of answers in binary counting, and reports whether there is
// one.
func following(v *verdicts) bool {
	for k := len(v.order) - 1; k >= 0; k-- {
		if q := v.order[k]; !v.of[q] {
			v.of[q] = true
			return true
		} else {
			delete(v.of, q)
		}
	}
	return false
}

func (s *search) take(i int, in arrival, v *verdicts) {
	n := &s.nodes[i]
	old := s.old.take(n.old, in.old, in.at, v, s.known)
	new := s.new.take(n.new, in.new, in.at, v, s.known)
	if text := s.differ(&old, &new, v); text != "" {
		s.tell(i, in, v.of, &old, &new, text)
		return
	}
	if old.next == nil || new.next == nil || old.next.Status != machine.Running || len(old.next.Kept) > maxDeferred {
		return
	}
	key := s.key(old.next, new.next, in.at)
	if s.seen[key] {
		return
	}
	s.seen[key] = true
	s.nodes = append(s.nodes, node{old: old.next, new: new.next, at: in.at, from: i, by: in, answers: maps.Clone(v.of)})
}

// tell notes a difference, unless one of the same arms is told, or where none is taken, of
// the same input in the same states.
func (s *search) tell(i int, in arrival, answers map[string]bool, old, new *outcome, text string) {
	n := &s.nodes[i]
	d := Difference{Old: s.old.place(old, n.old), New: s.new.place(new, n.new), Stands: s.old.leaf(n.old), Text: text}
	what := fmt.Sprint(old.arm, new.arm)
	if old.arm < 0 && new.arm < 0 {
		what = in.text + " in " + s.old.leaf(n.old)
	}
	if s.told[what] || len(s.result.Differences) == maxDifferences {
		return
	}
	s.told[what] = true
	d.Witness = s.witness(i, in, answers, new)
	s.result.Differences = append(s.result.Differences, d)
}

// messages are the events that both machines publish, with the fields that both know.
func messages(old, new *ir.Machine) map[string][]string {
	was := map[string]*ir.Event{}
	for b := range old.Blocks() {
		for _, p := range b.Publishes {
			was[p.Event.Name] = p.Event
		}
	}
	out := map[string][]string{}
	for b := range new.Blocks() {
		for _, p := range b.Publishes {
			e := was[p.Event.Name]
			if e == nil || out[e.Name] != nil {
				continue
			}
			out[e.Name] = []string{}
			for _, f := range e.Fields {
				if top := f.Declared(); p.Event.Has(f.Name) && !slices.Contains(out[e.Name], top) {
					out[e.Name] = append(out[e.Name], top)
				}
			}
		}
	}
	return out
}
