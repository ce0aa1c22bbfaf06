package check

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/stop"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/parallel"
)

// Run applies rules to all machines of prog and gives the findings, sorted by
// place. Machines are checked side by side on all cores; the outcome does not
// depend on how many there are.
func Run(prog *ir.Program, rules []*Rule) diag.List {
	return RunUpTo(prog, rules, explore.DefaultLimit)
}

// RunUpTo is Run with the most configurations of a machine that are told apart.
// What that leaves open is reported as `undecided`.
func RunUpTo(prog *ir.Program, rules []*Rule, limit int) diag.List {
	list, _ := RunContext(context.Background(), prog, rules, limit)
	return list
}

// RunContext is RunUpTo that is given up when ctx is done, within some hundredths of a
// second: then there are no findings, and the error is that of ctx.
func RunContext(ctx context.Context, prog *ir.Program, rules []*Rule, limit int) (diag.List, error) {
	list, _, err := check(ctx, prog, rules, limit, func(*session) {})
	return list, err
}

// AnalyzeContext is Analyze that is given up as RunContext is.
func AnalyzeContext(ctx context.Context, prog *ir.Program, rules []*Rule, limit int, runs bool) (diag.List, []*Worst, error) {
	return check(ctx, prog, rules, limit, func(s *session) { s.bounds, s.runs = true, runs })
}

// VisitsContext is AnalyzeContext with the worst visits of all states. Of a figure it tells the
// amount alone: to find a run that reaches it would take as long as all the rest.
func VisitsContext(ctx context.Context, prog *ir.Program, rules []*Rule, limit int) (diag.List, []*Worst, error) {
	return check(ctx, prog, rules, limit, func(s *session) { s.bounds, s.visits = true, true })
}

// Analyze is RunUpTo and Bounds of every machine, in the order of the program,
// with the runs that reach the figures where runs says so. Both come from one
// exploration.
func Analyze(prog *ir.Program, rules []*Rule, limit int, runs bool) (diag.List, []*Worst) {
	list, worst, _ := AnalyzeContext(context.Background(), prog, rules, limit, runs)
	return list, worst
}

func check(ctx context.Context, prog *ir.Program, rules []*Rule, limit int, set func(*session)) (diag.List, []*Worst, error) {
	s := newSession(prog.Machines, rules, limit)
	s.ctx = ctx
	set(s)
	lists, worst := make([]diag.List, len(prog.Machines)), make([]*Worst, len(prog.Machines))
	parallel.Do(len(lists), func(i int) {
		defer caught()
		r := s.of(prog.Machines[i])
		lists[i], worst[i] = r.list, r.worst
	})
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	return joined(append(lists, files(prog, rules))), worst, nil
}

// caught ends the panic by which a check is given up.
func caught() {
	if v := recover(); v != nil && v != any(stop.Given) {
		panic(v)
	}
}

func joined(lists []diag.List) diag.List {
	var all diag.List
	for _, list := range lists {
		all = append(all, list...)
	}
	all.Sort()
	return all
}

// files applies rules to what the files of prog have outside their machines.
func files(prog *ir.Program, rules []*Rule) diag.List {
	var list diag.List
	for _, f := range prog.Files {
		s := newShared(&ir.Machine{Allows: f.Allows, Incomplete: f.Incomplete, Broken: f.Broken}, 0)
		for _, r := range rules {
			if r.RunFile != nil && !(r.Absence && f.Incomplete) {
				r.RunFile(&Pass{shared: s, rule: r}, f)
			}
		}
		list = append(list, s.settled(rules, s.findings)...)
	}
	return list
}

// run runs the rule, and says in a panic which it was: rules run side by side.
func (r *Rule) run(p *Pass) {
	defer func() {
		if v := recover(); v == any(stop.Given) {
			panic(v)
		} else if v != nil {
			panic(fmt.Sprintf("rule %s on machine %s: %v\n%s", r.Name, p.Machine.Name, v, debug.Stack()))
		}
	}()
	r.Run(p)
}

// apply applies rules to the machine.
func (s *shared) apply(rules []*Rule) diag.List {
	m := s.Machine
	for _, late := range []bool{false, true} {
		for _, r := range rules {
			s.stop.Look()
			if r.Run != nil && r.Late == late && !(r.Absence && m.Incomplete) && !(r.Sound && m.Broken) && !(r.Starts && !s.Starts()) {
				s.changes = nil
				r.run(&Pass{shared: s, rule: r})
				s.early(r)
			}
		}
	}
	return s.settled(rules, gather(s.spoken()))
}

// settled is what is left of found, and what rules say of the suppressions.
func (s *shared) settled(rules []*Rule, found []found) diag.List {
	left := s.suppress(found, rules)
	s.findings = nil
	for _, r := range rules {
		if r.RunLast != nil {
			r.RunLast(&Pass{shared: s, rule: r})
		}
	}
	var list diag.List
	for _, f := range append(left, s.findings...) {
		list.Add(diag.Diagnostic{
			Rule: f.rule.Name, Severity: f.severity(), Machine: s.Machine.Name,
			Span: f.Span, Message: f.Message, Help: f.Help, Related: f.Related, Witness: f.Witness.Diag(), Fixes: f.Fixes,
		})
	}
	return list
}
