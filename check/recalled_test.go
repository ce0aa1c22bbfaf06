package check_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Machines whose guards compare what no configuration holds: parameters and fields of
// strings, or of numbers of which there are too many. All of their runs are gone
// through, with few values, and what the checker says that no run does is held against
// that.

// comparing is a machine with values for its data: parameters first, then fields. Of
// those the last one is a counter, where there are numbers.
type comparing struct {
	names    []string
	params   int
	values   [][]int // by place among the names
	starts   []int   // of the fields
	sent     []int
	literal  func(int) string
	decls    string
	states   [][]comparedArm // by state; the last is the terminal
	literals []int
	ends     int // the place of the terminal
}

type comparedArm struct {
	told   bool // on Told, else on Go
	guard  []comparedWith
	or     bool
	to     int // -1 is reject
	set    int // the field that is set, or -1
	from   int // a place among the names, or one of these
	line   int
	before int // the line of the state
}

const (
	fromEvent = -1
	plusOne   = -2
)

type comparedWith struct {
	x, y    int // places; y beyond the names is a literal
	op      string
	literal int
}

func texts() *comparing {
	four := []int{0, 1, 2, 3, 4}
	return &comparing{
		names: []string{"p", "q", "c", "d"}, params: 2, values: [][]int{four, four, four, four}, starts: []int{0, 1}, sent: four,
		literal: func(n int) string { return fmt.Sprintf("%q", string(rune('a'+n))) }, literals: []int{0, 1},
		decls: "machine M(p string, q string) {\n context { c string = \"a\", d string = \"b\" }\n event Go\n event Told { x string }\n initial S0\n",
	}
}

func numbers() *comparing {
	few := []int{-1, 0, 1, 2, 3, 4}
	return &comparing{
		names: []string{"lo", "hi", "limit", "m", "n"}, params: 3, values: [][]int{few, few, {1, 2, 3, 5000}, few, {0, 1, 2, 3}},
		starts: []int{1, 0}, sent: few, literal: func(n int) string { return fmt.Sprint(n) }, literals: []int{0, 2},
		decls: "machine M(lo int, hi int, limit int 1..5000) {\n context { m int = 1, n int 0..3 = 0 }\n event Go\n event Told { x int }\n initial S0\n",
	}
}

func (m *comparing) counts() bool { return len(m.names) == 5 }

// write makes up the states, and writes them.
func (m *comparing) write(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(m.decls)
	line := strings.Count(m.decls, "\n")
	n := 3 + r.IntN(4)
	m.ends = n
	for s := range n {
		fmt.Fprintf(&b, " state S%d {\n", s)
		line++
		at := line
		m.states = append(m.states, nil)
		for _, told := range []bool{false, true} {
			if told && r.IntN(2) == 0 {
				continue
			}
			arms := 1 + r.IntN(3)
			for k := range arms {
				a := m.arm(r, n, told, k == arms-1)
				line++
				a.line, a.before = line, at
				b.WriteString([]string{"  ", "   else "}[min(k, 1)])
				if k == 0 {
					b.WriteString(map[bool]string{false: "on Go ", true: "on Told "}[told])
				}
				b.WriteString(m.text(a) + "\n")
				m.states[s] = append(m.states[s], a)
			}
		}
		b.WriteString(" }\n")
		line++
	}
	b.WriteString(" terminal Done\n}\n")
	m.states = append(m.states, nil)
	return b.String()
}

func (m *comparing) arm(r *rand.Rand, states int, told, last bool) comparedArm {
	a := comparedArm{told: told, to: r.IntN(states + 1), set: -1, or: r.IntN(3) == 0}
	if !last {
		for range 1 + r.IntN(2) {
			c := comparedWith{x: r.IntN(len(m.names)), y: r.IntN(len(m.names) + 1), op: []string{"==", "!="}[r.IntN(2)]}
			if m.counts() && r.IntN(2) == 0 {
				c.op = []string{"<", "<=", ">", ">="}[r.IntN(4)]
			}
			c.literal = m.literals[r.IntN(len(m.literals))]
			a.guard = append(a.guard, c)
		}
	} else if r.IntN(4) == 0 {
		a.to = -1
		return a
	}
	if r.IntN(3) == 0 {
		return a
	}
	a.set = m.params + r.IntN(len(m.names)-m.params)
	counter := m.counts() && a.set == len(m.names)-1
	switch {
	case counter && len(a.guard) > 0 && r.IntN(2) == 0:
		a.guard, a.or, a.from = append(a.guard[:1], comparedWith{x: a.set, y: len(m.names), op: "<", literal: 3}), false, plusOne
	case counter:
		a.set = -1
	case told:
		a.from = fromEvent
	default:
		a.from = r.IntN(m.params + 1)
		if a.from == a.set {
			a.from = 0
		}
	}
	return a
}

