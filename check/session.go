package check

import (
	"context"
	"slices"
	"sync"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/stop"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// session checks machines, each once, and before those that call it. What callers have to
// know of it is its summary.
type session struct {
	ctx    context.Context
	rules  []*Rule
	limit  int
	bounds bool // the worst cases are wanted
	runs   bool // and the runs that reach them
	visits bool // and the worst visits, but of no figure what it is made of or whether a run reaches it

	// Not changed once machines are checked side by side.
	results map[*ir.Machine]*result
	called  map[*ir.Machine]bool
}

// result is what a check of a machine gives.
type result struct {
	once    sync.Once
	list    diag.List
	worst   *Worst
	summary *Summary // of one that is called
}

// newSession prepares the check of machines and of all that they call.
func newSession(machines []*ir.Machine, rules []*Rule, limit int) *session {
	s := &session{
		ctx: context.Background(), rules: rules, limit: limit,
		results: map[*ir.Machine]*result{}, called: map[*ir.Machine]bool{},
	}
	for all := slices.Clone(machines); len(all) > 0; all = all[1:] {
		if s.results[all[0]] != nil {
			continue
		}
		s.results[all[0]] = &result{}
		for _, a := range all[0].Activities {
			if a.Machine != nil {
				s.called[a.Machine] = true
				all = append(all, a.Machine)
			}
		}
	}
	return s
}

// of is the check of m; those of what it calls come first. No machine leads back to one
// that calls it.
func (s *session) of(m *ir.Machine) *result {
	r := s.results[m]
	r.once.Do(func() {
		p := s.shared(m)
		if s.rules != nil {
			r.list = p.apply(s.rules)
			if more := p.effort(r); more > flat.AtFirst && explore.HasWide(p.Table(), s.limit) {
				p = s.further(p, r, func(t *flat.Table) { t.Wide = more })
			}
			if undecided(r.list) > 0 && p.proof.product != nil && explore.HasTimes(p.Table()) { // without it, there are too many without their times
				p = s.further(p, r, func(t *flat.Table) { t.Timed = true })
			}
		}
		if s.bounds || s.called[m] {
			r.worst = p.bounds(!s.visits || s.called[m])
		}
		if s.visits && r.worst != nil {
			p.visits(r.worst)
		}
		if s.called[m] {
			r.summary = p.summarize(slices.ContainsFunc(r.list, misleads))
		}
		if r.worst != nil && !s.runs {
			r.worst.dropRuns()
		}
	})
	stop.On(s.ctx).Look() // another goroutine may have given it up
	return r
}

// further checks the machine of p again with more told apart. It is p that is left where that
// decides no more. What p knows past the limit holds then, too.
func (s *session) further(p *shared, r *result, let func(*flat.Table)) *shared {
	again := s.shared(p.Machine)
	again.Table().Wide, again.Table().Timed = p.Table().Wide, p.Table().Timed
	let(again.Table())
	if p.proof.product == nil && p.proof.limit >= p.proof.most {
		again.Table().Past, again.proof.passed = true, p.proof.passed
	}
	list := again.apply(s.rules)
	before, now := undecided(r.list), undecided(list)
	if now > before || now == before && (!p.guessed() || again.proof.product == nil || again.guessed()) {
		return p
	}
	coarser := p.timed() && !again.timed()
	if coarser && losesSure(r.list, list) {
		return p
	}
	if r.list = list; coarser {
		return p // for figures times do more than values
	}
	return again
}

// losesSure reports whether something of before is not in now that is no guess: of which a run is the
// witness, or that needs none.
func losesSure(before, now diag.List) bool {
	return slices.ContainsFunc(before, func(d diag.Diagnostic) bool {
		guess := d.Rule == "undecided" || d.Witness != nil && len(d.Witness.Path) == 0
		return !guess && !slices.ContainsFunc(now, func(other diag.Diagnostic) bool { return other.Rule == d.Rule && other.Span == d.Span })
	})
}

// effort is how far wide ranges are worth telling apart, with what the check has given.
func (s *shared) effort(r *result) flat.Effort {
	switch {
	case undecided(r.list) > 0 || s.unshown && s.guessed():
		return flat.ForAnswers
	case s.guessed():
		return flat.ForGuesses
	}
	return flat.AtFirst
}

// guessed reports whether a path of the product may be no run: then what it meets may be met by none,
// and what it reaches not be reached.
func (s *shared) guessed() bool { return s.proof.product != nil && s.proof.product.Guessed }

// timed reports whether the product tells configurations apart by their times.
func (s *shared) timed() bool { return s.proof.product != nil && s.proof.product.Timed() }

// undecided is how many questions are open.
func undecided(list diag.List) (n int) {
	for i := range list {
		if list[i].Rule == "undecided" {
			n++
		}
	}
	return n
}

// harmless are the errors with which the summary of a machine is true all the same: what is
// said of its runs, or left open.
var harmless = []string{"unreachable-state", "never-fires", "over-budget", "assertion-violated", "undecided"}

// misleads reports whether nothing is to be believed of the runs of a machine with this
// finding.
func misleads(d diag.Diagnostic) bool {
	return d.Severity == diag.Error && !slices.Contains(harmless, d.Rule)
}

// shared begins the check of m with what is known of the machines that it calls.
func (s *session) shared(m *ir.Machine) *shared {
	p := newShared(m, s.limit)
	p.stop = stop.On(s.ctx)
	p.called = s.called[m]
	p.callees = make([]*Summary, len(m.Activities))
	for i, a := range m.Activities {
		if a.Machine != nil {
			p.callees[i] = s.of(a.Machine).summary
		}
	}
	return p
}
