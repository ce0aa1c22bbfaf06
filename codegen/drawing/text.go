package drawing

import (
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// longest is the most characters that an expression or a list keeps.
const longest = 60

// triggerOf is what a waits for, as written.
func triggerOf(a *ir.Arm) string {
	if a.Timer != nil {
		return timerText(a.Timer)
	}
	names := make([]string, len(a.Handler.Triggers))
	for i, t := range a.Handler.Triggers {
		names[i] = triggerText(t)
	}
	return strings.Join(names, ", ")
}

func triggerText(t *ir.Trigger) string {
	text := ""
	switch t.Kind {
	case ir.OnDone:
		text = "done"
	case ir.OnCancel:
		text = "cancel"
	case ir.OnFailed:
		text = "failed"
		if len(t.Categories) > 0 {
			names := make([]string, len(t.Categories))
			for i, c := range t.Categories {
				names[i] = c.Name
			}
			text += "(" + strings.Join(names, ", ") + ")"
		}
	default:
		text = t.Event.Name
	}
	if t.Label != "" {
		text = t.Label + "." + text
	}
	return text
}

func timerText(t *ir.Timer) string {
	text := "after "
	if t.Var != nil {
		text += t.Var.Name
	} else {
		text += ir.FormatDuration(t.Delay)
	}
	if t.Idle {
		text += " idle"
	}
	if t.Jitter != nil {
		text += " jitter " + ratText(t.Jitter)
	}
	return text
}

// boundsOf says how often a is taken, and when it is what is left.
func boundsOf(a *ir.Arm) []string {
	var out []string
	if a.Index > 0 {
		out = append(out, elseText(a))
	}
	times := "max"
	if a.Kind == ir.Retry {
		times = "retry"
	}
	switch {
	case a.Max != nil:
		out = append(out, fmt.Sprintf("%s %d%s", times, *a.Max, perText(a)))
	case a.Unbounded && a.Kind == ir.Retry:
		out = append(out, "retry unbounded")
	case a.Unbounded:
		out = append(out, "unbounded")
	}
	if a.Backoff != nil {
		out = append(out, backoffText(a.Backoff))
	}
	return out
}

// elseText names what was used up before a, where that is one bound alone.
func elseText(a *ir.Arm) string {
	before := siblings(a)[a.Index-1]
	if a.Index > 1 || before.When != nil || before.Max == nil {
		return "else"
	}
	if before.Kind == ir.Retry {
		return "after " + plural(*before.Max, "retry", "retries")
	}
	return "after " + plural(*before.Max, "time", "times")
}

// siblings are the arms of the chain in which a stands.
func siblings(a *ir.Arm) []*ir.Arm {
	if a.Timer != nil {
		return a.Timer.Arms
	}
	return a.Handler.Arms
}

func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// perText is the scope of a's counter where it is not the usual one: the run
// for an arrow, the visit for a retry.
func perText(a *ir.Arm) string {
	usual := ir.PerRun
	if a.Kind == ir.Retry {
		usual = ir.PerVisit
	}
	if a.Scope.Kind == usual {
		return ""
	}
	return scopeText(a.Scope)
}

func scopeText(s ir.Scope) string {
	switch {
	case s.Kind == ir.PerVisit:
		return " per visit"
	case s.Kind == ir.PerState && s.State != nil:
		return " per " + s.State.Name
	}
	return " per run"
}

func backoffText(b *ir.Backoff) string {
	if b.By != nil {
		return "backoff by " + exprText(b.By)
	}
	if b.First == b.Last {
		return "backoff " + ir.FormatDuration(b.First)
	}
	return "backoff " + ir.FormatDuration(b.First) + ".." + ir.FormatDuration(b.Last)
}

// effectsOf lists what a block does. A field that takes the event's field of
// the same name is named once.
func effectsOf(b *ir.Block) []string {
	if b == nil {
		return nil
	}
	var out []string
	for _, as := range b.Assigns {
		out = append(out, assignText(as))
	}
	for _, pub := range b.Publishes {
		out = append(out, "publish "+pub.Event.Name)
	}
	return out
}

func assignText(a *ir.Assign) string {
	if a.Value == nil {
		return a.Var.Name + " = unset"
	}
	if f, ok := a.Value.(*ir.FieldRef); ok && f.Name == a.Var.Name {
		return a.Var.Name
	}
	return a.Var.Name + " = " + exprText(a.Value)
}

func ratText(r *big.Rat) string {
	return strings.TrimRight(strings.TrimRight(r.FloatString(6), "0"), ".")
}

// shorten cuts text after n characters.
func shorten(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:n-1]), " ,") + "…"
}
