package oracletest

import (
	"fmt"
	"strings"
)

// members writes the states.
func (g *generator) members() {
	g.depth = 1
	g.tree[0].lead()
	g.line("initial %s", g.tree[0].name)
	if !g.flat && g.chance(0.5) {
		g.line("after %s -> %s", pick(g, []string{"20s", "36s", "12s"}), g.end("Failed"))
	}
	if len(g.activities) > 0 && !g.slip() {
		g.line("on failed -> %s", g.end("Failed"))
	}
	if g.chance(0.1) {
		g.line("on cancel -> %s", g.target())
	}
	for _, s := range g.tree {
		g.state(s)
	}
	if g.ends["Failed"] || g.slip() {
		g.line("terminal %s failure%s", g.end("Failed"), g.returns())
	}
	if g.ends["Done"] || !g.ends["Failed"] || g.slip() {
		g.line("terminal %s success%s", g.end("Done"), g.returns())
	}
	g.depth = 0
}

// returns is what a terminal returns. What may be unset is returned rarely.
func (g *generator) returns() string {
	var names []string
	for _, f := range []struct {
		there bool
		name  string
	}{{g.param, "limit"}, {g.flag, "b"}, {g.unset, "u"}} {
		if f.there && g.chance(0.3) {
			names = append(names, f.name)
		}
	}
	if names == nil {
		return ""
	}
	return " returns " + strings.Join(names, ", ")
}

func (g *generator) state(s *plannedState) {
	g.at = s
	g.line("state %s {", s.name)
	if g.chance(0.12) {
		g.line("entry { %s }", g.effect(""))
	}
	if g.chance(0.08) {
		g.line("exit { %s }", g.effect(""))
	}
	if len(s.children) == 0 {
		g.leaf()
		g.close()
		return
	}
	g.line("initial %s", s.children[0].name)
	if g.chance(0.4) {
		g.timer()
	}
	if g.chance(0.4) {
		e := pick(g, g.events)
		g.arms("on "+e.name, e.field, false)
	}
	for _, child := range s.children {
		g.state(child)
	}
	g.at = s
	g.close()
}

// leaf writes the members of a state of one of three sorts: it makes a choice,
// runs activities, or waits.
func (g *generator) leaf() {
	if g.chance(0.08) && g.at != g.tree[0] {
		g.line("require %s else -> %s", g.guard(""), g.target())
	}
	switch {
	case g.chance(0.15):
		g.choice()
		return
	case len(g.activities) > 0 && (g.fans && g.chance(0.8) || g.chance(0.55)):
		g.work()
		if g.chance(0.6) {
			return
		}
	}
	left := g.events
	for n := 1 + g.IntN(2); n > 0 && len(left) > 0; n-- {
		i := g.IntN(len(left))
		e := left[i]
		left = append(left[:i:i], left[i+1:]...)
		switch {
		case g.chance(0.06):
			g.line("defer %s", e.name)
		case g.chance(0.06):
			g.line("ignore %s", e.name)
		case e.field == "" && len(left) > 0 && left[0].field == "" && g.chance(0.3):
			g.arms("on "+e.name+", "+left[0].name, "", false)
			left = left[1:]
		default:
			g.arms("on "+e.name, e.field, false)
		}
	}
	if !g.flat && g.chance(0.6) {
		g.timer()
	}
}

func (g *generator) choice() {
	if g.slip() {
		g.line("on done when %s -> %s", g.guard(""), g.target())
		return
	}
	if g.chance(0.3) {
		g.arms("on done", "", false)
		return
	}
	g.line("on done when %s -> %s", g.guard(""), g.target())
	g.line("    else -> %s", g.ahead())
}

// work writes activities and the handlers of what they say.
func (g *generator) work() {
	labels := []string{""}
	if g.chance(0.25) && (!g.fans || g.chance(0.3)) {
		labels = []string{"x.", "y."}
	}
	quiet := false
	for _, label := range labels {
		a := pick(g, g.activities)
		text := "do " + a.name + "()"
		switch {
		case a.called:
			text = "do machine " + a.name + "(" + g.child + ")"
		case g.maybe:
			text = "do " + a.name + "(" + g.given("") + ")"
		}
		if g.inFan = g.fans && g.chance(0.85); g.inFan {
			text += g.fan()
		}
		if label != "" {
			text += " as " + label[:1]
		}
		if g.chance(0.1) && !a.called {
			text += " per " + g.scope()
		}
		if g.chance(0.7) {
			text += " timeout " + pick(g, []string{"4s", "12s"})
		}
		if g.chance(0.1) && !a.called {
			text += pick(g, []string{" heartbeat 4s", " progress 8s"})
		}
		g.line("%s", text)
		for _, e := range a.results {
			name := e.name
			if a.called && label != "" {
				_, name, _ = strings.Cut(name, ".")
			}
			if !g.slip() {
				g.arms("on "+label+name, e.field, true)
			}
		}
		if g.chance(0.5) {
			g.arms("on "+label+"failed", "", true)
		} else if g.category && a.fails && g.chance(0.5) {
			g.arms("on "+label+"failed(broken)", "", true)
		} else if g.chance(0.4) {
			g.arms("on "+label+pick(g, []string{"failed(unknown)", "failed(timeout, silent, stalled)"}), "failure", true)
		}
		quiet = quiet || len(a.results) == 0
	}
	g.inFan = false
	if (quiet || g.chance(0.3)) && !g.slip() {
		g.line("on done -> %s", g.ahead())
	}
}

