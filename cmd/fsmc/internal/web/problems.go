package web

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// problemGroup is all that is wrong in one way with runs of a machine in a state.
type problemGroup struct {
	Kind           runtime.ProblemKind
	Machine, State string
	Problems       []runtime.Problem
	Oldest         time.Time
	More           bool
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
		g.Problems = append(g.Problems, p)
		if p.Since.Before(g.Oldest) {
			g.Oldest = p.Since
		}
	}
	slices.SortStableFunc(out, func(a, b *problemGroup) int { return cmp.Compare(len(b.Problems), len(a.Problems)) })
	return out
}

// Words says what is wrong with the runs of a group.
func (g *problemGroup) Words() string {
	switch g.Kind {
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
	return text
}

func (s *Site) problemsPage(r *http.Request) (page, error) {
	survey, err := s.look(r.Context())
	if err != nil {
		return page{}, err
	}
	return page{name: "problems", title: "Problems", pace: surveyAge, data: groups(&survey.health)}, nil
}
