package ir

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// This file writes resolved pieces back as source text, in one line: for
// diagrams, history, messages and generated comments. It is not the formatter.

var precedence = map[Op]int{
	OpOr: 1, OpAnd: 2,
	OpEq: 3, OpNe: 3, OpLt: 3, OpLe: 3, OpGt: 3, OpGe: 3,
	OpAdd: 4, OpSub: 4, OpMul: 5,
}

const unaryPrecedence = 6

// Precedence says how tightly op binds its two sides; a higher one binds tighter.
func (op Op) Precedence() int { return precedence[op] }

// ExprText is e as it would be written, with no more parentheses than needed.
func ExprText(e Expr) string { return exprText(e, 0) }

// exprText puts e in parentheses where its operator binds less than outer asks.
func exprText(e Expr, outer int) string {
	switch e := e.(type) {
	case *Lit:
		return cmp.Or(e.Written, e.Value.Text())
	case *VarRef:
		return e.Var.Name
	case *FieldRef:
		return "event." + e.Name
	case *FanRef:
		if e.Index {
			return e.Fan.Index
		}
		return Joined(e.Fan.Item, e.Leaf)
	case *Now:
		return "now"
	case *Len:
		return "len(" + exprText(e.X, 0) + ")"
	case *IsSet:
		name := ""
		if e.Field != nil {
			name = "event." + cmp.Or(e.Asked, e.Field.Name)
		} else {
			name = e.Var.Asked()
		}
		if e.Not {
			return name + " is not set"
		}
		return name + " is set"
	case *Absent:
		return "unset"
	case *Unary:
		return string(e.Op) + exprText(e.X, unaryPrecedence)
	case *Object:
		parts := make([]string, len(e.Keys))
		for i, key := range e.Keys {
			parts[i] = strconv.Quote(key) + ": " + exprText(e.Values[i], 0)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case *Array:
		return "[" + Listed(e.Items, ExprText) + "]"
	case *Key:
		return exprText(e.X, 0) + "." + e.Name
	case *Fit:
		return exprText(e.X, outer)
	case *Text:
		return "text(" + exprText(e.X, 0) + ")"
	case *Call:
		if e.Guard != nil {
			return e.Guard.Name + "(" + argsText(e.Guard.Params, e.Args) + ")"
		}
		return e.Builtin + "(" + Listed(e.Args, ExprText) + ")"
	case *RecordLit:
		if e.Written != "" {
			return e.Written
		}
		parts := make([]string, len(e.Leaves))
		for i, l := range e.T.Leaves() {
			parts[i] = l.Path + " = " + exprText(e.Leaves[i], 0)
		}
		return e.T.Record.Name + " { " + strings.Join(parts, ", ") + " }"
	case *Binary:
		p := e.Op.Precedence()
		left := p
		if p == precedence[OpEq] {
			left = p + 1 // comparisons do not chain
		}
		text := exprText(e.X, left) + " " + string(e.Op) + " " + exprText(e.Y, p+1)
		if p < outer {
			return "(" + text + ")"
		}
		return text
	}
	return "?"
}

// Listed is the texts of list with commas between them.
func Listed[T any](list []T, text func(T) string) string {
	parts := make([]string, len(list))
	for i, v := range list {
		parts[i] = text(v)
	}
	return strings.Join(parts, ", ")
}

// Text is t as written: "DiffLoaded", "a.Found", "failed(transient, timeout)".
func (t *Trigger) Text() string {
	text := ""
	if t.Label != "" {
		text = t.Label + "."
	}
	switch t.Kind {
	case OnEvent:
		return exitText(t.Label, t.Event)
	case OnDone:
		return "done"
	case OnCancel:
		return "cancel"
	case OnOverBudget:
		if len(t.Costs) == 0 {
			return OverBudget
		}
		return OverBudget + "(" + strings.Join(t.Costs, ", ") + ")"
	}
	text += "failed"
	if len(t.Categories) > 0 {
		text += "(" + Listed(t.Categories, func(c *Category) string { return c.Name }) + ")"
	}
	return text
}

// UsesText are the events of an `ignore` or a `defer` as written.
func UsesText(uses []*EventUse) string {
	return Listed(uses, func(u *EventUse) string { return u.Event.Name })
}

// Text is c as written in a trigger: "StartReview", "a.Found",
// "failed(timeout)", "done", "cancel", "after 24h".
func (c Case) Text() string {
	label := ""
	if c.Do != nil && c.Do.Label != "" {
		label = c.Do.Label + "."
	}
	switch c.Kind {
	case CaseFailure:
		return label + "failed(" + c.Category.Name + ")"
	case CaseDone:
		return "done"
	case CaseCancel:
		return "cancel"
	case CaseOverBudget:
		return OverBudget + "(" + c.Cost + ")"
	case CaseTimer:
		return c.Timer.Trigger()
	}
	if c.Do != nil {
		return exitText(c.Do.Label, c.Event)
	}
	return c.Event.Name
}

// exitText is e behind the label of what raises it, which may be empty.
func exitText(label string, e *Event) string {
	if label == "" {
		return e.Name
	}
	return label + "." + e.Exit()
}

// Text is the handler's triggers as written, without the arms.
func (h *Handler) Text() string { return Listed(h.Triggers, (*Trigger).Text) }

// Text is the timer without the arms, in the one form that names have:
// "after 24h idle".
func (t *Timer) Text() string { return t.text(t.DelayText()) }

// SourceText is Text with the delay as the source has it: "after 1d idle".
func (t *Timer) SourceText() string { return t.text(cmp.Or(t.Source, t.DelayText())) }

// Trigger is what the timer is called where it is one of several inputs: "after 24h",
// "over_budget(time)".
func (t *Timer) Trigger() string { return t.trigger(t.DelayText()) }

func (t *Timer) trigger(delay string) string {
	if t.Budget {
		return OverBudget + "(" + BudgetTime + ")"
	}
	return "after " + delay
}

func (t *Timer) text(delay string) string {
	text := t.trigger(delay)
	if t.Idle {
		text += " idle"
	}
	if t.Jitter != nil {
		text += " jitter " + DecimalText(t.Jitter)
	}
	return text
}

// DelayText is how long the timer runs: "24h", however it is written, or a field's
// name.
func (t *Timer) DelayText() string {
	if t.Var != nil {
		return t.Var.Name
	}
	return FormatDuration(t.Delay)
}

// Input is what the arm is for, in the one form that names have: "on Found", "after 24h".
func (a *Arm) Input() string {
	if a.Timer != nil {
		return a.Timer.Text()
	}
	return "on " + a.Handler.Text()
}

// Text is what the arm does, as written but without its effects:
// "when n < 3 -> Draft max 3", "retry 2 backoff 1s..1m".
func (a *Arm) Text() string {
	if a.When == nil {
		return a.StepText()
	}
	return "when " + ExprText(a.When) + " " + a.StepText()
}

// StepText is the arm's step without its guard and its effects.
func (a *Arm) StepText() string {
	switch a.Kind {
	case Goto:
		target := "?"
		if a.Target != nil {
			target = a.Target.Path
		}
		return "-> " + target + a.boundText(" max ", PerRun)
	case Retry:
		return "retry" + a.boundText(" ", PerVisit) + a.Backoff.text()
	case Reject:
		return "reject"
	case IgnoreArm:
		return "ignore"
	}
	return "stay"
}

// boundText is the bound behind word; the scope is left out where it is usual.
func (a *Arm) boundText(word string, usual ScopeKind) string {
	switch {
	case a.Unbounded:
		return " unbounded"
	case a.Max == nil:
		return ""
	}
	text := word + strconv.FormatInt(*a.Max, 10)
	if a.Scope.Kind != usual {
		text += " per " + a.Scope.Text()
	}
	return text
}

// Text is what stands behind `per`: "run", "visit", or a state's path.
func (s Scope) Text() string {
	switch {
	case s.Kind == PerVisit:
		return "visit"
	case s.Kind == PerState && s.State != nil:
		return s.State.Path
	}
	return "run"
}

// text is the backoff with a blank before it, its factor and jitter only where
// they are not the usual ones; empty where it is the usual one altogether.
func (b *Backoff) text() string {
	switch {
	case b == nil || b.usual():
		return ""
	case b.By != nil:
		return " backoff by " + ExprText(b.By)
	}
	text := " backoff " + FormatDuration(b.First)
	if b.Last != b.First {
		text += ".." + FormatDuration(b.Last)
	}
	if b.Factor.Cmp(UsualFactor) != 0 {
		text += " factor " + DecimalText(b.Factor)
	}
	if b.Jitter.Cmp(UsualJitter) != 0 {
		text += " jitter " + DecimalText(b.Jitter)
	}
	return text
}

func (b *Backoff) usual() bool {
	return b.By == nil && b.First == UsualFirst && b.Last == UsualLast &&
		b.Factor.Cmp(UsualFactor) == 0 && b.Jitter.Cmp(UsualJitter) == 0
}

// Text is the do as written: "do charge(amount) as c timeout 30s".
func (d *Do) Text() string {
	word := "do "
	if d.Activity.Machine != nil {
		word = "do machine "
	}
	text := word + d.Activity.Name + "(" + argsText(d.Activity.Params, d.Args) + ")"
	if d.Fan != nil {
		text += " " + d.Fan.Text()
	}
	if d.Label != "" && (d.Activity.Machine == nil || d.Label != d.Activity.Name) {
		text += " as " + d.Label
	}
	if d.Scope.Kind != PerVisit {
		text += " per " + d.Scope.Text()
	}
	return text + d.LimitsText()
}

// Text is l as written: "timeout 5s".
func (l TimeLimit) Text() string { return l.Word + " " + FormatDuration(l.After) }

// LimitsText are the limits of an attempt, each behind a space.
func (d *Do) LimitsText() string {
	text := ""
	for _, l := range d.Limits() {
		text += " " + l.Text()
	}
	return text
}

// Text is the fan as written: "for i, topic in topics limit 4".
func (f *Fan) Text() string {
	text := "for "
	if f.Index != "" {
		text += f.Index + ", "
	}
	text += f.Item + " in " + f.List.Name
	if f.Limit > 0 {
		text += " limit " + strconv.FormatInt(f.Limit, 10)
	}
	return text
}

// Text is the effect as written: "wait = event.retry_after", "outline = unset".
func (a *Assign) Text() string {
	if a.Written != "" {
		return a.Written
	}
	if a.Value == nil {
		return a.Var.Asked() + " = unset"
	}
	return a.Var.Name + " = " + ExprText(a.Value)
}

// DecimalText writes r, which has a finite decimal form, without trailing
// zeros: "0.04", "12000".
func DecimalText(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	digits, exact := r.FloatPrec()
	if !exact {
		digits = 18
	}
	return r.FloatString(digits)
}

// ReturnsText is what a terminal returns, as written: "returns comments, summary"; empty
// where that is nothing.
func (s *State) ReturnsText() string {
	if len(s.Returns) == 0 {
		return ""
	}
	var names []string
	for i, ref := range s.Returns {
		if i == 0 || !ref.Var.Together(s.Returns[i-1].Var) {
			names = append(names, ref.Var.Declared())
		}
	}
	return "returns " + strings.Join(names, ", ")
}
