package check

import (
	"fmt"
	"math/big"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/lifetime"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// upperBounds is the worst case past the limit: upper bounds from the control
// graph, printed "at most".
func (s *shared) upperBounds() *Worst {
	c, m := s.Control(), s.Machine
	entries := c.Entries()
	attempts, factors := make([]int64, len(m.Activities)), make([][]string, len(m.Activities))
	steps := int64(-1) // the start is none
	for _, state := range m.States {
		steps = addUp(steps, entries[state.ID])
	}
	stepFactors := []string{counted(max(steps, 0), "move")}
	for _, d := range m.Dos {
		visits, at := entries[d.State.ID], d.Activity.Index
		_, elements := d.Elements()
		firsts, again := graph.Times(visits, elements), timing.MostRetries(c.Table, d)
		retries := graph.Times(firsts, again)
		steps = addUp(steps, retries)
		attempts[at] = addUp(attempts[at], addUp(firsts, retries))
		if visits > 0 {
			factors[at] = append(factors[at], fmt.Sprintf("%s x %s%s of %s",
				counted(graph.Sum(1, again), wordFor(d.Activity)), timesElements(d, elements), counted(visits, "visit"), d.State.Path))
		}
		if retries > 0 {
			stepFactors = append(stepFactors, fmt.Sprintf("%d retries of %s", retries, d.Activity.Name))
		}
	}
	w := &Worst{Steps: upperFigure("steps", steps, stepFactors), Time: s.upperTime(entries)}
	for _, a := range m.Activities {
		f := upperFigure(a.Name, attempts[a.Index], factors[a.Index])
		f.Called = a.Machine != nil
		w.Activities = append(w.Activities, f)
	}
	for _, name := range s.costNames() {
		w.Costs = append(w.Costs, s.upperWhole(name, measure{ofCost, name}, attempts, Figure{Amount: new(big.Rat)}))
	}
	if s.calls() {
		w.Tree = &Tree{
			Steps: s.upperWhole("steps of the tree", measure{kind: ofSteps}, attempts, w.Steps),
			Runs:  s.upperWhole("runs of the tree", measure{kind: ofRuns}, attempts, Figure{Amount: one(), Factors: "1 run of " + m.Name}),
		}
		for _, name := range s.attemptNames() {
			w.Tree.Attempts = append(w.Tree.Attempts, s.upperWhole(name, measure{ofAttempts, name}, attempts, Figure{Amount: new(big.Rat)}))
		}
	}
	for _, f := range w.figures() {
		if f.Amount == nil {
			w.Unbounded = append(w.Unbounded, Endless{What: f.Name, Why: s.whyNoUpper(f, attempts)})
		}
	}
	return w
}

// upperTime adds up what the visits of all leaves may last: each so long as one may where neither
// values nor counters are told apart, or the whole run, where that has an end by its timers.
func (s *shared) upperTime(entries []int64) Figure {
	f := Figure{Name: "time"}
	p := explore.TryLoosest(s.Table(), s.loosest(), true)
	if p == nil {
		return f
	}
	of, n := p.Components()
	t := lifetime.New(p, of, n)
	longest, factors := t.Longest[0], timeFactors(t.Parts())
	visits, all := map[int][]int64{}, int64(0)
	var terms []string
	for _, leaf := range s.Leaves() {
		if visits[leaf.Depth] == nil {
			visits[leaf.Depth] = lifetime.Visits(p, leaf.Depth)
		}
		switch each, times := visits[leaf.Depth][leaf.ID], entries[leaf.ID]; {
		case times == graph.Infinite: // though each may take no time
			all = graph.Infinite
		case each > 0 && times > 0:
			all = graph.Sum(all, graph.Times(each, times))
			terms = append(terms, fmt.Sprintf("%s of %s x %s", counted(times, "visit"), leaf.Path, ir.FormatDuration(each)))
		}
	}
	if all < longest {
		longest, factors = all, sum(terms)
	}
	if longest != graph.Infinite {
		f.Amount, f.Factors = new(big.Rat).SetInt64(longest), factors
	}
	return f
}

// addUp is a + b, where a may be -1.
func addUp(a, b int64) int64 {
	if a < 0 {
		if b == graph.Infinite {
			return b
		}
		return a + b
	}
	return graph.Sum(a, b)
}

func upperFigure(name string, amount int64, factors []string) Figure {
	f := Figure{Name: name}
	if amount != graph.Infinite {
		f.Amount = new(big.Rat).SetInt64(max(amount, 0))
		f.Factors = sum(factors)
	}
	return f
}

// upperWhole adds up what so many attempts of each activity count for in a measure, beside
// own, which is what the run itself does.
func (s *shared) upperWhole(name string, of measure, attempts []int64, own Figure) Figure {
	f := Figure{Name: name, measure: of}
	if own.Amount == nil {
		return f
	}
	f.Amount = new(big.Rat).Set(own.Amount)
	var terms []string
	if own.Factors != "" {
		terms = append(terms, own.Factors)
	}
	for i, a := range s.Machine.Activities {
		each := s.each(a, of)
		if attempts[i] == 0 || each != nil && each.Sign() == 0 {
			continue
		}
		if each == nil || attempts[i] == graph.Infinite {
			return Figure{Name: name, measure: of}
		}
		f.Amount.Add(f.Amount, new(big.Rat).Mul(each, new(big.Rat).SetInt64(attempts[i])))
		terms = append(terms, costTerm(attempts[i], a, each))
	}
	f.Factors = sum(terms)
	return f
}

// whyNoUpper says why f has no bound.
func (s *shared) whyNoUpper(f *Figure, attempts []int64) string {
	for i, a := range s.Machine.Activities {
		if attempts[i] > 0 && a.Machine != nil && s.each(a, f.measure) == nil {
			return s.whyEndless(a, s.figureOf(a, f.measure))
		}
	}
	return "past the limit of configurations, the control graph alone gives no bound"
}