func (m *comparing) text(a comparedArm) string {
	var b strings.Builder
	for i, c := range a.guard {
		b.WriteString([]string{"when ", map[bool]string{false: " && ", true: " || "}[a.or]}[min(i, 1)])
		y := m.literal(c.literal)
		if c.y < len(m.names) {
			y = m.names[c.y]
		}
		fmt.Fprintf(&b, "%s %s %s", m.names[c.x], c.op, y)
	}
	switch {
	case a.to < 0:
		b.WriteString(" reject")
		return b.String()
	case a.to == m.ends:
		b.WriteString(" -> Done")
	default:
		fmt.Fprintf(&b, " -> S%d unbounded", a.to)
	}
	if a.set >= 0 {
		value := "event.x"
		switch {
		case a.from == plusOne:
			value = m.names[a.set] + " + 1"
		case a.from >= 0:
			value = m.names[a.from]
		}
		fmt.Fprintf(&b, " { %s = %s }", m.names[a.set], value)
	}
	return b.String()
}

func (m *comparing) holds(a *comparedArm, v []int) bool {
	if len(a.guard) == 0 {
		return true
	}
	for _, c := range a.guard {
		y := c.literal
		if c.y < len(m.names) {
			y = v[c.y]
		}
		x := v[c.x]
		holds := map[string]bool{"==": x == y, "!=": x != y, "<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[c.op]
		if holds == a.or {
			return holds
		}
	}
	return !a.or
}

// comparedRun is where a run stands.
type comparedRun struct {
	state int
	data  [5]int
}

// runs goes through all runs, and gives the lines of states that are entered, of arms that
// are taken, and of states that a run enters which then reaches no end.
func (m *comparing) runs() (met, stuck map[int]bool) {
	met, stuck = map[int]bool{}, map[int]bool{}
	seen, before, ends := map[comparedRun]bool{}, map[comparedRun][]comparedRun{}, map[comparedRun]bool{}
	var work, ended []comparedRun
	reach := func(c comparedRun) {
		if !seen[c] {
			seen[c] = true
			work = append(work, c)
		}
	}
	var params func(c comparedRun, i int)
	params = func(c comparedRun, i int) {
		if i == m.params {
			copy(c.data[i:], m.starts)
			reach(c)
			return
		}
		for _, v := range m.values[i] {
			c.data[i] = v
			params(c, i+1)
		}
	}
	params(comparedRun{}, 0)
	for len(work) > 0 {
		c := work[len(work)-1]
		work = work[:len(work)-1]
		if c.state == len(m.states)-1 {
			ends[c] = true
			ended = append(ended, c)
			continue
		}
		took := [2]bool{}
		for i := range m.states[c.state] {
			a := &m.states[c.state][i]
			met[a.before] = true
			which := 0
			if a.told {
				which = 1
			}
			if took[which] || !m.holds(a, c.data[:]) {
				continue
			}
			took[which], met[a.line] = true, true
			if a.to < 0 {
				continue
			}
			next := c
			next.state = a.to
			sent := m.sent
			if a.set < 0 || a.from != fromEvent {
				sent = sent[:1]
			}
			for _, x := range sent {
				switch {
				case a.set < 0:
				case a.from == fromEvent:
					next.data[a.set] = x
				case a.from == plusOne:
					next.data[a.set] = c.data[a.set] + 1
				default:
					next.data[a.set] = c.data[a.from]
				}
				before[next] = append(before[next], c)
				reach(next)
			}
		}
	}
	for len(ended) > 0 {
		c := ended[len(ended)-1]
		ended = ended[:len(ended)-1]
		for _, b := range before[c] {
			if !ends[b] {
				ends[b] = true
				ended = append(ended, b)
			}
		}
	}
	for c := range seen {
		if !ends[c] && len(m.states[c.state]) > 0 {
			stuck[m.states[c.state][0].before] = true
		}
	}
	return met, stuck
}

// TestRecalledAgainstBruteForce: what is said of guards that compare what is not held is true.
func TestRecalledAgainstBruteForce(t *testing.T) {
	said := map[string]int{}
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 7))
		m := texts()
		if seed%3 == 0 {
			m = numbers()
		}
		src := m.write(r)
		met, stuck := m.runs()
		for _, d := range check.Run(program(t, []byte(src)), all.Rules) {
			if d.Severity == diag.Error && (d.Rule == "syntax" || d.Rule == "type-mismatch" || d.Rule == "unknown-name") {
				t.Fatalf("seed %d: %s\n%s", seed, d.Message, src)
			}
			line := d.Span.Start.Line
			said[d.Rule]++
			switch d.Rule {
			case "unreachable-state", "dead-arm":
				if met[line] {
					t.Errorf("seed %d: line %d: a run does what it says that none does: %s\n%s", seed, line, d.Message, src)
				}
			case "no-way-to-finish":
				if !stuck[line] && !m.counts() { // of numbers it takes more than are gone through
					t.Errorf("seed %d: line %d: no run does what it says: %s\n%s", seed, line, d.Message, src)
				}
			}
		}
		if t.Failed() {
			return
		}
	}
	for _, rule := range []string{"unreachable-state", "dead-arm", "no-way-to-finish"} {
		if said[rule] == 0 {
			t.Errorf("no machine has a finding of %s", rule)
		}
	}
	t.Logf("%v", said)
}
