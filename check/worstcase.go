package check

import (
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/lifetime"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Worst is the worst case of a machine: the most that any run can take. A figure
// is reached by a run, and says so with Exact, or it is an upper bound. Time is
// always an upper bound.
type Worst struct {
	Steps      Figure // moves and retries
	Time       Figure // nanoseconds
	Costs      []Figure
	Activities []Figure // attempts of each, in the order of their declarations; runs, of a machine that is called
	Tree       *Tree    // with what it calls; nil of a machine that calls none
	Unbounded  []Endless
	Visits     []Visit // of each leaf and composite; only where they are asked for

	still *explore.Weigher // that counts nothing
}

// Figure is one figure of the worst case.
type Figure struct {
	Name    string           // "steps", "time", or that of a cost or an activity
	Amount  *big.Rat         // nil where there is no bound
	Exact   bool             // some run reaches it
	Factors string           // what it is made of: "3 attempts x 4 visits"; empty where it is 0 or has no bound
	Shares  []string         // of a cost: the attempts in Run of each activity, in the order of their declarations: "refund 3"; empty where it has no part
	Run     *witness.Witness // that reaches it, or comes near; see Short; nil where there is none to show
	Called  bool             // of an activity: it is a machine that is called, whose runs are counted
	Held    bool             // of a cost, or time: runs are held to its budget, and over_budget is taken wherever it may come
	Leave   bool             // of a cost: runs are held to its budget, but over_budget is not taken everywhere, so that one passes it only if an operator allows it
	past    bool             // Held, and over the budget: no attempt of a run that costs what is declared begins past it

	Least *big.Rat // that Run takes, where it is less than Amount; else nil

	path    []int32          // of the product, that reaches it
	weight  *explore.Weigher // what it adds up; nil for time
	measure measure          // what it counts of machines that are called
	lasts   time.Duration    // Run, with what the machines last that it calls
	length  int64            // of path, by weight
	shown   bool             // whether Run and what is read off it are there

	soughtSure bool // a path without guesses has been looked for
}

// Endless is why a figure has no bound.
type Endless struct {
	What string // the name of the figure
	Why  string // a clause: "Idle waits for StartReview with no timer"
}

// Bounds computes the worst case of m, telling apart at most limit
// configurations; past it the figures are upper bounds. It is nil for a machine
// that is broken.
func Bounds(m *ir.Machine, limit int) *Worst {
	s := newSession([]*ir.Machine{m}, nil, limit)
	s.bounds, s.runs = true, true
	return s.of(m).worst
}

// bounds is the whole worst case; where shown is set, with the runs that reach it.
func (s *shared) bounds(shown bool) *Worst {
	if s.Machine.Broken || s.Machine.Incomplete || s.Machine.Root.Leaf() == nil {
		return nil
	}
	w := s.Amounts()
	if p := s.Product(); p != nil {
		t := s.meter(p, w)
		t.activities()
		t.tree()
		for _, f := range w.figures() {
			if shown {
				s.Show(f)
			}
		}
	}
	return w
}

// dropRuns takes the runs away that reach figures.
func (w *Worst) dropRuns() {
	for _, f := range w.figures() {
		f.Run = nil
	}
}

// figures are those of w that a run may reach.
func (w *Worst) figures() []*Figure {
	list := []*Figure{&w.Steps, &w.Time}
	add := func(figures []Figure) {
		for i := range figures {
			list = append(list, &figures[i])
		}
	}
	add(w.Costs)
	add(w.Activities)
	if w.Tree != nil {
		list = append(list, &w.Tree.Steps, &w.Tree.Runs)
		add(w.Tree.Attempts)
	}
	return list
}

// Amounts is the worst case as far as rules ask for it, without the attempts of
// each activity. Whether a figure is exact, the run that reaches it and its factors
// are there once it was shown: to write a run out takes longer than to find the
// amounts of most machines.
func (s *shared) Amounts() *Worst {
	if s.proof.worst == nil {
		if p := s.Product(); p != nil {
			s.proof.worst = &Worst{}
			s.meter(p, s.proof.worst).amounts()
		} else {
			s.proof.worst = s.upperBounds()
		}
	}
	return s.proof.worst
}

// meter measures the product.
type meter struct {
	s   *shared
	p   *explore.Product
	of  []int32
	n   int
	out *Worst

	upper func() *Worst // what the control graph says, if by that no cycle has no end; else nil
}

func (s *shared) meter(p *explore.Product, w *Worst) *meter {
	of, n := p.Components()
	return &meter{s: s, p: p, of: of, n: n, out: w, upper: sync.OnceValue(func() *Worst {
		if !s.Bounded() {
			return nil
		}
		return s.upperBounds()
	})}
}

func (t *meter) amounts() {
	t.out.Steps = t.orUpper(t.figure("steps", t.p.Weigh(1, nothing), big.NewRat(1, 1)), func(w *Worst) Figure { return w.Steps })
	t.out.Time = t.orUpper(t.time(), func(w *Worst) Figure { return w.Time })
	for i, name := range t.s.costNames() {
		t.out.Costs = append(t.out.Costs, t.orUpper(t.cost(name), func(w *Worst) Figure { return w.Costs[i] }))
	}
}

func (t *meter) activities() {
	for _, a := range t.p.Table.Machine.Activities[len(t.out.Activities):] {
		f := t.orUpper(t.figure(a.Name, attempts(t.p, a), big.NewRat(1, 1)), func(w *Worst) Figure { return w.Activities[a.Index] })
		f.Called = a.Machine != nil
		t.out.Activities = append(t.out.Activities, f)
	}
}

// orUpper is f, or where that has no end the figure of upper: the data that ends a cycle may be
// followed nowhere.
func (t *meter) orUpper(f Figure, of func(*Worst) Figure) Figure {
	if f.Amount != nil || t.upper() == nil {
		return f
	}
	upper := of(t.upper())
	if upper.Amount == nil {
		return f
	}
	t.out.Unbounded = slices.DeleteFunc(t.out.Unbounded, func(u Endless) bool { return u.What == f.Name })
	upper.shown = true
	return upper
}

// Bounded reports whether by the control graph no cycle can be taken without end, but over edges
// that say `unbounded`. A machine that calls others has figures of the tree, of which that graph
// knows nothing.
func (s *shared) Bounded() bool { return !s.calls() && len(s.Control().Loops()) == 0 }

// Unmarked lets the edges of the product pass that do not say `unbounded`. Nor may it be known of
// the control graph that time ends them: the product does not always tell times apart.
func (s *shared) Unmarked(from, e int32) bool {
	p := s.Product()
	if !p.Unmarked(from, e) {
		return false
	}
	in, _ := p.Input(e)
	leaf, l := p.Leaf(from), p.Label(e)
	return leaf == nil || l.Kind != explore.Moved || in.Kind != ir.CaseTimer && in.Kind != ir.CaseFailure ||
		!s.Control().Ends(int32(leaf.ID), l.Into, l.Input, p.Arm(e))
}

// nothing counts no attempt of any activity.
func nothing(*ir.Activity) int64 { return 0 }

// attempts counts the attempts of a.
func attempts(p *explore.Product, a *ir.Activity) *explore.Weigher {
	return p.Weigh(0, func(b *ir.Activity) int64 {
		if a == b {
			return 1
		}
		return 0
	})
}

// figure measures one figure. Weights are whole numbers of unit.
func (t *meter) figure(name string, w *explore.Weigher, unit *big.Rat) Figure {
	longest := graph.NewLongest(&t.p.Graph, t.of, t.n, w.Of)
	f := Figure{Name: name, weight: w}
	length := longest.Length(0)
	if length == graph.Infinite {
		t.out.Unbounded = append(t.out.Unbounded, Endless{What: name, Why: t.cycle(w)})
		return f
	}
	f.Amount = new(big.Rat).Mul(new(big.Rat).SetInt64(length), unit)
	f.path, f.length = longest.Path(0), length
	return f
}

// cost measures a cost.
func (t *meter) cost(name string) Figure {
	of := measure{ofCost, name}
	if !t.p.TakesOverBudget(name) {
		f := t.whole(name, of)
		f.Leave = slices.Contains(t.p.Table.Held(), name) && f.Amount != nil && f.Amount.Cmp(t.budget(name)) > 0
		return f
	}
	amounts, w, unit := t.weigh(of)
	return t.held(name, amounts, w, unit)
}

func (t *meter) time() Figure {
	f := Figure{Name: timeName, Held: t.p.TakesOverBudget(timeName)}
	times := lifetime.New(t.p, t.of, t.n)
	if times.Longest[0] == graph.Infinite {
		t.out.Unbounded = append(t.out.Unbounded, Endless{What: "time", Why: t.endlessTime(times)})
		return f
	}
	f.Amount = new(big.Rat).SetInt64(times.Longest[0])
	f.path, f.Factors = times.Path(), timeFactors(times.Parts())
	return f
}

// Why says why the figure called name has no bound; empty where it has one.
func (w *Worst) Why(name string) string {
	for _, u := range w.Unbounded {
		if u.What == name {
			return u.Why
		}
	}
	return ""
}

// timeName is the name of the figure that is an upper bound by its nature.
const timeName = ir.BudgetTime
