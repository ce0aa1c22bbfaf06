package drawing

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// triggerOf is what a waits for.
func triggerOf(a *ir.Arm) string {
	if a.Timer != nil {
		return a.Timer.SourceText()
	}
	return a.Handler.Text()
}

// boundOf says how often a is taken.
func boundOf(a *ir.Arm) string {
	switch {
	case a.Kind == ir.Retry:
		return a.StepText()
	case a.Unbounded:
		return "unbounded"
	case a.Max != nil && a.Scope.Kind == ir.PerRun:
		return fmt.Sprintf("max %d", *a.Max)
	case a.Max != nil:
		return fmt.Sprintf("max %d per %s", *a.Max, a.Scope.Text())
	}
	return ""
}

// elseText names what was used up before a, where that is one bound alone.
func elseText(a *ir.Arm) string {
	if a.Index == 0 {
		return ""
	}
	before := a.Chain()[a.Index-1]
	if a.Index > 1 || before.When != nil || before.Max == nil {
		return "else"
	}
	if before.Kind == ir.Retry {
		return "after " + plural(*before.Max, "retry", "retries")
	}
	return "after " + plural(*before.Max, "time", "times")
}

func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// effectsOf lists what a block does. A field that takes the event's field of
// the same name is named once.
func effectsOf(b *ir.Block) []string {
	if b == nil {
		return nil
	}
	var out []string
	for i, as := range b.Assigns {
		if as.Keeps || i > 0 && as.Var.Whole != nil && as.Span == b.Assigns[i-1].Span {
			continue // the leaves of a record are one effect
		}
		if name := as.Var.Declared(); as.Written == name+" = event."+name {
			out = append(out, name)
		} else if f, ok := as.Value.(*ir.FieldRef); ok && f.Name == as.Var.Name {
			out = append(out, as.Var.Name)
		} else {
			out = append(out, as.Text())
		}
	}
	for _, pub := range b.Publishes {
		out = append(out, "publish "+pub.Event.Name)
	}
	return out
}

// shorten cuts text after n characters.
func shorten(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:n-1]), " ,") + "…"
}
