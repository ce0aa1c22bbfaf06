package check

import (
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// What several rules offer as a fix (diag.Fix). A fix is made of the places that ir keeps,
// without the text, so that it is sound in any layout; `fsmc fmt` makes it pretty.

// AddMember is the fix that puts a member at the end of a state, or of the machine in
// front of its states.
func AddMember(s *ir.State, text string) diag.Fix {
	f := diag.Fix{Message: "add `" + text + "`"}
	if s.Parent == nil && len(s.Children) > 0 {
		at := s.Children[0].Decl.Start
		f.Edits = []diag.Edit{diag.Insert(at, text+"\n"+spaces(at.Column-1))}
		return f
	}
	f.Edits = []diag.Edit{diag.Insert(brace(s), atBrace(s.Body, text))}
	return f
}

// brace is the place of the closing brace of s.
func brace(s *ir.State) token.Pos {
	end := s.Body.End
	end.Offset--
	end.Column--
	return end
}

// indent is how far members stand in from the brace that closes them, as fmt has it.
const indent = 4

// atBrace is text as it stands in front of the brace that closes body.
func atBrace(body token.Span, text string) string {
	if body.Start.Line == body.End.Line {
		return " " + text + " "
	}
	return spaces(indent) + text + "\n" + spaces(body.End.Column-2)
}

func spaces(n int) string { return strings.Repeat(" ", max(0, n)) }

// addElse is the fix that ends the chain of a with `else STEP`.
func addElse(a *ir.Arm, step string) diag.Fix {
	arms := a.Chain()
	return diag.Fix{
		Message: "add `else " + step + "`",
		Edits:   []diag.Edit{diag.Insert(arms[len(arms)-1].Span.End, " else "+step)},
	}
}

// ElseAfter are fixes that end the last chain that in meets with an `else`, by which nothing
// is left of it: it goes to a failure or, from outside, is refused or ignored. Where another
// handler beside that chain speaks of the same input, it would overlap with the `else`: the
// two become one chain, or there is no fix.
func (p *shared) ElseAfter(in flat.Input) []diag.Fix {
	last := in.Choices[len(in.Choices)-1]
	if last.Arm == nil || len(last.Arm.Chain()) > 0 && alwaysTaken(last.Arm.Chain()) {
		return nil
	}
	var others []*ir.Handler
	for _, c := range in.Choices {
		switch {
		case c.State != last.State:
		case c.Arm == nil:
			return nil
		case c.Arm.Handler != last.Arm.Handler && !slices.Contains(others, c.Arm.Handler):
			others = append(others, c.Arm.Handler)
		}
	}
	if len(others) > 1 || len(others) == 1 && !joinable(others[0], last.Arm.Handler) {
		return nil
	}
	end := func(step string) diag.Fix {
		if len(others) == 1 {
			return oneChain(others[0], last.Arm.Handler, step)
		}
		return addElse(last.Arm, step)
	}
	var fixes []diag.Fix
	if in.Kind == ir.CaseEvent {
		fixes = append(fixes, end("reject"), end("ignore"))
	}
	return append(fixes, p.Fail(last.State, func(to string) diag.Fix { return end("-> " + to) })...)
}

// alwaysTaken reports whether the last of arms has neither a guard nor a bound.
func alwaysTaken(arms []*ir.Arm) bool {
	last := arms[len(arms)-1]
	return last.When == nil && last.Max == nil
}

// Fail is the fix by which s does something with a target that ends a run as a failure:
// where the machine has no such terminal, it is declared. There is none where that of the
// machine cannot be named in s, or entering it reads what may be unset; where an assert does
// not let a run end so; or where callers would have to handle another end.
func (p *shared) Fail(s *ir.State, fix func(target string) diag.Fix) []diag.Fix {
	if to := p.terminalFor(s, "failure"); to != "" {
		return []diag.Fix{fix(to)}
	}
	root := p.Machine.Root
	taken := func(c *ir.State) bool { return c.Name == failed || c.Outcome == "failure" }
	if p.called || slices.ContainsFunc(root.Children, taken) || hidden(s, failed) || !p.MayEnd(nil) {
		return nil
	}
	f := fix(failed)
	decl := "terminal " + failed + " failure"
	f.Message += " and `" + decl + "`"
	f.Edits = append(f.Edits, diag.Insert(brace(root), atBrace(root.Body, decl)))
	return []diag.Fix{f}
}

const failed = "Failed"

// Succeed is Fail for a success, which every machine has that ends well: none is declared.
func (p *shared) Succeed(s *ir.State, fix func(target string) diag.Fix) []diag.Fix {
	if to := p.terminalFor(s, "success"); to != "" {
		return []diag.Fix{fix(to)}
	}
	return nil
}

// Finish is the fix by which runs of the machine can end: an event ends them as a success, in
// whatever state they are. There is none where one of the names is taken, where a leaf has
// nothing that moves on, or where callers would have to handle the end.
func (p *shared) Finish() []diag.Fix {
	const event, done = "Finish", "Done"
	m := p.Machine
	named := func(e *ir.Event) bool { return e.Name == event }
	taken := func(s *ir.State) bool {
		return s.Name == done || s.Kind == ir.Leaf && len(s.Handlers)+len(s.Timers)+len(s.Dos) == 0
	}
	if p.called || m.Root.Leaf() == nil || slices.ContainsFunc(m.Events, named) || slices.ContainsFunc(m.States, taken) {
		return nil
	}
	const arm, terminal = "on " + event + " -> " + done, "terminal " + done + " success"
	f := AddMember(m.Root, "event "+event)
	for _, more := range []string{arm, terminal} {
		f.Edits = append(f.Edits, AddMember(m.Root, more).Edits...)
	}
	f.Message = "add `" + terminal + "` and `" + arm + "`"
	return []diag.Fix{f}
}

// terminalFor is the name of a terminal with an outcome that an arm in s may lead to:
// one that is called as most are, or the first.
func (p *shared) terminalFor(s *ir.State, outcome string) string {
	best := ""
	for _, t := range p.Machine.Root.Children {
		if t.Kind != ir.Terminal || t.Outcome != outcome || needsData(t) || hidden(s, t.Name) || !p.MayEnd(t) {
			continue
		}
		if best == "" || t.Name == failed || t.Name == "Done" || t.Name == "Completed" {
			best = t.Name
		}
	}
	return best
}

// MayEnd reports whether every assert still holds where one more arm ends runs in to: nil is a
// terminal that no assert names.
func (p *shared) MayEnd(to *ir.State) bool {
	return !slices.ContainsFunc(p.Machine.Asserts, func(a *ir.Assert) bool {
		named := to != nil && slices.Contains(a.Objects, to)
		if a.Verb == ir.LeadsTo {
			return !named
		}
		return named || to != nil && a.Subject == to
	})
}

// needsData reports whether entering t reads what may be unset.
func needsData(t *ir.State) bool {
	unset := func(e ir.Expr) bool { return slices.ContainsFunc(ir.Vars(e), (*ir.Var).MayBeUnset) }
	if slices.ContainsFunc(t.Returns, func(r *ir.VarRef) bool { return unset(r) }) {
		return true
	}
	if t.Entry == nil {
		return false
	}
	return slices.ContainsFunc(t.Entry.Assigns, func(a *ir.Assign) bool { return a.Value != nil && unset(a.Value) }) ||
		slices.ContainsFunc(t.Entry.Publishes, func(p *ir.Publish) bool { return slices.ContainsFunc(p.Values, unset) })
}

// hidden reports whether a state between s and the machine has a child called name.
func hidden(s *ir.State, name string) bool {
	return slices.ContainsFunc(s.Chain(), func(around *ir.State) bool {
		return around.Parent != nil && slices.ContainsFunc(around.Children, func(c *ir.State) bool { return c.Name == name })
	})
}

// Joined is the fix that makes one chain of two handlers of a state; none where they do
// not stand one directly behind the other, or speak of different inputs.
func Joined(one, other *ir.Handler) []diag.Fix {
	if !joinable(one, other) {
		return nil
	}
	return []diag.Fix{oneChain(one, other, "")}
}

func joinable(one, other *ir.Handler) bool {
	first, second := inOrder(one, other)
	return sameTriggers(first, second) && len(first.Arms) > 0 && len(second.Arms) > 0 && !alwaysTaken(first.Arms) && adjacent(first, second)
}

func inOrder(one, other *ir.Handler) (first, second *ir.Handler) {
	if one.Span.Start.Offset > other.Span.Start.Offset {
		return other, one
	}
	return one, other
}

// oneChain makes one chain of two handlers, and puts `else last` at its end unless last is
// empty.
func oneChain(one, other *ir.Handler, last string) diag.Fix {
	_, second := inOrder(one, other)
	fix := diag.Fix{
		Message: "join both into one chain, in this order",
		Edits:   []diag.Edit{{Span: token.Span{Start: second.Span.Start, End: second.Arms[0].Span.Start}, Text: "else "}},
	}
	if last != "" {
		fix.Message = "join both into one chain, and add `else " + last + "`"
		fix.Edits = append(fix.Edits, diag.Insert(second.Arms[len(second.Arms)-1].Span.End, " else "+last))
	}
	return fix
}

func sameTriggers(a, b *ir.Handler) bool {
	return len(a.Triggers) == 1 && len(b.Triggers) == 1 && a.Triggers[0].Kind == b.Triggers[0].Kind &&
		a.Triggers[0].Event == b.Triggers[0].Event && a.Triggers[0].Label == b.Triggers[0].Label &&
		slices.Equal(a.Triggers[0].Categories, b.Triggers[0].Categories) && slices.Equal(a.Triggers[0].Costs, b.Triggers[0].Costs)
}

// adjacent reports whether nothing of their state stands between the ends of two handlers.
func adjacent(first, second *ir.Handler) bool {
	between := func(at token.Span) bool {
		return at.Start.Offset >= first.Span.End.Offset && at.Start.Offset < second.Span.Start.Offset
	}
	s := first.State
	return !slices.ContainsFunc(s.Handlers, func(h *ir.Handler) bool { return between(h.Span) }) &&
		!slices.ContainsFunc(s.Timers, func(t *ir.Timer) bool { return between(t.Span) }) &&
		!slices.ContainsFunc(s.Dos, func(d *ir.Do) bool { return between(d.Span) }) &&
		!slices.ContainsFunc(s.Children, func(c *ir.State) bool { return between(c.Body) }) &&
		!slices.ContainsFunc(s.Ignore, func(u *ir.EventUse) bool { return between(u.Span) }) &&
		!slices.ContainsFunc(s.Defer, func(u *ir.EventUse) bool { return between(u.Span) }) &&
		!(s.Entry != nil && between(s.Entry.Span)) && !(s.Exit != nil && between(s.Exit.Span)) &&
		!(s.Require != nil && between(s.Require.Span))
}
