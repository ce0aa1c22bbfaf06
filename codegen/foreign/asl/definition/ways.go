package definition

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// way is one way out of a point, taken where its conditions hold and none before it.
type way struct {
	conds    []string
	sends    []sent
	assign   obj    // what the data become, at once
	next     string // where it leads
	asks     []asking
	assigned *query
}

// asking is a host guard that a condition asks, and the variable that holds what it says.
type asking struct {
	variable, guard string
	arguments       obj
}

type sent struct {
	event *ir.Event
	data  obj
}

// ways are those of choices at a leaf, where an event stands in q. stay is where arms lead that
// do not move.
func (w *writer) ways(leaf *ir.State, choices []ir.Choice, q *query, stay string) []way {
	var out []way
	for _, c := range choices {
		out = append(out, w.arm(leaf, c, q, stay)...)
		if c.Arm == nil || c.Arm.When == nil && w.counters[c.Arm] == "" {
			break
		}
	}
	return out
}

// arm is the ways that one arm has: more than one where a leaf that it enters has a `require`.
func (w *writer) arm(leaf *ir.State, c ir.Choice, q *query, stay string) []way {
	a := c.Arm
	if a == nil || a.Kind == ir.Reject || a.Kind == ir.IgnoreArm {
		base := way{next: stay, assigned: q}
		if a != nil {
			w.condition(&base, a, q)
		}
		return []way{base}
	}
	base := way{next: stay, assigned: q}
	counts := obj{}
	w.condition(&base, a, q)
	if name := w.counters[a]; name != "" {
		if a.Max != nil {
			base.conds = append(base.conds, fmt.Sprintf("$%s < %d", name, *a.Max))
		}
		counts = append(counts, member{name, formula("$" + name + " + 1")})
	}
	if a.Kind == ir.Retry {
		base.next = w.again(leaf, a, q, &counts)
	}
	if a.Kind != ir.Goto {
		base.block(a.Block)
		base.finish(w, counts)
		return []way{base}
	}
	domain := ir.Domain(leaf, a.Target)
	for _, s := range leaf.Chain() {
		if s == domain {
			break
		}
		base.block(s.Exit)
	}
	base.block(a.Block)
	ways := w.enter(leaf, a.Target, domain, base.assigned, nil)
	for i := range ways {
		ways[i].conds = append(slices.Clone(base.conds), ways[i].conds...)
		ways[i].asks = append(slices.Clone(base.asks), ways[i].asks...)
		ways[i].sends = append(slices.Clone(base.sends), ways[i].sends...)
		ways[i].assign = union(counts, ways[i].assign)
	}
	return ways
}

// union is a with the members of b, which win.
func union(a, b obj) obj {
	out := slices.Clone(a)
	for _, m := range b {
		if i := slices.IndexFunc(out, func(o member) bool { return o.key == m.key }); i >= 0 {
			out[i] = m
		} else {
			out = append(out, m)
		}
	}
	return out
}

func (w *writer) condition(y *way, a *ir.Arm, q *query) {
	if a.When == nil {
		return
	}
	w.ask(y, a.When, q)
	y.conds = append(y.conds, q.expr(a.When, ir.OpAnd.Precedence()))
}

// ask notes the host guards that e asks: each is a Task before the condition.
func (w *writer) ask(y *way, e ir.Expr, q *query) {
	for _, call := range ir.GuardCalls(e) {
		text := ir.ExprText(call)
		if q.asked[text] == "" {
			q.asked[text] = fmt.Sprintf("asked_%d", len(q.asked)+1)
		}
		y.asks = append(y.asks, asking{q.asked[text], call.Guard.Name, q.arguments(call.Guard.Params, call.Args)})
	}
}

// block has the way execute b.
func (y *way) block(b *ir.Block) {
	if b == nil {
		return
	}
	for _, p := range b.Publishes {
		y.sends = append(y.sends, sent{p.Event, y.assigned.message(p)})
	}
	y.assigned = y.assigned.with(b)
}

// finish makes the assignments of a way.
func (y *way) finish(w *writer, more obj) {
	for _, v := range slices.Concat(w.m.Params, w.m.Fields) {
		if text, changed := y.assigned.now[v]; changed {
			y.assign = append(y.assign, member{w.vars[v][1:], formula(text)})
		}
	}
	y.assign = union(y.assign, more)
}

// enter is the ways of entering target from below domain, where q holds. from is nil at the start.
func (w *writer) enter(from, target, domain *ir.State, q *query, turned []*ir.State) []way {
	leaf := target.Leaf()
	y := way{assigned: q, next: leaf.Path}
	resets := obj{}
	chain := leaf.Chain()
	for _, s := range slices.Backward(chain) {
		if domain != nil && (s == domain || !s.Inside(domain)) || s == w.m.Root || s == leaf {
			continue
		}
		resets = union(resets, w.restarts(from, s))
		y.block(s.Entry)
	}
	if leaf.Require != nil && len(turned) < len(w.m.States) {
		holds := y
		w.ask(&holds, leaf.Require.Cond, y.assigned)
		holds.conds = []string{y.assigned.expr(leaf.Require.Cond, ir.OpAnd.Precedence())}
		w.arrive(&holds, from, leaf, resets)
		to := ir.Domain(leaf, leaf.Require.Target)
		for _, s := range chain[1:] {
			if s == to {
				break
			}
			y.block(s.Exit)
		}
		ways := []way{holds}
		for _, other := range w.enter(from, leaf.Require.Target, to, y.assigned, append(turned, leaf)) {
			other.sends = append(slices.Clone(y.sends), other.sends...)
			other.assign = union(resets, other.assign)
			ways = append(ways, other)
		}
		return ways
	}
	w.arrive(&y, from, leaf, resets)
	return []way{y}
}

