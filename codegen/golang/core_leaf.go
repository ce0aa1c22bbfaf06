package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// branch is what happens with some inputs of one kind: the labels of a case.
type branch struct {
	labels []string
	body   string
}

// grouped joins branches with one body, so that what a leaf inherits for many
// inputs is written once.
func grouped(branches []branch) []branch {
	var out []branch
	at := map[string]int{}
	for _, b := range branches {
		if i, ok := at[b.body]; ok {
			out[i].labels = append(out[i].labels, b.labels...)
			continue
		}
		at[b.body] = len(out)
		out = append(out, b)
	}
	return out
}

// choose writes a switch over on. Where always is set every value is among the
// labels, and one body needs no switch.
func choose(on string, branches []branch, always bool) string {
	branches = grouped(branches)
	if len(branches) == 1 && (always || isRest(branches[0])) {
		return branches[0].body
	}
	var b strings.Builder
	fmt.Fprintf(&b, "switch %s {\n", on)
	for _, br := range branches {
		if isRest(br) {
			b.WriteString("default:\n" + br.body)
		} else {
			fmt.Fprintf(&b, "case %s:\n%s", strings.Join(br.labels, ", "), br.body)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// rest is the label of what takes every value that is no other label.
const rest = "default"

func isRest(b branch) bool { return slices.Contains(b.labels, rest) }

// kindsOfInput is the order in which a leaf's function looks at them.
var kindsOfInput = []struct {
	kind  ir.CaseKind
	label string // after the machine's name
	on    string // what tells inputs of the kind apart; empty where there is one
}{
	{ir.CaseEvent, "InputEvent", "in.Event"},
	{ir.CaseResult, "InputResult", "in.Do"},
	{ir.CaseFailure, "InputFailure", "in.Do"},
	{ir.CaseDone, "InputDone", ""},
	{ir.CaseCancel, "InputCancel", ""},
	{ir.CaseTimer, "InputTimer", "in.Timer"},
	{ir.CaseOverBudget, "InputOverBudget", "in.Cost"},
}

// leaf writes what is done with an input in leaf; it is empty where nothing in or
// around the leaf takes any. What takes nothing goes on behind the text.
func (c *corePrinter) leaf(leaf *ir.State) string {
	cases := map[ir.CaseKind][]branch{}
	byDo := map[ir.CaseKind]map[*ir.Do][]branch{ir.CaseResult: {}, ir.CaseFailure: {}}
	for _, k := range c.m.src.Cases(leaf) {
		choices := c.m.src.Choices(leaf, k)
		if len(choices) == 0 && k.Kind != ir.CaseFailure {
			continue
		}
		b := branch{labels: []string{c.label(k)}}
		if len(choices) > 0 {
			b.body = c.fits(k) + c.arms(leaf, k, choices)
		}
		if k.Do != nil {
			byDo[k.Kind][k.Do] = append(byDo[k.Kind][k.Do], b)
		} else {
			cases[k.Kind] = append(cases[k.Kind], b)
		}
	}
	for kind, dos := range byDo {
		for _, d := range leaf.Dos {
			if inner := dos[d]; inner != nil {
				on := "in.Event"
				if kind == ir.CaseFailure {
					on, inner = "in.Category", handled(inner)
				}
				if len(inner) == 0 {
					continue
				}
				cases[kind] = append(cases[kind], branch{[]string{c.plan.Dos[d.ID].Name}, choose(on, inner, false)})
			}
		}
	}
	var b strings.Builder
	for _, kind := range kindsOfInput {
		branches := cases[kind.kind]
		if len(branches) == 0 {
			continue
		}
		body := branches[0].body
		if kind.on != "" {
			body = choose(kind.on, branches, kind.on == "in.Do" && len(leaf.Dos) == 1)
		}
		fmt.Fprintf(&b, "case %s%s:\n%s", c.m.Name, kind.label, body)
	}
	return when(b.Len() > 0, "switch in.Kind {\n"+b.String()+"}\n")
}

// handled are the branches for failures without those that nothing takes,
// unless they are needed to keep them from what takes the rest.
func handled(failures []branch) []branch {
	if slices.ContainsFunc(failures, func(b branch) bool { return isRest(b) && b.body != "" }) {
		return failures
	}
	return slices.DeleteFunc(failures, func(b branch) bool { return b.body == "" })
}

// fits writes the check of the values on which what follows relies.
func (c *corePrinter) fits(k ir.Case) string {
	if k.Event == nil {
		return ""
	}
	var b strings.Builder
	e := c.m.ev[k.Event]
	for _, f := range e.Payload.Fields {
		b.WriteString(c.m.whereSet(f.typ, "in.Data."+pathName(e.Name)+"."+f.Name, f.Optional, f.JSON, func(l ir.RecordLeaf, v, name string) string {
			check := c.checks
			if holdsText(l.Type) {
				check = c.lengths
			}
			return check(l.Type, v, func(why string) string {
				return "return 0, t.refuse(s, in, " + quote("field "+quote(name)+": "+why) + ")"
			})
		}))
	}
	return b.String()
}

// label is the constant for what tells k from others of its kind.
func (c *corePrinter) label(k ir.Case) string {
	switch k.Kind {
	case ir.CaseEvent, ir.CaseResult:
		return c.m.ev[k.Event].Const
	case ir.CaseFailure:
		if k.Category.BuiltIn && k.Category.Name == ir.Unknown {
			return rest // so is a category that the activity cannot have
		}
		return c.category(k.Category)
	case ir.CaseTimer:
		return c.plan.Timers[k.Timer.ID].Name
	case ir.CaseOverBudget:
		return quote(k.Cost)
	}
	return ""
}

// arms writes the choices for k in the order in which they are tried.
func (c *corePrinter) arms(leaf *ir.State, k ir.Case, choices []ir.Choice) string {
	var b strings.Builder
	for _, choice := range choices {
		if choice.Arm == nil {
			word, arm := "ignore", "Ignored"
			if choice.Defer {
				word, arm = "defer", "Deferred"
			}
			fmt.Fprintf(&b, "// %s %s\nreturn %sArm%s, nil\n", word, choice.Use.Event.Name, c.m.Name, arm)
			return b.String()
		}
		a := choice.Arm
		b.WriteString("// " + oneLine(a.Input()+" "+a.Text()) + "\n")
		conds := c.condition(&b, k, a)
		body := c.arm(leaf, k, a)
		if conds == "" {
			b.WriteString(body)
			return b.String()
		}
		fmt.Fprintf(&b, "if %s {\n%s}\n", conds, body)
	}
	return b.String()
}

// condition is when an arm is taken: its guard holds and its bound is not used
// up; empty for always. A guard that may fail is looked at first.
func (c *corePrinter) condition(b *strings.Builder, k ir.Case, a *ir.Arm) string {
	var conds []string
	if a.When != nil {
		x := &exprs{c: c, source: &k}
		prec := 0
		if a.Max != nil {
			prec = precAnd
		}
		cond := x.expr(a.When, prec)
		if x.fails {
			c.fallible, c.holds = true, true
			fmt.Fprintf(b, "t.holds = %s\nif t.why != \"\" {\nreturn 0, t.refuse(s, in, t.why)\n}\n", x.expr(a.When, 0))
			cond = "t.holds"
		}
		conds = append(conds, cond)
	}
	if a.Max != nil {
		conds = append(conds, fmt.Sprintf("s.Used.%s < %d", c.plan.Counters[a], *a.Max))
	}
	return strings.Join(conds, " && ")
}

// arm writes what taking a does.
func (c *corePrinter) arm(leaf *ir.State, k ir.Case, a *ir.Arm) string {
	x := &exprs{c: c, source: &k}
	var body string
	switch a.Kind {
	case ir.Goto:
		body = c.move(x, leaf, a)
	case ir.Retry:
		body = c.retry(x, a)
	case ir.Reject:
		return "return 0, t.refuse(s, in, \"the machine refuses it there\")\n"
	case ir.Stay:
		body = x.block(a.Block)
	}
	if x.fails {
		c.fallible, c.saved = true, true
		body = "t.save(s)\n" + body + "if t.why != \"\" {\nreturn 0, t.undo(s, in)\n}\n"
	}
	return body + "return " + c.plan.Arms[a.ID].Name + ", nil\n"
}

// count notes one more use of a's bound.
func (c *corePrinter) count(a *ir.Arm) string {
	name := c.plan.Counters[a]
	switch {
	case name == "":
		return ""
	case a.Max == nil:
		return fmt.Sprintf("if s.Used.%s < math.MaxInt64 {\ns.Used.%s++\n}\n", name, name)
	}
	return "s.Used." + name + "++\n"
}

// move writes a transition: exit blocks from the leaf outwards up to below the
// domain, the arm's block, then the entry.
func (c *corePrinter) move(x *exprs, leaf *ir.State, a *ir.Arm) string {
	var b strings.Builder
	b.WriteString(c.count(a))
	for _, r := range c.plan.visit[leaf] {
		fmt.Fprintf(&b, "s.Used.%s = 0\n", c.plan.Counters[r])
	}
	domain := ir.Domain(leaf, a.Target)
	outside := &exprs{c: c}
	for s := leaf; s != domain; s = s.Parent {
		b.WriteString(outside.block(s.Exit))
	}
	b.WriteString(x.block(a.Block))
	call, fails := c.enter(leaf, a.Target, domain)
	b.WriteString(call)
	x.fails = x.fails || fails || outside.fails
	return b.String()
}

// retry writes what another attempt changes at once.
func (c *corePrinter) retry(x *exprs, a *ir.Arm) string {
	var b strings.Builder
	b.WriteString(c.count(a))
	if a.Backoff.By != nil {
		x.fails = true
		fmt.Fprintf(&b, "t.Wait = max(%s, 0)\n", x.expr(a.Backoff.By, 0))
	}
	b.WriteString(x.block(a.Block))
	return b.String()
}