func (g *generator) timer() {
	delay := pick(g, []string{"8s", "8s", "16s", "12s", "4s", "0s"})
	if delay == "0s" && g.chance(0.7) {
		delay = "24s"
	}
	if g.wait && g.chance(0.5) {
		delay = "w"
	}
	text := "after " + delay
	if delay != "w" && g.chance(0.1) { // an idle one waits for what it has read: see docs/decisions/0066-timed-configurations.md
		text += " idle"
	}
	if delay != "w" && g.chance(0.1) {
		text += " jitter 0.5"
	}
	g.arms(text, "", false)
}

// arms writes a chain of arms for a trigger whose event has a field of the type
// given. Raised says that an activity is behind it, which can be retried.
func (g *generator) arms(trigger, field string, raised bool) {
	handler := trigger
	for range 2 {
		when := ""
		if g.chance(0.3) {
			when = " when " + g.guard(field)
		}
		step, open := g.step(field, raised, strings.HasPrefix(trigger, "on E"))
		g.line("%s%s %s", handler, when, step)
		handler = "    else"
		if when == "" && open {
			return
		}
	}
	if g.slip() {
		return
	}
	if strings.HasPrefix(trigger, "on E") && g.chance(0.3) {
		g.line("    else reject")
		return
	}
	g.line("    else -> %s", g.ahead())
}

// step writes one step. Open says that no bound can be used up.
func (g *generator) step(field string, raised, external bool) (text string, open bool) {
	switch {
	case raised && g.chance(0.35):
		return g.retry(field)
	case g.chance(0.08):
		return "{ " + g.effect(field) + " }", true
	case g.chance(0.05):
		return "ignore", true
	case external && g.chance(0.04):
		return "reject", true
	}
	target := g.target()
	bound := ""
	switch {
	case !g.isAhead(target) && !g.slip() || g.chance(0.05):
		bound = fmt.Sprintf(" max %d", 1+g.IntN(3))
		if g.chance(0.5) {
			bound += " per " + g.scope()
		}
		if g.chance(0.15) {
			bound = " unbounded"
		}
	}
	block := ""
	if g.chance(0.4) {
		block = " { " + g.effect(field) + " }"
	}
	return "-> " + target + bound + block, !strings.HasPrefix(bound, " max")
}

func (g *generator) retry(field string) (text string, open bool) {
	text = fmt.Sprintf("retry %d", 1+g.IntN(3))
	switch {
	case g.chance(0.1):
		text = "retry unbounded"
	case g.chance(0.4):
		text += " per " + g.scope()
	}
	switch n := g.IntN(4); {
	case strings.Contains(text, "unbounded"):
		text += " backoff 4s jitter 0"
	case n == 0 && g.wait:
		text += " backoff by w"
	case n == 1:
		text += " backoff 4s..8s jitter 0"
	default:
		text += " backoff 4s jitter 0"
	}
	if g.chance(0.15) {
		text += " { " + g.effect(field) + " }"
	}
	return text, strings.Contains(text, "unbounded")
}

func (g *generator) scope() string {
	switch g.IntN(4) {
	case 0:
		return "run"
	case 1:
		return "visit"
	}
	if g.at != nil && g.at.parent != nil && g.chance(0.5) {
		return g.at.parent.path()
	}
	return pick(g, g.all).path()
}

// target is a state, mostly ahead.
func (g *generator) target() string {
	if g.chance(0.2) {
		s := pick(g, g.all)
		s.lead()
		return s.path()
	}
	return g.ahead()
}

// ahead is an end or a state that comes later, most often the first one that
// nothing leads to yet.
func (g *generator) ahead() string {
	var later, missed []*plannedState
	for _, s := range g.all {
		if g.isAhead(s.path()) {
			later = append(later, s)
			if !s.led {
				missed = append(missed, s)
			}
		}
	}
	switch {
	case len(missed) > 0 && g.chance(0.85):
		missed[0].lead()
		return missed[0].path()
	case len(later) > 0 && g.chance(0.3):
		s := pick(g, later)
		s.lead()
		return s.path()
	case g.chance(0.25):
		return g.end("Failed")
	}
	return g.end("Done")
}

// end notes that a terminal state is wanted.
func (g *generator) end(name string) string {
	g.ends[name] = true
	return name
}

// lead notes that an arm leads to s, and so to where s begins and what is around.
func (s *plannedState) lead() {
	for at := s; ; at = at.children[0] {
		at.led = true
		if len(at.children) == 0 {
			break
		}
	}
	for at := s.parent; at != nil; at = at.parent {
		at.led = true
	}
}

func (g *generator) isAhead(target string) bool {
	for _, s := range g.all {
		if s.path() == target {
			inside := g.at != nil && strings.HasPrefix(target, g.at.path()+".")
			return g.at == nil || s.number > g.at.number && !inside
		}
	}
	return true
}
