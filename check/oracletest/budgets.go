package oracletest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// GenerateEnforced writes a random machine as Generate does, whose runs are held to the
// costs of a budget: some states, or the machine, take over_budget.
func GenerateEnforced(r *rand.Rand) string { return enforced(r, Generate) }

// GenerateEnforcedFans is GenerateEnforced for activities that run for the elements of a list.
func GenerateEnforcedFans(r *rand.Rand) string { return enforced(r, GenerateFans) }

func enforced(r *rand.Rand, generate func(*rand.Rand) string) string {
	for {
		if src := generate(r); strings.Contains(src, "cost usd") {
			return enforce(src)
		}
	}
}

var (
	costLine   = regexp.MustCompile(`cost usd (0\.\d+)`)
	budgetLine = regexp.MustCompile(`(?m)^ *budget .*\n`)
	stateLine  = regexp.MustCompile(`(?m)^( *)state (\w+) \{\n`)
	firstLine  = regexp.MustCompile(`(?m)^    initial \w+\n`)
	goal       = regexp.MustCompile(`(?m)^    (?:state|terminal) (\w+)`)
)

// decided is a generator that src itself seeds, as does n, and the states and terminals to which an arm
// may lead.
func decided(src string, n uint64) (g *generator, goals []string) {
	h := fnv.New64a()
	h.Write([]byte(src))
	for _, m := range goal.FindAllStringSubmatch(src, -1) {
		goals = append(goals, m[1])
	}
	return &generator{Rand: rand.New(rand.NewPCG(h.Sum64(), n))}, goals
}

// inStates puts a handler into some states.
func (g *generator) inStates(src string, handler func() string) string {
	return stateLine.ReplaceAllStringFunc(src, func(line string) string {
		if g.chance(0.35) {
			return line + stateLine.FindStringSubmatch(line)[1] + "    " + handler() + "\n"
		}
		return line
	})
}

// atTop puts text into the machine, above its states.
func atTop(src, text string) string {
	at := firstLine.FindStringIndex(src)[1]
	return src[:at] + text + src[at:]
}

// enforce adds a budget and handlers, as the text itself decides.
func enforce(src string) string {
	g, goals := decided(src, 2)
	tokens := g.chance(0.5)
	if tokens {
		src = costLine.ReplaceAllStringFunc(src, func(cost string) string {
			if g.chance(0.7) {
				return cost + fmt.Sprintf(", tokens 0.%02d", 1+g.IntN(4))
			}
			return cost
		})
		tokens = strings.Contains(src, "tokens")
	}
	budget := "budget { usd " + pick(g, []string{"0", "0.04", "0.5", "100"})
	if tokens {
		budget += ", tokens " + pick(g, []string{"0.01", "3"})
	}
	steps := ""
	if m := regexp.MustCompile(`steps \d+`).FindString(src); m != "" {
		steps = ", " + m
	}
	src = budgetLine.ReplaceAllString(src, "")
	arms := func() string {
		trigger := pick(g, []string{"over_budget", "over_budget", "over_budget(usd)"})
		if tokens && g.chance(0.2) {
			trigger = "over_budget(tokens)"
		}
		step := pick(g, []string{"-> " + pick(g, goals), "-> " + pick(g, goals), "-> " + pick(g, goals), "ignore", "{ n = 1 }", "when n > 1 -> " + pick(g, goals)})
		return "on " + trigger + " " + step
	}
	src = g.inStates(src, arms)
	some := strings.Contains(src, "on over_budget")
	top := "    " + budget + steps + " }\n"
	if !some || g.chance(0.4) {
		top += "    on over_budget -> " + pick(g, goals) + "\n"
	}
	return atTop(src, top)
}

// spends are the costs of the activity of a do that runs are held to, and that have not
// passed their budget.
func (s *Space) spends(at *machine.Snapshot, do int) (names []string) {
	if !s.m.Begins(at, do) {
		return nil
	}
	for _, c := range s.Def.Activities[s.Def.Dos[do].Activity].Costs {
		if slices.ContainsFunc(s.Def.Budget.Costs, func(b machine.Cost) bool { return b.Name == c.Name }) && !slices.Contains(at.OverDone, c.Name) {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return names
}

// reports are all sets of costs that an attempt may say to be over their budgets, the empty
// one first.
func (s *Space) reports(at *machine.Snapshot, do int) [][]machine.Cost {
	list := [][]machine.Cost{nil}
	for _, name := range s.spends(at, do) {
		for _, set := range slices.Clone(list) {
			list = append(list, append(slices.Clone(set), machine.Cost{Name: name, Amount: "1000000"}))
		}
	}
	return list
}

// haltsNext notes that nothing speaks of the over_budget that is due in at, and reports
// whether that is so: the run halts there.
func (s *Space) haltsNext(at *machine.Snapshot) bool {
	if len(at.OverDue) == 0 || at.Status != machine.Running {
		return false
	}
	for _, h := range s.Def.States[at.State].Handlers {
		if h.Kind == machine.OverBudgetInput && h.Cost == at.OverDue[0] {
			return false
		}
	}
	in := machine.Input{Kind: machine.OverBudgetInput, Over: at.OverDue[0]}
	s.note(Event{What: Unhandled, State: at.State, Arm: -1, Kind: in.Kind, Name: s.m.Describe(in), Over: in.Over})
	return true
}

// haltsAtOnce notes that the over_budget that a report on the way makes due halts the run,
// whatever host guards say, and reports whether that is so: the report is then no step to a
// place of its own, from which nothing leads on.
func (s *Space) haltsAtOnce(i int, at *machine.Snapshot, now time.Time) bool {
	if len(at.OverDue) == 0 {
		return false
	}
	in := machine.Input{Kind: machine.OverBudgetInput, Over: at.OverDue[0]}
	var last *machine.Snapshot
	var record *machine.Record
	for _, answer := range []bool{true, false} {
		var err error
		last, _, record, err = s.m.Step(at, in, now, func(int, []machine.Value) (bool, error) { return answer, nil })
		if err != nil || last.Status != machine.Halted {
			return false
		}
	}
	s.halted(i, in, last.Halt.Cause, record)
	return true
}
