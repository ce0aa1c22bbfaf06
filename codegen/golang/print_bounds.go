package golang

import (
	"math/big"

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
	add := func(name string, of ir.Bound, value func(*big.Rat) string) {
		c := boundPlan{Name: p.declare(m.Name+name, at)}
		switch {
		case of.Most == nil:
			c.Note = "no bound: " + of.Why
		case of.Exact:
			c.Value, c.Note = value(of.Most), "some run takes that many"
		default:
			c.Value, c.Note = value(of.Most), "at most"
		}
		m.Bounds = append(m.Bounds, c)
	}
	add("MaxSteps", b.Steps, ir.DecimalText)
	add("MaxTime", b.Time, timeBound)
	for _, c := range b.Costs {
		add("MaxCost"+exported(c.Name), c, ir.DecimalText)
	}
	for _, a := range b.Attempts {
		add("MaxAttempts"+pathName(a.Name), a, ir.DecimalText)
	}
}

// timeBound is a number of nanoseconds as Go; the longest duration where it is
// more.
func timeBound(r *big.Rat) string {
	whole := new(big.Int).Quo(r.Num(), r.Denom())
	if !whole.IsInt64() {
		return "time.Duration(1<<63 - 1)"
	}
	code, _ := durationLiteral(whole.Int64())
	return code
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
		p.typesUsed(b.Value)
		p.f("%s = %s // %s", b.Name, b.Value, b.Note)
	}
	p.f(")\n")
}
