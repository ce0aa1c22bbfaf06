package check

import (
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// factors is the chain of factors of a's attempts on the run that reaches them:
// attempts in each visit, times visits of states that run a.
func factors(p *explore.Product, a *ir.Activity, f Figure) string {
	if f.Amount == nil || !f.Amount.IsInt() || f.Run == nil {
		return ""
	}
	total := f.Amount.Num().Int64()
	visits := int64(0)
	counts := attempts(p, a)
	for _, e := range f.path {
		if p.Label(e).Kind != explore.Retried {
			visits += counts.Of(0, e)
		}
	}
	if visits <= 1 || total%visits != 0 || total == visits {
		return ""
	}
	return fmt.Sprintf("%s %d = %d attempts x %d visits", a.Name, total, total/visits, visits)
}

// cycle names an arm that can be taken without end and counts for w: one that
// says so, where there is one.
func (t *meter) cycle(w *explore.Weigher) string {
	var first *ir.Arm
	counts := make([]bool, t.n)
	t.inCycles(func(c, e int32) { counts[t.of[c]] = counts[t.of[c]] || w.Of(c, e) > 0 })
	var marked *ir.Arm
	t.inCycles(func(c, e int32) {
		a := t.p.Arm(e)
		if a == nil || !counts[t.of[c]] {
			return
		}
		if first == nil && (a.Kind == ir.Goto || a.Kind == ir.Retry) {
			first = a
		}
		if marked == nil && a.Unbounded {
			marked = a
		}
	})
	if marked != nil {
		first = marked
	}
	if first == nil {
		return "the sum is over 64 bits"
	}
	return place(first.State) + ": " + quoteStep(first) + " can be taken without end"
}

// inCycles calls f with every edge within a component.
func (t *meter) inCycles(f func(c, e int32)) {
	for c := range int32(t.p.Len()) {
		for e := t.p.First[c]; e < t.p.First[c+1]; e++ {
			if t.of[c] == t.of[t.p.To[e]] {
				f(c, e)
			}
		}
	}
}

func quoteStep(a *ir.Arm) string { return "\"" + a.StepText() + "\"" }

func place(s *ir.State) string {
	if s.Path == "" {
		return "the machine"
	}
	return s.Path
}

// noTimer says what leaf has for a timer, where none bounds the wait.
func noTimer(leaf *ir.State) string {
	for s := leaf; s != nil; s = s.Parent {
		for _, timer := range s.Timers {
			if timer.Idle {
				return "no timer but one that is idle"
			}
		}
	}
	return "no timer"
}

// endlessTime says why no time can be given: the first configuration that
// itself has no end and is not capped.
func (t *meter) endlessTime(time *explore.Time) string {
	for c := range int32(t.p.Len()) {
		if time.Longest[c] != graph.Infinite || c == 0 {
			continue
		}
		leaf := t.p.Leaf(c)
		switch {
		case t.p.Waits(c):
			return place(leaf) + " waits" + waitedFor(t.p, c) + " with " + noTimer(leaf)
		case time.EndlessAttempt(leaf) != nil:
			d := time.EndlessAttempt(leaf)
			return place(leaf) + ": " + Quote(d.Activity.Name) + " has no timeout"
		}
	}
	return t.cycle(t.p.Steps())
}

// waitedFor lists the events that lead on from configuration c.
func waitedFor(p *explore.Product, c int32) string {
	var names []string
	seen := map[string]bool{}
	for _, in := range p.Inputs(c) {
		if in.Kind == ir.CaseEvent && !seen[in.Event.Name] {
			seen[in.Event.Name] = true
			names = append(names, in.Event.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " for " + strings.Join(names, ", ")
}
