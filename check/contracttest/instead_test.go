package contracttest_test

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/check/contracttest"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// instead says whether another finding stands for one that is missing: section 7 of
// the contract ("one fault, one finding"), and no more than that.
func (s *said) instead(f contracttest.Fault) bool {
	has := func(rule string, line int) bool { return s.at[place{rule, line}] }
	switch f.Rule {
	case "no-way-to-finish": // of one state of the trap
		return slices.ContainsFunc(s.m.States(), func(st *contracttest.State) bool {
			line := st.Line()
			return s.space.Round(f.Rule, s.m.StateAt(f.Line), st) &&
				(has("dead-end", line) || s.endless(st) || has("spinning-loop", line) || s.standsStill(line) || s.spent(line) || s.circles(st) || s.cutOff(st))
		})
	case "dead-end":
		return has("spinning-loop", f.Line) || s.endless(s.m.StateAt(f.Line))
	case "spinning-loop": // of a circle of requires, one leaf is named
		return s.space.Found[f] && len(s.has["spinning-loop"]) > 0
	case "unbounded-loop": // one that spins replaces it, wherever on the cycle
		return slices.ContainsFunc(s.m.States(), func(st *contracttest.State) bool {
			return (has("spinning-loop", st.Line()) || s.cutOff(st)) && s.space.Round(f.Rule, s.m.StateAt(f.Line), st)
		})
	case "waits-forever":
		return has("dead-end", f.Line) || has("no-way-to-finish", f.Line) || s.circles(s.m.StateAt(f.Line)) ||
			s.m.Budget != nil && has("unhandled-done", f.Line) // which silences that the run is stuck, once over_budget was taken
	case "unreachable-state":
		return s.unreachable(s.m.StateAt(f.Line))
	case "require-violated": // of a circle of requires, that is the fault
		return s.unreachable(s.m.StateAt(f.Line)) || s.space.Found[contracttest.Fault{Rule: "spinning-loop", Line: f.Line, Name: f.Name}] && s.space.Circles() && len(s.has["spinning-loop"]) > 0
	case "no-success": // no run enters any of them, which is said of one
		return slices.ContainsFunc(s.m.Successes(), s.unreachable)
	case "guard-gap": // of a handler that as a whole takes nothing
		return s.space.Dead(s.m.Locate(f.Line))
	case "dead-arm":
		return s.dead(f.Line)
	case "out-of-range": // of a block that reads what is not set
		return slices.ContainsFunc(s.has["read-before-set"], func(d diag.Diagnostic) bool {
			return slices.ContainsFunc(s.space.Broken(), func(a *contracttest.Arm) bool {
				return slices.ContainsFunc(s.m.States(), func(st *contracttest.State) bool {
					return st.Within(a.Home()) && a.Has(f.Line, st) && tells(d, func(line int) bool { return a.Has(line, st) })
				})
			})
		})
	}
	return false
}

// tells says whether d, which tells of the reads of a field, tells of one in a line that is
// meant: one finding is for all of them, and shows three beside the first.
func tells(d diag.Diagnostic, meant func(int) bool) bool {
	return meant(d.Span.Start.Line) || len(d.Related) > 3 ||
		slices.ContainsFunc(d.Related, func(r diag.Related) bool { return meant(r.Span.Start.Line) })
}

// standsStill says whether a run stands in a leaf since the step of an input cannot be
// computed there, and that is said.
func (s *said) standsStill(line int) bool {
	for _, d := range append(s.has["read-before-set"], s.has["out-of-range"]...) {
		for _, a := range s.space.Broken() {
			leaf := s.m.StateAt(line)
			if leaf.Within(a.Home()) && (d.Rule == "read-before-set" || a.Has(d.Span.Start.Line, leaf)) {
				return true
			}
		}
	}
	return false
}

// circles says whether a step from st runs into requires that lead round, and that is
// said.
func (s *said) circles(st *contracttest.State) bool {
	return s.space.Circles() && len(s.has["spinning-loop"]) > 0 && slices.ContainsFunc(s.space.Broken(), func(a *contracttest.Arm) bool { return st.Within(a.Home()) })
}

// cutOff says whether it is said of a timer that runs in a leaf that it never fires, and that no
// run enters what it leads to.
func (s *said) cutOff(leaf *contracttest.State) bool {
	return slices.ContainsFunc(s.has["never-fires"], func(d diag.Diagnostic) bool {
		return strings.Contains(d.Message, "so no run enters ") &&
			slices.ContainsFunc(s.m.AfterAt(d.Span.Start.Line), func(a *contracttest.Arm) bool { return leaf.Within(a.Home()) })
	})
}

