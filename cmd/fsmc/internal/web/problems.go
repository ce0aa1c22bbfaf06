package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime"
)

// problemGroup is all that is wrong in one way with runs of a machine in a state.
type problemGroup struct {
	Kind           runtime.ProblemKind
	Machine, State string
	Problems       []problemRow
	More           bool
}

// problemRow is one problem, with the commands that its run would take and that may help.
type problemRow struct {
	runtime.Problem
	Commands []command
}

// kinds say what is wrong with the runs of a kind of problem, the commands that may help, and what does where no
// button does. A run that nothing moves can still be cancelled: that is a step, which every engine writes.
var kinds = map[runtime.ProblemKind]struct {
	words   string // where its name does not
	helpful []string
	advice  string
}{
	runtime.HaltedRun:    {"", []string{"retry", "cancel"}, ""},
	runtime.PausedRun:    {"paused, while a run waits for each", []string{"resume", "cancel"}, "A run waits for each of them: resume them, or pause that run, too."},
	runtime.StuckRun:     {"stuck", []string{"retry", "cancel"}, ""},
	runtime.OverBudget:   {"over budget", []string{"pause", "resume", "cancel"}, ""},
	runtime.OverdueTimer: {"overdue", []string{"cancel"}, noEngine},
	runtime.ExpiredLease: {"with a lease that ran out", []string{"cancel"}, noEngine},
	runtime.UnstoredEnd: {"with an end that is not stored", []string{"cancel"},
		"The log of the worker says why: the executable of a guard may be missing in its folder."},
	runtime.NoWorker: {"that no worker takes", []string{"cancel"},
		"A worker takes them that has the activity: fsmc run --follow --activities DIR, or fsmc serve --work."},
	runtime.OutboxLag:  {"with a message that no one delivers", nil, "fsmc run --follow --outbox CMD delivers them: serve and workers without --outbox do not."},
	runtime.DamagedRun: {"", nil, "fsmc repair shows what is wrong, and puts it right."},
}

const noEngine = "No engine works on them: fsmc run --follow does, or fsmc serve --work."

// Words says what is wrong with the runs of a group.
func (g *problemGroup) Words() string { return cmp.Or(kinds[g.Kind].words, string(g.Kind)) }

// Advice says what helps with the runs of a group where no button does.
func (g *problemGroup) Advice() string { return kinds[g.Kind].advice }

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
func (g *problemGroup) Commands() []command {
	return filtered(buttons, func(c command) bool { return len(g.Runs(c.Name)) > 1 })
}

// groups are the problems by kind, machine and state, the largest group first.
func groups(h *runtime.Health) (out []*problemGroup) {
	for _, p := range h.Problems {
		at := slices.IndexFunc(out, func(g *problemGroup) bool { return g.Kind == p.Kind && g.Machine == p.Machine && g.State == p.State })
		if at < 0 {
			at = len(out)
			out = append(out, &problemGroup{Kind: p.Kind, Machine: p.Machine, State: p.State, More: slices.Contains(h.More, p.Kind)})
		}
		out[at].Problems = append(out[at].Problems, problemRow{Problem: p})
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
	return page{Section: "problems", Title: "Problems", pace: surveyAge, Page: found}, nil
}

// findCommands finds out what the runs of a group would take of that which may help.
func (s *Site) findCommands(ctx context.Context, g *problemGroup) {
	may := kinds[g.Kind].helpful
	for i := range g.Problems {
		p := &g.Problems[i]
		if len(may) == 0 || p.Run == "" {
			continue
		}
		p.Commands = filtered(s.commands(ctx, p.Run), func(c command) bool { return slices.Contains(may, c.Name) })
	}
}
