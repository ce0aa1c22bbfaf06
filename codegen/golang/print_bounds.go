package golang

import (
	"math/big"
	"strings"
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
	add := func(name string, of ir.Bound, value func(*big.Rat) (code, text string)) {
		c := boundPlan{Name: p.declare(m.Name+name, at), Note: "no bound: " + of.Why}
		if of.Most != nil {
			c.Note = "at most"
			if of.Exact {
				c.Note = "some run takes that many"
			}
			var text string
			if c.Value, text = value(of.Most); text != "" {
				c.Note = strings.Replace(c.Note, "that many", "that long", 1) + ": " + text
			}
		}
		m.Bounds = append(m.Bounds, c)
	}
	number := func(r *big.Rat) (code, text string) { return ir.DecimalText(r), "" }
	add("MaxSteps", b.Steps, number)
	add("MaxTime", b.Time, timeBound)
	for _, c := range b.Costs {
		add("MaxCost"+exported(c.Name), c, number)
	}
	for _, a := range b.Attempts {
		add("MaxAttempts"+pathName(a.Name), a, number)
	}
}

// timeBound is a number of nanoseconds as Go, and as people read it; the longest duration where it is
// more.
func timeBound(r *big.Rat) (code, text string) {
	whole := new(big.Int).Quo(r.Num(), r.Denom())
	if !whole.IsInt64() {
		return "time.Duration(1<<63 - 1)", "more than 290 years"
	}
	code, _ = durationLiteral(whole.Int64())
	return code, time.Duration(whole.Int64()).String()
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
