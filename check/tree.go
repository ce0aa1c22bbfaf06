package check

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Tree is the worst case of a run together with those that it starts, and that these
// start. Costs and time stand in Worst, as a budget speaks of them.
type Tree struct {
	Steps    Figure
	Runs     Figure   // with the run itself
	Attempts []Figure // of each activity of the host, by the name of its machine: "CodeReview.analyze"
}

// measure is what a figure counts, of a run with all that it starts.
type measure struct {
	kind countedAs
	name string // of a cost; of an activity with its machine: "CodeReview.analyze"
}

// countedAs says what a measure counts.
type countedAs uint8

const (
	ofItself countedAs = iota // nothing that a called machine does
	ofSteps
	ofRuns
	ofCost
	ofAttempts
)

// keyOf is what an activity of the host is called in a tree.
func keyOf(m *ir.Machine, a *ir.Activity) string { return m.Name + "." + a.Name }

// of is the figure of a measure in w, the worst case of m.
func (w *Worst) of(m *ir.Machine, of measure) *Figure {
	named := func(list []Figure, name string) *Figure {
		if i := slices.IndexFunc(list, func(f Figure) bool { return f.Name == name }); i >= 0 {
			return &list[i]
		}
		return &Figure{Amount: new(big.Rat), Exact: true}
	}
	switch {
	case of.kind == ofCost:
		return named(w.Costs, of.name)
	case of.kind == ofSteps && w.Tree == nil:
		return &w.Steps
	case of.kind == ofSteps:
		return &w.Tree.Steps
	case of.kind == ofRuns && w.Tree == nil:
		return &Figure{Amount: one(), Exact: true, weight: w.still}
	case of.kind == ofRuns:
		return &w.Tree.Runs
	case w.Tree != nil:
		return named(w.Tree.Attempts, of.name)
	}
	for i, a := range m.Activities {
		if keyOf(m, a) == of.name {
			return &w.Activities[i]
		}
	}
	return named(nil, "")
}

// each is what an attempt of a counts for in a measure; nil where that has no bound.
func (s *shared) each(a *ir.Activity, of measure) *big.Rat {
	if a.Machine == nil {
		switch {
		case of.kind == ofCost:
			return costOf(a, of.name)
		case of.kind == ofAttempts && of.name == keyOf(s.Machine, a):
			return one()
		}
		return new(big.Rat)
	}
	if f := s.figureOf(a, of); f != nil {
		return f.Amount
	}
	return nil
}

// figureOf is the figure of the machine that a calls; nil where nothing is known of it.
func (s *shared) figureOf(a *ir.Activity, of measure) *Figure {
	if of.kind == ofItself {
		return &Figure{Amount: new(big.Rat), Exact: true}
	}
	return s.callees[a.Index].figure(of)
}

// costNames are the names of all costs, its own in the order in which they are declared,
// and then those of what it calls.
func (s *shared) costNames() []string {
	var names []string
	seen := map[*ir.Machine]bool{}
	for below := []*ir.Machine{s.Machine}; len(below) > 0; below = below[1:] {
		for _, a := range below[0].Activities {
			for _, c := range a.Costs {
				if !slices.Contains(names, c.Name) {
					names = append(names, c.Name)
				}
			}
			if a.Machine != nil && !seen[a.Machine] {
				seen[a.Machine] = true
				below = append(below, a.Machine)
			}
		}
	}
	return names
}

// attemptNames are the activities of the host in the tree.
func (s *shared) attemptNames() []string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, a := range s.Machine.Activities {
		if a.Machine == nil {
			add(keyOf(s.Machine, a))
		}
	}
	for _, u := range s.callees {
		switch {
		case u == nil || u.broken:
		case u.callee.proof.worst.Tree != nil:
			for _, f := range u.callee.proof.worst.Tree.Attempts {
				add(f.Name)
			}
		default:
			for _, a := range u.machine.Activities {
				add(keyOf(u.machine, a))
			}
		}
	}
	return names
}

// tree measures what runs take with all that they start.
func (t *meter) tree() {
	if !t.s.calls() {
		t.out.still = t.p.Weigh(0, nothing)
		return
	}
	t.out.Tree = &Tree{Steps: t.whole("steps of the tree", measure{kind: ofSteps}), Runs: t.whole("runs of the tree", measure{kind: ofRuns})}
	if r := &t.out.Tree.Runs; r.Amount != nil {
		r.Amount.Add(r.Amount, one())
	}
	for _, name := range t.s.attemptNames() {
		t.out.Tree.Attempts = append(t.out.Tree.Attempts, t.whole(name, measure{ofAttempts, name}))
	}
}

