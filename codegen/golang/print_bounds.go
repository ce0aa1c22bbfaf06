package golang

import (
	"math/big"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// boundPlan is a constant that says what is proved.
type boundPlan struct {
	Name  string
	Value string // Go; empty where there is no bound
	Note  string
}

// planBounds decides the constants for what is proved of the machine.
func (m *machinePlan) planBounds(p *planner, b *ir.Bounds) {
	if b == nil {
		return
	}
	at := m.src.Span
	add := func(name string, of ir.Bound, value func(most *big.Rat, exact bool) (code, note string)) {
		c := boundPlan{Name: p.declare(m.Name+name, at), Note: "no bound: " + of.Why}
		if of.Most != nil {
			c.Value, c.Note = value(of.Most, of.Exact)
		}
		m.Bounds = append(m.Bounds, c)
	}
	add("MaxSteps", b.Steps, numberBound)
	add("MaxTime", b.Time, timeBound)
	for _, c := range b.Costs {
		add("MaxCost"+exported(c.Name), c, numberBound)
	}
	for _, a := range b.Attempts {
		add("MaxAttempts"+pathName(a.Name), a, numberBound)
	}
}

// numberBound is a bound as Go, and what a comment says of it.
func numberBound(most *big.Rat, exact bool) (code, note string) {
	if exact {
		return ir.DecimalText(most), "some run takes that many"
	}
	return ir.DecimalText(most), "at most"
}

// timeBound is numberBound of nanoseconds: the longest duration where it is more. The comment
// has it as people read it.
func timeBound(most *big.Rat, exact bool) (code, note string) {
	note = "at most: "
	if exact {
		note = "some run takes that long: "
	}
	whole := new(big.Int).Quo(most.Num(), most.Denom())
	if !whole.IsInt64() {
		return "time.Duration(1<<63 - 1)", note + "more than 290 years"
	}
	code, _ = durationLiteral(whole.Int64())
	return code, note + time.Duration(whole.Int64()).String()
}

// bounds writes what is proved of a machine, so that a program can print it.
func (p *printer) bounds(m *machinePlan) {
	if len(m.Bounds) == 0 {
		return
	}
	p.f("// What is proved of every run of %s: the most steps (moves and retries), time,", m.src.Name)
	p.f("// costs and attempts of each activity that it can take. A cost can have decimals.")
	p.f("const (")
	for _, b := range m.Bounds {
		if b.Value == "" {
			p.f("// %s: %s", b.Name, oneLine(b.Note))
			continue
		}
		p.f("%s = %s // %s", b.Name, b.Value, b.Note)
	}
	p.f(")\n")
}