// spent says whether it is said of an event in a leaf that its bound can run out.
func (s *said) spent(line int) bool {
	return slices.ContainsFunc(s.has["bound-without-else"], func(d diag.Diagnostic) bool {
		arm, _, _ := s.m.ArmAt(d.Span.Start.Line)
		return arm != nil && s.m.StateAt(line).Within(arm.Home())
	})
}

// unreachable says whether it is said that no run enters st or what is around it: in so
// many words, by the timer that never leads there or to what leads there, by a loop that is not left, or
// by the step on the way that cannot be computed.
func (s *said) unreachable(st *contracttest.State) bool {
	for _, d := range append(s.has["unreachable-state"], s.has["never-fires"]...) {
		for _, other := range s.m.States() {
			named := strings.Contains(d.Message, "no run enters "+strconv.Quote(other.Path())) ||
				d.Rule == "unreachable-state" && (strings.Contains(d.Message, strconv.Quote(other.Path())) || strings.HasSuffix(d.Message, " more behind it"))
			if named && st.Within(other) {
				return true
			}
		}
	}
	for _, d := range s.has["never-fires"] {
		if strings.Contains(d.Message, "so no run enters ") && s.behind(st, s.m.AfterAt(d.Span.Start.Line)...) {
			return true
		}
	}
	if s.behind(st, s.loopArms()...) {
		return true
	}
	broken := len(s.has["read-before-set"])+len(s.has["out-of-range"]) > 0 || s.space.Circles() && len(s.has["spinning-loop"]) > 0
	return broken && s.behind(st, s.space.Stopped()...)
}

// behind says whether a run might enter st, or what is around it, if arms were taken.
func (s *said) behind(st *contracttest.State, arms ...*contracttest.Arm) bool {
	behind := s.space.Behind(arms)
	return slices.ContainsFunc(s.m.States(), func(around *contracttest.State) bool {
		return st.Within(around) && !s.space.Entered(around) && behind[around]
	})
}

// loopArms are the arms that no run takes because of loops that are told: those of all inputs where
// a loop waits for nothing, and else those of the input where the finding stands.
func (s *said) loopArms() (arms []*contracttest.Arm) {
	for _, d := range s.has["spinning-loop"] {
		for _, st := range s.m.States() {
			if strings.Contains(d.Message, strconv.Quote(st.Path())) {
				arms = append(arms, s.m.Around(st)...)
			}
		}
	}
	for _, d := range s.has["unbounded-loop"] {
		if arm, _, _ := s.m.ArmAt(d.Span.Start.Line); arm != nil {
			arms = append(arms, s.m.SameInput(arm)...)
		}
	}
	return arms
}

// endless says whether it is told that a loop goes through st and is not left by an arm beside one of it.
func (s *said) endless(st *contracttest.State) bool {
	return slices.ContainsFunc(s.has["unbounded-loop"], func(d diag.Diagnostic) bool {
		arm, chain, _ := s.m.ArmAt(d.Span.Start.Line)
		return arm != nil && len(chain) > 1 && st.Within(arm.Home())
	})
}

// dead says whether it is told otherwise that the arm at a line is never taken: its
// target is unreachable, nothing raises what it would retry, its state spins, its timer or the limit that raises it never fires, an arm before it in
// the chain is dead, its guards read what nothing has set, or its input goes round a loop or cannot
// be computed.
func (s *said) dead(line int) bool {
	arm, chain, trigger := s.m.ArmAt(line)
	for _, a := range chain {
		if a == arm {
			break
		}
		if s.at[place{"dead-arm", a.Line()}] {
			return true
		}
	}
	if s.at[place{"retry-without-activity", s.m.Locate(line)}] || s.at[place{"spinning-loop", arm.Home().Line()}] {
		return true
	}
	if len(s.has["read-before-set"])+len(s.has["out-of-range"]) > 0 && slices.ContainsFunc(s.space.Stopped(), func(a *contracttest.Arm) bool { return slices.Contains(s.m.SameInput(a), arm) }) {
		return true
	}
	for _, d := range s.has["unbounded-loop"] {
		if a, _, _ := s.m.ArmAt(d.Span.Start.Line); a != nil && slices.Contains(s.m.SameInput(a), arm) {
			return true
		}
	}
	for _, d := range s.has["never-fires"] {
		leaf := s.m.DoAt(d.Span.Start.Line)
		if s.m.Locate(d.Span.Start.Line) == s.m.Locate(line) || trigger == "failed" && leaf != nil && leaf.Within(arm.Home()) {
			return true
		}
	}
	for _, d := range append(s.has["never-set"], s.has["read-before-set"]...) {
		for _, name := range contracttest.Reads(chain) {
			if strings.Contains(d.Message, strconv.Quote(name)) {
				return true
			}
		}
	}
	return arm.To != nil && !s.space.Entered(arm.To) && s.unreachable(arm.To)
}
