package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// problemGroup is all that is wrong in one way with runs of a machine in a state.
type problemGroup struct {
	Kind           runtime.ProblemKind
	Machine, State string
	Problems       []problemRow
	Oldest         time.Time
	More           bool
}

// problemRow is one problem, with the commands that its run would take and that may help.
type problemRow struct {
	runtime.Problem
	Commands []command
}

// helpful are the commands that may help with a problem of a kind. A run that nothing moves can still be
// cancelled: that is a step, which every engine writes.
var helpful = map[runtime.ProblemKind][]machine.InputKind{
	runtime.HaltedRun:    {machine.RetryInput, machine.CancelInput},
	runtime.PausedRun:    {machine.ResumeInput, machine.CancelInput},
	runtime.StuckRun:     {machine.RetryInput, machine.CancelInput},
	runtime.OverBudget:   {machine.PauseInput, machine.ResumeInput, machine.CancelInput},
	runtime.OverdueTimer: {machine.CancelInput},
	runtime.ExpiredLease: {machine.CancelInput},
	runtime.NoWorker:     {machine.CancelInput},
}

// Advice says what helps with the runs of a group where no button does.
func (g *problemGroup) Advice() string {
	switch g.Kind {
	case runtime.OverdueTimer, runtime.ExpiredLease:
		return "No engine works on them: fsmc run --follow does, or fsmc serve --work."
	case runtime.PausedRun:
		return "A run waits for each of them: resume them, or pause that run, too."
	case runtime.OutboxLag:
		return "fsmc run --follow --outbox CMD delivers them: serve and workers without --outbox do not."
	case runtime.NoWorker:
		return "A worker takes them that has the activity: fsmc run --follow --activities DIR, or fsmc serve --work."
	case runtime.DamagedRun:
		return "fsmc repair shows what is wrong, and puts it right."
	}
	return ""
}

// Runs are those of the group that would take a command, each once.
func (g *problemGroup) Runs(name string) (runs []string) {
	for i := range g.Problems {
		p := &g.Problems[i]
		if slices.ContainsFunc(p.Commands, func(c command) bool { return c.Name == name }) && !slices.Contains(runs, p.Run) {
			runs = append(runs, p.Run)
		}
	}
	return runs
}

// Commands are those of the group's runs, where more than one would take them.
func (g *problemGroup) Commands() (out []command) {
	for _, l := range labels {
		if c := l.command(""); len(g.Runs(c.Name)) > 1 {
			out = append(out, c)
		}
	}
	return out
}

// groups are the problems by kind, machine and state, the largest group first.
func groups(h *runtime.Health) (out []*problemGroup) {
	type key struct {
		kind           runtime.ProblemKind
		machine, state string
	}
	known := map[key]*problemGroup{}
	for _, p := range h.Problems {
		k := key{p.Kind, p.Machine, p.State}
		g := known[k]
		if g == nil {
			g = &problemGroup{Kind: p.Kind, Machine: p.Machine, State: p.State, Oldest: p.Since, More: slices.Contains(h.More, p.Kind)}
			known[k] = g
			out = append(out, g)
		}
		g.Problems = append(g.Problems, problemRow{Problem: p})
		if p.Since.Before(g.Oldest) {
			g.Oldest = p.Since
		}
	}
	slices.SortStableFunc(out, func(a, b *problemGroup) int { return cmp.Compare(len(b.Problems), len(a.Problems)) })
	return out
}

// affected is how many runs have problems, of which one may have several.
func affected(problems []runtime.Problem) int {
	runs := map[string]bool{}
	for i := range problems {
		runs[problems[i].Run] = true
	}
	return len(runs)
}

// Words says what is wrong with the runs of a group.
func (g *problemGroup) Words() string {
	switch g.Kind {
	case runtime.PausedRun:
		return "paused, while a run waits for each"
	case runtime.StuckRun:
		return "stuck"
	case runtime.OverdueTimer:
		return "overdue"
	case runtime.ExpiredLease:
		return "with a lease that ran out"
	case runtime.NoWorker:
		return "that no worker takes"
	case runtime.OutboxLag:
		return "with a message that no one delivers"
	case runtime.OverBudget:
		return "over budget"
	}
	return string(g.Kind)
}

// Where is the filter that finds the runs of a group.
func (g *problemGroup) Where() string {
	text := ""
	if g.Machine != "" {
		text = "machine=" + g.Machine
	}
	if g.State != "" {
		text += " state=" + g.State
	}
	if g.Kind == runtime.HaltedRun {
		text += " status=halted"
	}
	if g.Kind == runtime.PausedRun {
		text += " status=paused"
	}
	return text
}

func (s *Site) problemsPage(r *http.Request) (page, error) {
	survey, err := s.look(r.Context())
	if err != nil {
		return page{}, err
	}
	found := groups(&survey.health)
	if s.mayWrite(r) {
		for _, g := range found {
			s.findCommands(r.Context(), g)
		}
	}
	return page{name: "problems", title: "Problems", pace: surveyAge, data: found}, nil
}

// findCommands finds out what the runs of a group would take of that which may help.
func (s *Site) findCommands(ctx context.Context, g *problemGroup) {
	may := helpful[g.Kind]
	for i := range g.Problems {
		p := &g.Problems[i]
		if len(may) == 0 || p.Run == "" {
			continue
		}
		for _, c := range s.commands(ctx, p.Run) {
			if slices.Contains(may, machine.InputKind(c.Name)) {
				p.Commands = append(p.Commands, c)
			}
		}
	}
}
