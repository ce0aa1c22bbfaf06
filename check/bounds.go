package check

import (
	"math/big"

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
	Activities []Figure // attempts of each, in the order of their declarations
	Unbounded  []Endless
}

// Figure is one figure of the worst case.
type Figure struct {
	Name    string           // "steps", "time", or that of a cost or an activity
	Amount  *big.Rat         // nil where there is no bound
	Exact   bool             // some run reaches it
	Factors string           // what it is made of: "3 attempts x 4 visits"; empty where it is 0 or has no bound
	Shares  []string         // of a cost: the attempts in Run of each activity, in the order of their declarations: "refund 3"; empty where it has no part
	Run     *witness.Witness // that reaches it; nil where there is none to show
	Held    bool             // of a cost: runs are held to its budget, and over_budget is taken wherever it may come
	past    bool             // Held, and over the budget: no attempt of a run that costs what is declared begins past it

	Least *big.Rat // that Run takes, where it is less than Amount; else nil

	path   []int32          // of the product, that reaches it
	weight *explore.Weigher // what it adds up; nil for time
	length int64            // of path, by weight
	shown  bool             // whether Run and what is read off it are there

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
	return newShared(m, limit).bounds(true)
}

// bounds is the whole worst case; its runs stay where runs says so.
func (s *shared) bounds(runs bool) *Worst {
	if s.Machine.Broken || s.Machine.Incomplete || s.Machine.Root.Leaf() == nil {
		return nil
	}
	w := s.Amounts()
	if p := s.Product(); p != nil {
		newMeter(p, w).activities()
		for _, f := range w.figures() {
			if s.Show(f); !runs {
				f.Run = nil
			}
		}
	}
	return w
}

// figures are those of w that a run may reach.
func (w *Worst) figures() []*Figure {
	list := []*Figure{&w.Steps, &w.Time}
	for _, figures := range [][]Figure{w.Costs, w.Activities} {
		for i := range figures {
			list = append(list, &figures[i])
		}
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
			newMeter(p, s.proof.worst).amounts()
		} else {
			s.proof.worst = upperBounds(s.Control())
		}
	}
	return s.proof.worst
}

// meter measures the product.
type meter struct {
	p   *explore.Product
	of  []int32
	n   int
	out *Worst
}

func newMeter(p *explore.Product, w *Worst) *meter {
	of, n := p.Components()
	return &meter{p: p, of: of, n: n, out: w}
}

func (t *meter) amounts() {
	t.out.Steps = t.figure("steps", t.p.Steps(), big.NewRat(1, 1))
	t.out.Time = t.time()
	for _, name := range costNames(t.p.Table.Machine) {
		t.out.Costs = append(t.out.Costs, t.cost(name))
	}
}

func (t *meter) activities() {
	for _, a := range t.p.Table.Machine.Activities[len(t.out.Activities):] {
		t.out.Activities = append(t.out.Activities, t.figure(a.Name, attempts(t.p, a), big.NewRat(1, 1)))
	}
}

// attempts counts the attempts of a.
func attempts(p *explore.Product, a *ir.Activity) *explore.Weigher {
	return p.Attempts(func(b *ir.Activity) int64 {
		if a == b {
			return 1
		}
		return 0
	})
}

