package check

import (
	"iter"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/replay"
	"github.com/fsmc-dev/fsmc/check/stop"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Pass is one rule at work on one machine, its field Machine. What costs time is
// computed when it is first asked for, once for all rules of the machine.
type Pass struct {
	*shared
	rule *Rule
}

// shared is what all passes over one machine have in common.
type shared struct {
	Machine  *ir.Machine
	stop     *stop.Stop
	called   bool // by another machine
	findings []found

	callees []*Summary // by activity: of those that call a machine
	table   *flat.Table
	raised  Raised
	uses    uses
	own     map[ir.Expr]*ir.Var // see uses.count
	rows    int                 // of all witnesses so far
	climbed int                 // steps of the runs that Climb has tried
	unshown bool                // something was said of values alone, without a run that has them
	proof   proof

	stage   *replay.Stage
	endings map[*witness.Witness]lastRow // of the witnesses made so far
	played  map[alongOf]*along
	changes *replay.Changes // why the last one that did not replay did not

	suppressions []Suppression // settled when all rules but those that run last have reported
}

// newShared begins with m, of which at most limit configurations are told apart.
func newShared(m *ir.Machine, limit int) *shared {
	return &shared{Machine: m, proof: proof{most: limit}, endings: map[*witness.Witness]lastRow{}}
}

// found is a finding with the rule that made it.
type found struct {
	Finding
	rule *Rule
}

// Finding is what a rule has to report.
type Finding struct {
	State   *ir.State  // the state that it is about; nil for the whole machine
	Span    token.Span // where it stands; the name of State, or of the machine, where none is given
	Message string     // as in diag.Diagnostic
	Help    string
	Related []diag.Related
	Witness *witness.Witness
	Fixes   []diag.Fix // changes after which it is gone; the best first

	Severity *diag.Severity // where it is not that of the rule

	Inputs []InputAt   // the inputs to which the finding comes down; for Silence alone
	Field  *ir.Var     // the field that it is about; for Silence alone
	Also   []*ir.State // states that it is about, too; for Silence alone
	Rests  []InputAt   // the inputs that make it true, as long as they are as they are; for Silence alone
	Behind []*ir.State // states that no run enters for the same reason; for Silence alone

	Question *Question // that it says is open: what silences an answer silences the question
}

// InputAt is an input in a leaf.
type InputAt = explore.InputAt

// InputsOf are all inputs of leaves.
func (s *shared) InputsOf(leaves ...*ir.State) (list []InputAt) {
	for _, leaf := range leaves {
		for in := range s.Table().Inputs(leaf) {
			list = append(list, InputAt{Leaf: leaf, ID: in.ID})
		}
	}
	return list
}

// severity is how much f weighs.
func (f *found) severity() diag.Severity {
	if f.Severity != nil {
		return *f.Severity
	}
	return f.rule.Severity
}

// Report makes f a finding of the rule.
func (p *Pass) Report(f Finding) {
	if !f.Span.IsValid() {
		f.Span = p.Machine.Span
		if f.State != nil {
			f.Span = f.State.Span
		}
	}
	if p.confirm(&f) {
		p.findings = append(p.findings, found{Finding: f, rule: p.rule})
	}
}

// Table is the flattened table of the machine.
func (s *shared) Table() *flat.Table {
	if s.table == nil {
		s.table = flat.New(s.Machine, s.known())
		s.table.Stop = s.stop
	}
	return s.table
}

// Starts reports whether the machine has a first state to start from.
func (s *shared) Starts() bool { return s.Machine.Root.Leaf() != nil }

// Leaves are the leaves of the machine that a run may enter, in source order.
func (s *shared) Leaves() []*ir.State {
	var out []*ir.State
	for _, state := range s.Machine.States {
		if state.Kind == ir.Leaf && !s.Unreachable(state) {
			out = append(out, state)
		}
	}
	return out
}

// Inputs yields the inputs of the Leaves, each with its leaf.
func (s *shared) Inputs() iter.Seq2[*ir.State, flat.Input] {
	return func(yield func(*ir.State, flat.Input) bool) {
		for _, leaf := range s.Leaves() {
			for in := range s.Table().Inputs(leaf) {
				if !yield(leaf, in) {
					return
				}
			}
		}
	}
}

// PathTo is a shortest run into state, after which come the inputs given; nil
// where there is none to show. Past the limit it is a path of the control graph.
func (s *shared) PathTo(state *ir.State, then ...ir.Case) *witness.Witness {
	if p := s.Product(); p != nil {
		if c, entered := p.Entered(state); entered {
			if len(then) > 0 { // where the state is entered the input may come too late, or not yet
				c = s.unmetAt(p, state, then[0], c)
			}
			w, _ := s.Run(p.PathTo(c), -1, then...)
			return w
		}
		return nil
	}
	if leaf, entered := s.Control().Entered(state); entered {
		return s.ControlPath(leaf, nil, then...)
	}
	return nil
}

// unmetAt is the first configuration of p in state where nothing takes c; otherwise where there is none.
func (s *shared) unmetAt(p *explore.Product, state *ir.State, c ir.Case, otherwise int32) int32 {
	for in := range s.Table().Inputs(state) {
		if in.Case != c {
			continue
		}
		if u, comes := p.Unmet(state, in.ID); comes {
			return u.Config
		}
	}
	return otherwise
}

// ControlPath is a shortest path of the control graph to a leaf, given by its ID,
// then once along the edges of round, which lead back to it, and then the inputs
// given. It is nil where an input on the way could not be resolved, and where the
// witnesses of the machine have grown too long together: in a chain of a hundred
// thousand states each with a fault they would be of quadratic size.
func (s *shared) ControlPath(leaf int32, round []int32, then ...ir.Case) *witness.Witness {
	if !s.mayShow(len(round) + len(then)) {
		return nil
	}
	w := s.Control().Witness(leaf, round, then...)
	if w != nil {
		s.rows += len(w.Path)
	}
	return w
}

// mayShow reports whether a run of so many steps may still be written out: its rows
// take a hundred times what the configurations on its way do.
func (s *shared) mayShow(steps int) bool { return s.rows+steps <= maxRows }

// maxRows is how many rows the witnesses of a machine may have together.
const maxRows = 400_000
