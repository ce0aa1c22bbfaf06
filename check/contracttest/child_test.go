package contracttest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Child is a machine that is called. Its runs end in one of its terminals, whatever they are
// given, and each of them can make all its attempts before.
type Child struct {
	Terminals []string
	Least     []int // by terminal: how many seconds after its start a run ends there at the earliest
	Retries   int
	Cost      int // of one attempt
}

// Most is the most that a run of c costs.
func (c *Child) Most() int { return c.Cost * (c.Retries + 1) }

// Text is the machine.
func (c *Child) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, `machine Child {
    event Go { v int 0..9 }
    event Paid
    activity pay() -> Paid cost tokens %d
    initial Pay
    state Pay {
        do pay()
        on Paid -> Choose
        on failed retry %d backoff 1s..1s jitter 0
            else -> Choose
    }
    state Choose {
`, c.Cost, c.Retries)
	for i := range c.Terminals {
		name := c.way(i)
		switch {
		case len(c.Terminals) == 1:
			fmt.Fprintf(&b, "        on Go -> %s\n", name)
		case i == 0:
			fmt.Fprintf(&b, "        on Go when event.v == 0 -> %s\n", name)
		case i < len(c.Terminals)-1:
			fmt.Fprintf(&b, "            else when event.v == %d -> %s\n", i, name)
		default:
			fmt.Fprintf(&b, "            else -> %s\n", name)
		}
	}
	b.WriteString("    }\n")
	for i, name := range c.Terminals {
		if c.Least[i] > 0 {
			fmt.Fprintf(&b, "    state %s { after %ds -> %s }\n", c.way(i), c.Least[i], name)
		}
		fmt.Fprintf(&b, "    terminal %s\n", name)
	}
	return b.String() + "}\n"
}

// way is the state with which the way to a terminal begins.
func (c *Child) way(i int) string {
	if c.Least[i] == 0 {
		return c.Terminals[i]
	}
	return fmt.Sprintf("H%d", i)
}

// mayEnd says whether a run of the machine that t calls may end in terminal i now: it has run long
// enough. Where no worker runs, that may be after its timeout.
func (s *Space) mayEnd(c *config, t task, i int) bool {
	k := c.clock(ofAttempt, t.at*4+3)
	return k == nil || k.atLeast(s.m.scale*t.do.Act.Child.Least[i])
}

// Call makes one activity of m, which raises events that carry nothing, a machine that m
// calls. It is false where m has none, and where m declares failures, with which no machine
// ends.
func (m *Machine) Call(r *rand.Rand) bool {
	if len(m.Failures) > 0 {
		return false
	}
	m.link()
	for i, a := range m.Acts {
		var dos []*Do
		for _, s := range m.states {
			for _, d := range s.Dos {
				if d.Act == a {
					dos = append(dos, d)
				}
			}
		}
		carries := func(e *Event) bool { return len(e.Fields) > 0 }
		if len(dos) == 0 || len(a.Events) == 0 || slices.ContainsFunc(a.Events, carries) {
			continue
		}
		a.Child = &Child{Retries: 1 + r.IntN(2), Cost: 1 + r.IntN(9)}
		a.Name, a.Fails, a.Costs = "Child", []string{"cancelled"}, []int{a.Child.Most(), 0}
		for i, e := range a.Events {
			a.Child.Terminals, a.Child.Least = append(a.Child.Terminals, fmt.Sprintf("T%d", i)), append(a.Child.Least, max(0, r.IntN(7)-3))
			e.Name, e.Exit = "Child."+a.Child.Terminals[i], a.Child.Terminals[i]
		}
		for _, d := range dos {
			d.Heartbeat, d.Progress = 0, 0
		}
		m.Acts = append(slices.Delete(m.Acts, i, i+1), a) // behind what m declares
		return true
	}
	return false
}

// Called is the machine that m calls; nil for none.
func (m *Machine) Called() *Child {
	for _, a := range m.Acts {
		if a.Child != nil {
			return a.Child
		}
	}
	return nil
}