// costNames are the names of all costs, in the order in which they are declared.
func costNames(m *ir.Machine) []string {
	var names []string
	seen := map[string]bool{}
	for _, a := range m.Activities {
		for _, c := range a.Costs {
			if !seen[c.Name] {
				seen[c.Name] = true
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// figure measures one figure. Weights are whole numbers of unit.
func (t *meter) figure(name string, w *explore.Weigher, unit *big.Rat) Figure {
	longest := graph.NewLongest(&t.p.Graph, t.of, t.n, w.Of)
	f := Figure{Name: name, weight: w}
	length := longest.Length[0]
	if length == graph.Infinite {
		t.out.Unbounded = append(t.out.Unbounded, Endless{What: name, Why: t.cycle(w)})
		return f
	}
	f.Amount = new(big.Rat).Mul(new(big.Rat).SetInt64(length), unit)
	f.path, f.length = longest.Path(0), length
	return f
}

// cost measures a cost exactly: amounts become whole numbers of the greatest
// unit that they all are multiples of.
func (t *meter) cost(name string) Figure {
	denominator := big.NewInt(1)
	amounts := map[*ir.Activity]*big.Rat{}
	for _, a := range t.p.Table.Machine.Activities {
		for _, c := range a.Costs {
			if c.Name == name {
				amounts[a] = c.Amount
				gcd := new(big.Int).GCD(nil, nil, denominator, c.Amount.Denom())
				denominator.Mul(denominator, new(big.Int).Div(c.Amount.Denom(), gcd))
			}
		}
	}
	scale := new(big.Rat).SetInt(denominator)
	return t.held(name, amounts, t.p.Attempts(func(a *ir.Activity) int64 {
		if amounts[a] == nil {
			return 0
		}
		whole := new(big.Rat).Mul(amounts[a], scale).Num()
		if !whole.IsInt64() {
			return graph.Infinite
		}
		return whole.Int64()
	}), new(big.Rat).Inv(scale))
}

// held is figure for a cost. Where runs are held to its budget, and over_budget is taken
// wherever it may come, it is at most the sum of three: the budget, for no attempt begins
// past it before over_budget is taken; what stands side by side in a leaf, for that may begin
// afterwards though it is counted with the step before; and what follows over_budget.
func (t *meter) held(name string, amounts map[*ir.Activity]*big.Rat, w *explore.Weigher, unit *big.Rat) Figure {
	unbounded := len(t.out.Unbounded)
	f := t.figure(name, w, unit)
	if f.Held = t.p.TakesOverBudget(name); !f.Held {
		return f
	}
	budget := costOf(&ir.Activity{Costs: t.p.Table.Machine.Budget.Costs}, name)
	f.past = f.Amount != nil && f.Amount.Cmp(budget) > 0
	longest := graph.NewLongest(&t.p.Graph, t.of, t.n, w.Of)
	after, comes := int64(0), false
	for from := range int32(t.p.Len()) {
		for e := t.p.First[from]; e < t.p.First[from+1]; e++ {
			if t.p.IsOverBudget(e, name) {
				after, comes = max(after, graph.Sum(w.Of(from, e), longest.Length[t.p.To[e]])), true
			}
		}
	}
	if !comes || after == graph.Infinite {
		return f
	}
	beside := new(big.Rat)
	for _, s := range t.p.Table.Machine.States {
		sum := new(big.Rat)
		for _, d := range s.Dos {
			if amount := amounts[d.Activity]; amount != nil {
				sum.Add(sum, amount)
			}
		}
		if sum.Cmp(beside) > 0 {
			beside = sum
		}
	}
	follows := new(big.Rat).Mul(new(big.Rat).SetInt64(after), unit)
	most := new(big.Rat).Add(budget, beside)
	if most.Add(most, follows); f.Amount != nil && f.Amount.Cmp(most) <= 0 {
		return f
	}
	t.out.Unbounded = t.out.Unbounded[:unbounded]
	factors := ir.DecimalText(budget) + " of the budget + " + ir.DecimalText(beside) + " side by side"
	if follows.Sign() > 0 {
		factors += " + " + ir.DecimalText(follows) + " after over_budget(" + name + ")"
	}
	return Figure{Name: name, Amount: most, Factors: factors, Held: true, shown: true}
}

func (t *meter) time() Figure {
	f := Figure{Name: timeName}
	time := lifetime.New(t.p, t.of, t.n)
	if time.Longest[0] == graph.Infinite {
		t.out.Unbounded = append(t.out.Unbounded, Endless{What: "time", Why: t.endlessTime(time)})
		return f
	}
	f.Amount = new(big.Rat).SetInt64(time.Longest[0])
	f.path, f.Factors = time.Path(), timeFactors(time.Parts())
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
const timeName = "time"
