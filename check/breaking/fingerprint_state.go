package breaking

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// stateText is all that stands in s but the states inside.
func stateText(s *ir.State) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	add("%d %s", s.Kind, s.Outcome)
	if s.Initial != nil {
		add("initial %s", s.Initial.Name)
	}
	for _, h := range s.Handlers {
		add("on %s", handlerText(h))
	}
	for _, t := range s.Timers {
		if !t.Budget {
			add("%s %s", t.Text(), armsText(t.Arms))
		}
	}
	for _, d := range s.Dos {
		add("%s", doText(d))
	}
	for _, u := range s.Ignore {
		add("ignore %s", u.Event.Name)
	}
	for _, u := range s.Defer {
		add("defer %s", u.Event.Name)
	}
	add("entry %s", blockText(s.Entry))
	add("exit %s", blockText(s.Exit))
	if s.Require != nil {
		add("require %s else %s", ir.ExprText(s.Require.Cond), pathOf(s.Require.Target))
	}
	slices.Sort(parts)
	parts = append(parts, s.ReturnsText())
	return strings.Join(parts, " | ")
}

// handlerText is an `on`: the order of its triggers says nothing, that of its arms does.
func handlerText(h *ir.Handler) string {
	return strings.Join(sorted(h.Triggers, (*ir.Trigger).Text), ", ") + armsText(h.Arms)
}

func armsText(arms []*ir.Arm) string {
	var b strings.Builder
	for _, a := range arms {
		b.WriteString(" else " + a.Text() + " " + blockText(a.Block))
	}
	return b.String()
}

func blockText(b *ir.Block) string {
	if b == nil {
		return ""
	}
	var effects []string
	for _, a := range b.Assigns {
		value := "unset"
		if a.Value != nil {
			value = ir.ExprText(a.Value)
		}
		effects = append(effects, a.Var.Name+" = "+value)
	}
	for _, p := range b.Publishes {
		effects = append(effects, "publish "+publishText(p))
	}
	slices.Sort(effects)
	return "{" + strings.Join(effects, "; ") + "}"
}

func publishText(p *ir.Publish) string {
	var values []string
	for i, v := range p.Values {
		if v != nil && i < len(p.Event.Fields) {
			values = append(values, p.Event.Fields[i].Name+" = "+ir.ExprText(v))
		}
	}
	slices.Sort(values)
	return p.Event.Name + " " + strings.Join(values, ", ")
}

// doText is d with names of our own for the element that it runs for. Where there is a
// text in it, that could be taken for such a name, and stays as it is.
func doText(d *ir.Do) string {
	text := d.Text()
	if d.Fan == nil || strings.Contains(text, `"`) {
		return text
	}
	for i, name := range []string{d.Fan.Item, d.Fan.Index} {
		if name != "" {
			word := regexp.MustCompile(`(^|[^.\w])` + name + `\b`)
			text = word.ReplaceAllString(text, fmt.Sprintf("$1\x00%d", i))
		}
	}
	return text
}

func pathOf(s *ir.State) string {
	if s == nil {
		return ""
	}
	return s.Path
}
