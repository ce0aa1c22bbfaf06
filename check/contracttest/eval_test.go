package contracttest

// chooser answers what the environment is free to answer within one step, and
// goes through all answers: run a step, then next, until that says false.
type chooser struct {
	said  []bool
	at    int
	hosts map[int]bool
}

func (c *chooser) begin() { c.at, c.hosts = 0, map[int]bool{} }

func (c *chooser) ask(host int) bool {
	if v, ok := c.hosts[host]; ok {
		return v
	}
	if c.at == len(c.said) {
		c.said = append(c.said, false)
	}
	v := c.said[c.at]
	c.at++
	c.hosts[host] = v
	return v
}

func (c *chooser) next() bool {
	for len(c.said) > 0 {
		last := len(c.said) - 1
		if !c.said[last] {
			c.said[last] = true
			return true
		}
		c.said = c.said[:last]
	}
	return false
}

// Fault is why a step cannot be computed.
type Fault struct {
	Rule string
	Line int
	Name string
}

// scope is what an expression reads.
type scope struct {
	data    []int
	event   *Event
	values  []int
	hosts   *chooser
	element int // which one says it
	line    int
	faults  *[]Fault
}

func (s *scope) truth(e *Expr) bool { return s.value(e) != 0 }

func (s *scope) value(e *Expr) int {
	arg := func(i int) int { return s.value(e.Args[i]) }
	is := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	switch e.Op {
	case "lit":
		return e.Val
	case "field":
		v := s.data[e.Field.at]
		if v == unset {
			*s.faults = append(*s.faults, Fault{"read-before-set", s.line, e.Field.Name})
			return 0
		}
		return v
	case "event":
		v := s.sent(e.Field)
		if v == unset {
			*s.faults = append(*s.faults, Fault{"read-before-set", s.line, s.event.Name + "." + e.Field.Name})
			return 0
		}
		return v
	case "item":
		v := s.look("item", e.Field)
		if v == unset {
			s.misses("item", e.Field)
			return 0
		}
		return v
	case "has":
		return is(s.look("item", e.Field) != unset)
	case "sent":
		return is(s.sent(e.Field) != unset)
	case "host":
		return is(s.hosts.ask(e.Host))
	case "isset":
		return is(s.data[e.Field.at] != unset)
	case "!":
		return is(arg(0) == 0)
	case "len":
		return arg(0)
	case "append":
		return arg(0) + 1
	case "&&", "||":
		// A fault on the left ends it: the right side is not reached.
		n := len(*s.faults)
		l := arg(0)
		if len(*s.faults) > n || (l != 0) == (e.Op == "||") {
			return is(l != 0)
		}
		return arg(1)
	}
	a, b := arg(0), arg(1)
	switch e.Op {
	case "==":
		return is(a == b)
	case "!=":
		return is(a != b)
	case "<":
		return is(a < b)
	case "<=":
		return is(a <= b)
	case ">":
		return is(a > b)
	case ">=":
		return is(a >= b)
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "min":
		return min(a, b)
	case "max":
		return max(a, b)
	}
	panic("no operator " + e.Op)
}

// sent is the value of a field of the event.
func (s *scope) sent(field *Field) int {
	for i, f := range s.event.Fields {
		if f.Name == field.Name {
			return s.values[i]
		}
	}
	panic("no field " + field.Name)
}

// absent reports whether e is a whole right side that is unset there, and may be, since it
// is declared so, as its place to can be.
func (s *scope) absent(e *Expr, to *Field) bool {
	switch {
	case e.Field == nil || e.Op != "field" && e.Op != "event" && e.Op != "item" || !e.Field.optional() && !to.optional():
		return false
	}
	return s.look(e.Op, e.Field) == unset
}

// perform does all effects of a block at once.
func (s *scope) perform(block []*Effect) {
	if block == nil || len(*s.faults) > 0 {
		return
	}
	after := append([]int(nil), s.data...)
	for _, e := range block {
		s.effect(e, after)
	}
	for _, e := range block { // what a place needs around it is looked at last
		s.needs(block, e)
	}
	s.data = after
}

// effect does e, which reads the data as they were.
func (s *scope) effect(e *Effect, after []int) {
	if e.Record != nil {
		s.assign(e, after)
		return
	}
	if e.Value == nil || e.Field.mayUnset() && s.absent(e.Value, e.Field) {
		after[e.Field.at] = unset
		return
	}
	s.line = e.line
	n := len(*s.faults)
	v := s.value(e.Value)
	if len(*s.faults) > n {
		return
	}
	if v < e.Field.Lo || v > e.Field.Hi {
		*s.faults = append(*s.faults, Fault{"out-of-range", e.line, e.Field.Name})
		return
	}
	after[e.Field.at] = v
}
