package product

import (
	"fmt"
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
}

// node is a pair of runs that have done the same.
type node struct {
	old, new *machine.Snapshot
	at       time.Time
	from     int // the node before; -1 for the start
	by       arrival
	answers  map[string]bool
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
	s := &search{
		old: a, new: b, path: path, known: messages(old, new), values: newValues(old, new), limit: limit,
		seen: map[string]bool{}, told: map[string]bool{},
	}
	s.idle = idleFields(old, new, s.values)
	s.result.Whole = true
	start := node{old: a.x.NewSnapshot("r", 1), new: b.x.NewSnapshot("r", 1), at: epoch, from: -1}
	s.nodes = append(s.nodes, start)
	for i := 0; i < len(s.nodes); i++ {
		if len(s.nodes) > limit || len(s.result.Differences) == maxDifferences {
			s.result.Whole = false
			break
		}
		for _, in := range s.arrivals(&s.nodes[i]) {
			s.answered(i, in)
		}
	}
	s.result.Pairs = len(s.nodes)
	return &s.result, nil
}

// answered takes in at node i once for each way in which host guards can answer.
func (s *search) answered(i int, in arrival) {
	answers := map[string]bool{}
	for {
		v := &verdicts{of: clone(answers)}
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
	if text := s.differ(n, &old, &new); text != "" {
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
	s.nodes = append(s.nodes, node{old: old.next, new: new.next, at: in.at, from: i, by: in, answers: clone(v.of)})
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

func clone(m map[string]bool) map[string]bool {
	out := make(map[string]bool, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
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