// arrive has the way enter a leaf or a terminal.
func (w *writer) arrive(y *way, from, leaf *ir.State, resets obj) {
	y.block(leaf.Entry)
	resets = union(resets, w.restarts(from, leaf))
	if leaf.Kind == ir.Leaf {
		for _, a := range w.m.Arms {
			if name := w.counters[a]; name != "" && a.Kind == ir.Retry && a.Scope.Kind == ir.PerVisit && leaf.Inside(a.State) {
				resets = union(resets, obj{{name, formula("0")}})
			}
		}
	}
	y.finish(w, resets)
}

// restarts are the counters that start again where s is entered from a leaf.
func (w *writer) restarts(from, s *ir.State) (resets obj) {
	if from != nil && from.Inside(s) {
		return nil
	}
	for _, a := range w.m.Arms {
		if name := w.counters[a]; name != "" && a.Restart() == s {
			resets = append(resets, member{name, formula("0")})
		}
	}
	return resets
}

// follow adds the states that take the first way whose conditions hold, and is the name of the
// first of them: at, which may be empty for any name. otherwise is where it leads if none holds;
// empty for nowhere.
func (w *writer) follow(at, about string, ways []way, otherwise string) string {
	if at == "" && len(ways) == 1 && len(ways[0].conds) == 0 && (len(ways[0].sends) > 0 || len(ways[0].assign) == 0) {
		_, next := w.rule(about, ways[0])
		return next
	}
	first := at
	if at == "" {
		first = w.free(about + ": then")
	}
	at = w.asked(first, ways)
	if len(ways) == 1 && len(ways[0].conds) == 0 {
		w.add(at, pass(w.rule(about, ways[0])))
		return first
	}
	var rules []any
	state := obj{{"Type", "Choice"}}
	for _, y := range ways {
		if len(y.conds) == 0 {
			assign, next := w.rule(about, y)
			if len(assign) > 0 {
				state = append(state, member{"Assign", assign})
			}
			otherwise = next
			break
		}
		rule := obj{{"Condition", formula(strings.Join(y.conds, " and "))}}
		assign, next := w.rule(about, y)
		if len(assign) > 0 {
			rule = append(rule, member{"Assign", assign})
		}
		rules = append(rules, append(rule, member{"Next", next}))
	}
	state = append(state, member{"Choices", rules})
	if otherwise != "" {
		state = append(state, member{"Default", otherwise})
	}
	w.add(at, state)
	return first
}

// asked adds a Task for each host guard that ways ask; the first is called first. It is the name of
// the state behind them.
func (w *writer) asked(first string, ways []way) string {
	seen := map[string]bool{}
	at := first
	for _, y := range ways {
		for _, g := range y.asks {
			if seen[g.variable] {
				continue
			}
			seen[g.variable] = true
			next := w.free("Asked " + g.guard)
			w.add(at, obj{
				{"Type", "Task"}, {"Resource", lambda}, {"Arguments", invoked("FunctionName", g.guard, "Payload", g.arguments)},
				{"Assign", obj{{g.variable, formula("$states.result.Payload")}}}, {"Output", formula("$states.input")}, {"Next", next},
			})
			at = next
		}
	}
	return at
}

// rule is what a way assigns, and where it leads: with messages these come first, since they read
// what was before.
func (w *writer) rule(about string, y way) (assign obj, next string) {
	if len(y.sends) == 0 {
		return y.assign, y.next
	}
	next = y.next
	if len(y.assign) > 0 {
		at := w.free(about + ": assign")
		w.add(at, pass(y.assign, next))
		next = at
	}
	return nil, w.messages(y, next)
}

func pass(assign obj, next string) obj {
	o := obj{{"Type", "Pass"}}
	if len(assign) > 0 {
		o = append(o, member{"Assign", assign})
	}
	return append(o, member{"Next", next})
}

// messages adds a Task for each message of a way, and is the first of them.
func (w *writer) messages(y way, next string) string {
	for _, s := range slices.Backward(y.sends) {
		detail := s.data
		if detail == nil {
			detail = obj{}
		}
		entry := obj{{"Source", "fsmc." + w.m.Name}, {"DetailType", s.event.Name}, {"Detail", detail}}
		o := obj{
			{"Type", "Task"}, {"Resource", "arn:aws:states:::events:putEvents"},
			{"Arguments", obj{{"Entries", []any{entry}}}},
			{"Output", formula("$states.input")}, {"Next", next},
		}
		text, _ := encoded(o)
		if w.sending[string(text)] == "" {
			at := w.free("Publish " + s.event.Name)
			w.sending[string(text)] = at
			w.add(at, o)
		}
		next = w.sending[string(text)]
	}
	return next
}
