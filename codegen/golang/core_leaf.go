package golang

import (
	"fmt"
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
	if always && len(branches) == 1 {
		return branches[0].body
	}
	var b strings.Builder
	fmt.Fprintf(&b, "switch %s {\n", on)
	for _, br := range branches {
		fmt.Fprintf(&b, "case %s:\n%s", strings.Join(br.labels, ", "), br.body)
	}
	b.WriteString("}\n")
	return b.String()
}

// kindsOfInput is the order in which a leaf's function looks at them.
var kindsOfInput = []struct {
	kind   ir.CaseKind
	labels string // after the machine's name
}{
	{ir.CaseEvent, "InputEvent"}, {ir.CaseResult, "InputResult"}, {ir.CaseFailure, "InputFailure"},
	{ir.CaseDone, "InputDone"}, {ir.CaseCancel, "InputCancel"}, {ir.CaseTimer, "InputTimer"},
}

// leaf writes the function that says what a run in leaf does with an input;
// it is false where nothing in or around the leaf takes any.
func (c *corePrinter) leaf(leaf *ir.State) (text string, ok bool) {
	cases := map[ir.CaseKind][]branch{}
	byDo := map[ir.CaseKind]map[*ir.Do][]branch{ir.CaseResult: {}, ir.CaseFailure: {}}
	for _, k := range c.m.src.Cases(leaf) {
		choices := c.m.src.Choices(leaf, k)
		if len(choices) == 0 {
			continue
		}
		b := branch{labels: []string{c.label(k)}, body: c.arms(leaf, k, choices)}
		if k.Do != nil {
			byDo[k.Kind][k.Do] = append(byDo[k.Kind][k.Do], b)
		} else {
			cases[k.Kind] = append(cases[k.Kind], b)
		}
	}
	for kind, dos := range byDo {
		for _, d := range leaf.Dos {
			if inner := dos[d]; inner != nil {
				on, all := "in.Event", len(d.Activity.Results)
				if kind == ir.CaseFailure {
					on, all = "in.Category", len(c.m.src.FailuresOf(d))
				}
				cases[kind] = append(cases[kind], branch{[]string{c.plan.Dos[d.ID].Name}, choose(on, inner, len(inner) == all)})
			}
		}
	}
	var b strings.Builder
	for _, kind := range kindsOfInput {
		branches := cases[kind.kind]
		if len(branches) == 0 {
			continue
		}
		body := ""
		switch kind.kind {
		case ir.CaseDone, ir.CaseCancel:
			body = branches[0].body
		case ir.CaseEvent:
			body = choose("in.Event", branches, false)
		case ir.CaseTimer:
			body = choose("in.Timer", branches, len(branches) == c.plan.places(leaf))
		default:
			body = choose("in.Task.Do", branches, len(branches) == len(leaf.Dos))
		}
		labels := c.m.Name + kind.labels
		if kind.kind == ir.CaseEvent && c.plan.deferred {
			labels += ", " + c.m.Name + "InputKept"
		}
		fmt.Fprintf(&b, "case %s:\n%s", labels, body)
	}
	if b.Len() == 0 {
		return "", false
	}
	name := c.leafName(leaf)
	var out strings.Builder
	fmt.Fprintf(&out, "// %s is what a run in %s does with an input.\n", name, leaf.Path)
	fmt.Fprintf(&out, "func (t *%[1]sStepper) %[2]s(s *%[1]sSnapshot, in *%[1]sStepInput) %[3]sTook {\nswitch in.Kind {\n%[4]s}\nreturn %[3]sNothing\n}\n\n",
		c.m.Name, name, c.m.low, b.String())
	return out.String(), true
}

func (c *corePrinter) leafName(leaf *ir.State) string {
	name := c.leafNames[leaf]
	if name == "" {
		name = unique(c.methods, "in"+pathName(leaf.Path))
		c.leafNames[leaf] = name
	}
	return name
}

// label is the constant for what tells k from others of its kind.
func (c *corePrinter) label(k ir.Case) string {
	switch k.Kind {
	case ir.CaseEvent, ir.CaseResult:
		return c.m.ev[k.Event].Const
	case ir.CaseFailure:
		return c.category(k.Category)
	case ir.CaseTimer:
		return c.plan.Timers[k.Timer.ID].Name
	}
	return ""
}

