package oracletest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// GenerateTimedTree writes two or three random machines that call one another, of which nearly
// everything has a limit: attempts have timeouts, and runs that are called end.
func GenerateTimedTree(r *rand.Rand) string {
	g := &generator{Rand: r}
	names := []string{"M", "Middle", "Low"}[:2+r.IntN(2)]
	var text []string
	for i, name := range names {
		if i < len(names)-1 {
			text = append(text, g.timedCaller(name, names[i+1]))
		} else {
			text = append(text, g.timedCallee(name))
		}
	}
	return strings.Join(text, "\n")
}

// theEnds are the terminals of such a machine.
const theEnds = "    terminal Good\n    terminal Bad failure\n}\n"

// timedCallee writes a machine that calls none.
func (g *generator) timedCallee(name string) string {
	text := "machine " + name + " {\n    event Paid\n    activity pay() -> Paid\n    initial S0\n" + g.whole()
	n := 1 + g.IntN(2)
	for i := range n {
		next := nextOf(i, n)
		text += fmt.Sprintf("    state S%d {\n        do pay() timeout %s\n        on Paid -> %s\n        on failed %s-> %s\n%s    }\n",
			i, g.wait4(), next, g.again(), pick(g, []string{"Bad", next}), g.timerTo(next))
	}
	return text + g.undoing() + theEnds
}

// timedCaller writes a machine that calls another: once, for the elements of a list, or twice side
// by side.
func (g *generator) timedCaller(name, callee string) string {
	fans := g.chance(0.5)
	text := "machine " + name
	if fans && name == "M" {
		text += fmt.Sprintf("(xs [0..%d]string)", 1+g.IntN(4))
	}
	text += " {\n"
	if fans && name != "M" {
		text += "    context { xs [0..2]string = [] }\n    event Filled { xs [0..2]string }\n"
	}
	text += "    event Paid\n    activity pay() -> Paid\n"
	n := 1 + g.IntN(2)
	first := "S0"
	if fans && name != "M" {
		first = "Filling"
	}
	text += "    initial " + first + "\n" + g.whole()
	if first == "Filling" {
		text += "    state Filling {\n        on Filled -> S0 { xs = event.xs }\n        after 4s -> S0\n    }\n"
	}
	for i := range n {
		text += g.calling(i, nextOf(i, n), callee, fans)
	}
	return text + g.undoing() + theEnds
}

// calling writes a state that calls a machine.
func (g *generator) calling(i int, next, callee string, fans bool) string {
	text := fmt.Sprintf("    state S%d {\n", i)
	do := "        do machine " + callee + "()"
	fan := fans && g.chance(0.7)
	if fan {
		do += " for x in xs"
		if g.chance(0.7) {
			do += fmt.Sprintf(" limit %d", 1+g.IntN(2))
		}
	}
	do += " as c"
	if g.chance(0.5) {
		do += " timeout " + g.wait4()
	}
	text += do + "\n"
	beside := !fan && g.chance(0.4)
	if beside {
		text += pick(g, []string{
			"        do pay() as d timeout 8s\n        on d.Paid {}\n        on d.failed {}\n",
			"        do pay() as d timeout 4s\n        on d.Paid {}\n        on d.failed retry 2 backoff 8s jitter 0\n            else {}\n",
			"        do machine " + callee + "() as d timeout 8s\n        on d.Good, d.Bad, d.failed {}\n",
		})
	}
	ends := "-> " + next
	if fan || beside {
		ends = "{}"
	}
	text += "        on c.Good " + pick(g, []string{ends, ends, "-> " + next}) + "\n"
	text += "        on c.Bad " + g.again() + ends + "\n"
	text += "        on c.failed " + g.again() + pick(g, []string{ends, ends, "-> Bad"}) + "\n"
	if fan || beside {
		text += "        on done -> " + next + "\n"
	}
	return text + g.timerTo(next) + "    }\n"
}

// nextOf is the state behind one of n.
func nextOf(i, n int) string {
	if i+1 == n {
		return "Good"
	}
	return fmt.Sprintf("S%d", i+1)
}

// wait4 is a short time.
func (g *generator) wait4() string { return pick(g, []string{"4s", "8s", "12s", "20s"}) }

// again is a retry, or nothing.
func (g *generator) again() string {
	if g.chance(0.6) {
		return ""
	}
	return fmt.Sprintf("retry %d backoff %s jitter 0\n            else ", 1+g.IntN(2), pick(g, []string{"4s", "8s"}))
}

// timerTo is a timer of a state, or nothing.
func (g *generator) timerTo(next string) string {
	if g.chance(0.7) {
		return ""
	}
	return fmt.Sprintf("        after %s -> %s\n", g.wait4(), next)
}

// whole is a timer and a cancel of the machine, or nothing.
func (g *generator) whole() string {
	text := ""
	if g.chance(0.2) {
		text = "    after 28s -> Bad\n"
	}
	if g.chance(0.6) {
		text += "    on cancel -> Undoing\n"
	}
	return text
}

// undoing is a state in which a machine that was cancelled waits.
func (g *generator) undoing() string {
	return fmt.Sprintf("    state Undoing {\n        after %s -> Bad\n    }\n", g.wait4())
}

// GenerateEnforcedTree is GenerateTree with a caller whose runs are held to what the other
// machine spends.
func GenerateEnforcedTree(r *rand.Rand) string {
	for {
		caller, callee, _ := strings.Cut(GenerateTree(r), "\nmachine Child")
		if strings.Contains(callee, "cost usd") {
			return enforce(caller) + "\nmachine Child" + callee
		}
	}
}

// GenerateTimed writes a random machine as Generate does, whose runs are held to the time of a
// budget: some states, or the machine, take over_budget(time).
func GenerateTimed(r *rand.Rand) string {
	src := budgetLine.ReplaceAllString(Generate(r), "")
	g, goals := decided(src, 3)
	trigger := "on " + pick(g, []string{"over_budget", "over_budget(time)"})
	arms := func() string {
		return trigger + " " + pick(g, []string{"-> " + pick(g, goals), "-> " + pick(g, goals), "-> " + pick(g, goals), "ignore", "{ n = 1 }", "when n > 1 -> " + pick(g, goals)})
	}
	src = g.inStates(src, arms)
	top := "    budget { time " + pick(g, []string{"1s", "30s", "90s", "3m", "30m"}) + " }\n"
	if !strings.Contains(src, trigger) || g.chance(0.5) {
		top += "    " + trigger + " -> " + pick(g, goals) + "\n"
	}
	return atTop(src, top)
}