// whole measures one figure of the tree, exactly: amounts become whole numbers of the
// greatest unit that they all are multiples of.
func (t *meter) whole(name string, of measure) Figure {
	amounts, w, unit := t.weigh(of)
	return t.weighed(name, of, amounts, w, unit)
}

// weighed is whole for what weigh gave.
func (t *meter) weighed(name string, of measure, amounts map[*ir.Activity]*big.Rat, w *explore.Weigher, unit *big.Rat) Figure {
	unbounded := len(t.out.Unbounded)
	f := t.figure(name, w, unit)
	f.measure = of
	if f.Amount == nil {
		if why := t.endlessCallee(amounts, of); why != "" {
			t.out.Unbounded = append(t.out.Unbounded[:unbounded], Endless{What: name, Why: why})
		}
	}
	return f
}

// weigh is what attempts of each activity count for in a measure, as a weigher of whole
// numbers of unit; an activity is not among amounts where that has no bound.
func (t *meter) weigh(of measure) (amounts map[*ir.Activity]*big.Rat, w *explore.Weigher, unit *big.Rat) {
	denominator := big.NewInt(1)
	amounts = map[*ir.Activity]*big.Rat{}
	for _, a := range t.p.Table.Machine.Activities {
		amount := t.s.each(a, of)
		if amount == nil {
			continue
		}
		amounts[a] = amount
		gcd := new(big.Int).GCD(nil, nil, denominator, amount.Denom())
		denominator.Mul(denominator, new(big.Int).Div(amount.Denom(), gcd))
	}
	unit = new(big.Rat).SetFrac(big.NewInt(1), denominator)
	step := int64(0)
	if of.kind == ofSteps {
		step = 1
	}
	return amounts, t.p.Weigh(step, inUnits(amounts, unit)), unit
}

// endlessCallee names a machine that some run calls and that has no bound; empty where
// there is none.
func (t *meter) endlessCallee(amounts map[*ir.Activity]*big.Rat, of measure) string {
	for _, d := range t.p.Table.Machine.Dos {
		if _, bounded := amounts[d.Activity]; bounded {
			continue
		}
		if _, entered := t.p.Entered(d.State); entered {
			return place(d.State) + ": " + t.s.whyEndless(d.Activity, t.s.figureOf(d.Activity, of))
		}
	}
	return ""
}

// whyEndless says why f, a figure of the machine that a calls, has no bound.
func (s *shared) whyEndless(a *ir.Activity, f *Figure) string {
	u := s.callees[a.Index]
	if u.broken {
		return Quote(a.Name) + " has errors of its own"
	}
	return Quote(a.Name) + " has no bound: " + u.callee.proof.worst.Why(f.Name)
}

// treeFactors says what a figure of the tree is made of: what the run does itself, and the
// factors along the chain of calls, "4 attempts x 20 elements of files".
func (s *shared) treeFactors(f *Figure) string {
	var terms []string
	switch f.measure.kind {
	case ofSteps:
		terms = append(terms, cmp.Or(stepFactors(s.Product(), f.path), "0 of "+s.Machine.Name))
	case ofRuns:
		terms = append(terms, "1 run of "+s.Machine.Name)
	}
	made := s.attemptsOn(f.path)
	for i, a := range s.Machine.Activities {
		switch each := s.each(a, f.measure); {
		case made[i].total == 0 || each == nil || each.Sign() == 0:
		case a.Machine == nil:
			terms = append(terms, made[i].String())
		case f.measure.kind == ofAttempts:
			terms = append(terms, chain(s.figureOf(a, f.measure).Factors, made[i].String()))
		default:
			term := counted(made[i].total, "run") + " of " + a.Name
			if each.Cmp(one()) != 0 {
				term += " x " + ir.DecimalText(each)
			}
			terms = append(terms, term)
		}
	}
	return sum(terms)
}

// chain multiplies what a run of a machine does by how many runs there are: "4 attempts x 1
// visit" and "1 run x 20 elements of files" are "4 attempts x 20 elements of files".
func chain(each, runs string) string {
	each = strings.TrimSuffix(each, " x 1 visit")
	if strings.Contains(each, " + ") {
		each = "(" + each + ")"
	}
	runs = strings.TrimPrefix(strings.TrimSuffix(runs, " x 1 visit"), "1 run x ")
	if strings.Contains(runs, " + ") {
		runs = "(" + runs + ")"
	}
	if runs == "1 run" {
		return each
	}
	return each + " x " + runs
}