// arms writes the choices for k in the order in which they are tried.
func (c *corePrinter) arms(leaf *ir.State, k ir.Case, choices []ir.Choice) string {
	var b strings.Builder
	for _, choice := range choices {
		if choice.Arm == nil {
			b.WriteString("// " + choiceText(choice) + "\n")
			b.WriteString(c.kept(k, choice))
			return b.String()
		}
		a := choice.Arm
		b.WriteString("// " + oneLine(armText(k, a)) + "\n")
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

// armText is an arm with its trigger as written, which does not move when
// lines do.
func armText(k ir.Case, a *ir.Arm) string {
	if a.Timer != nil {
		return a.Timer.Text() + " " + a.Text()
	}
	return "on " + a.Handler.Text() + " " + a.Text()
}

func choiceText(choice ir.Choice) string {
	if choice.Defer {
		return "defer " + choice.Use.Event.Name
	}
	return "ignore " + choice.Use.Event.Name
}

func (c *corePrinter) kept(k ir.Case, choice ir.Choice) string {
	if choice.Defer {
		return "return " + c.m.low + "Deferred\n"
	}
	return c.endTask(k) + "return " + c.m.low + "Taken\n"
}

// endTask notes that the activity behind a result or failure that does not
// leave the state has ended.
func (c *corePrinter) endTask(k ir.Case) string {
	if k.Do == nil {
		return ""
	}
	return "t.endTask(s)\n"
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
			fmt.Fprintf(b, "t.holds = %s\nif t.why != \"\" {\nreturn %sTaken\n}\n", x.expr(a.When, 0), c.m.low)
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
		body = c.retry(x, k, a)
	case ir.Reject:
		return "return " + c.m.low + "Rejected\n"
	case ir.Stay:
		body = x.block(a.Block) + c.endTask(k)
	case ir.IgnoreArm:
		body = c.endTask(k)
	}
	if x.fails {
		body = "t.save(s)\n" + body
	}
	return body + "return " + c.m.low + "Taken\n"
}

// count notes one more use of a's bound.
func (c *corePrinter) count(a *ir.Arm) string {
	name := c.plan.Counters[a]
	switch {
	case name == "":
		return ""
	case a.Max == nil:
		c.p.use("math")
		return fmt.Sprintf("if s.Used.%s < math.MaxInt64 {\ns.Used.%s++\n}\n", name, name)
	}
	return "s.Used." + name + "++\n"
}

// move writes a transition: exit blocks from the leaf outwards up to below the
// domain, the arm's block, then the entry.
func (c *corePrinter) move(x *exprs, leaf *ir.State, a *ir.Arm) string {
	var b strings.Builder
	b.WriteString(c.count(a))
	if len(leaf.Dos) > 0 {
		b.WriteString("t.leaveTasks(s)\n")
	}
	for _, r := range c.plan.visit[leaf] {
		fmt.Fprintf(&b, "s.Used.%s = 0\n", c.plan.Counters[r])
	}
	domain := ir.Domain(leaf, a.Target)
	outside := &exprs{c: c}
	for s := leaf; s != domain; s = s.Parent {
		b.WriteString(outside.block(s.Exit))
	}
	b.WriteString(x.block(a.Block))
	call, fails := c.enter(leaf, a.Target, domain, domain)
	b.WriteString(call)
	x.fails = x.fails || fails || outside.fails
	return b.String()
}

// defaultLast is the longest wait of a retry without a backoff, in nanoseconds.
const defaultLast = 60_000_000_000

// retry writes another attempt: of the same execution after a failure, of a new
// one after an event, or where the arm has a block.
func (c *corePrinter) retry(x *exprs, k ir.Case, a *ir.Arm) string {
	var b strings.Builder
	b.WriteString(c.count(a))
	b.WriteString("again := s.Tasks[t.task]\n")
	if k.Kind == ir.CaseFailure && a.Block == nil {
		b.WriteString("again.Attempt++\n")
	} else {
		b.WriteString("again.Execution, again.Attempt = t.seq, 1\n")
	}
	c.p.use("time")
	first, last, factor, jitter := "time.Second", "time.Minute", "2.0", "0.2"
	if back := a.Backoff; back != nil {
		first, _ = durationLiteral(back.First)
		last, _ = durationLiteral(back.Last)
		factor, jitter = ratio(back.Factor), ratio(back.Jitter)
	}
	if a.Backoff != nil && a.Backoff.By != nil {
		x.fails = true
		fmt.Fprintf(&b, "wait := max(%s, 0)\n", x.expr(a.Backoff.By, 0))
	} else {
		fmt.Fprintf(&b, "wait := %sBackoff(int64(s.Used.%s), %s, %s, %s, %s, t.attemptShare(s, again))\n",
			c.m.low, c.plan.Counters[a], first, last, factor, jitter)
	}
	b.WriteString(x.block(a.Block))
	b.WriteString("t.retry(s, again, wait)\n")
	if e, outlives := c.plan.executions[k.Do]; outlives {
		fmt.Fprintf(&b, "s.Executions[%d] = %sDoExecution{Execution: again.Execution, Attempt: again.Attempt}\n", e, c.m.Name)
	}
	return b.String()
}
