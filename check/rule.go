// Package check is the framework of the checker: what a rule is, how rules are
// run over machines, and which finding keeps silent where another says it
// already.
//
// A rule is a folder check/rule/NAME, called exactly like the rule: a Go file
// that opens with the rule's record, page.md beside it, and testdata. Package
// check/all lists them; it is generated.
//
// The package has these parts, in the order in which to read them:
//
//   - What a rule is and sees: rule.go, group.go, pass.go. It asks proof.go about all runs,
//     and meet.go about guards; question.go has the words for what stays open.
//   - What several rules need: awaits.go, raised.go and reads.go (facts about states and
//     fields), fixes.go and removal.go (fixes), words.go (messages).
//   - How rules are run: run.go, and session.go, which checks machines before their callers.
//     Past the limit early.go asks of a part of the runs. Then confirm.go replays each witness,
//     silence.go drops a finding where another one says the same, and suppress.go those that a
//     comment allows.
//   - The worst case: worstcase.go, and worstcase_upper.go past the limit; worstcase_held.go, of costs that a run is
//     held to; factors.go, reasons.go and showfigure.go, which say what a figure is made of,
//     why it has no bound, and which run reaches it.
//   - Machines that are called: summary.go (what callers know of them), tree.go (the worst case
//     with them), combine.go (whether some run of the whole tree reaches it).
//   - For other commands: cover.go (runs that take every arm, for generated tests and
//     scenarios), stats.go (how many states and transitions).
package check

import (
	"embed"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of one rule.
type Rule struct {
	Name     string // kebab-case, also the name of its folder
	Group    Group  // where it stands in the reference
	Severity diag.Severity
	Summary  string // one line: what a finding means
	Question string // what is open where a finding of it can be neither proved nor refuted, as a clause: "whether …"; empty where that cannot be

	// Fix says what the fixes of its findings do, as a clause without a subject: "adds
	// …"; empty for a rule without them. Those are Finding.Fixes, or, of a rule without
	// Run, those of the front end. Not every finding has one.
	Fix string

	// Run reports the findings of one machine. It is nil where the front end
	// reports them while it resolves names and types.
	Run func(*Pass)

	// RunFile reports the findings of what a file has outside its machines; nil for
	// most rules. The machine of such a pass has nothing but suppressions.
	RunFile func(*Pass, *ir.File)

	// Static is set where a finding is what the text says: that nothing handles an
	// input, or that another timer is shorter. Whether that input comes in some run is not its
	// question; a run that reaches the state is.
	Static bool

	// OneRun is set where a finding is what one run meets, whatever others do: some are found past
	// the limit, too.
	OneRun bool

	// Late is set where Run comes after all other rules: it reports what they have
	// left open.
	Late bool

	// RunLast is Run for a rule about the suppressions: it is called when it is
	// settled what each of them silences, and its own findings are not suppressed.
	RunLast func(*Pass)

	// Absence is set where a finding says that something is missing, unused or
	// unreachable: such a rule is silent in a machine with a syntax error, since
	// what could not be read may hold anything.
	Absence bool

	// Sound is set where Run is not called for a machine with a fault of names or types: what could
	// not be resolved may be the very thing that a finding misses. Starts is set where it is not
	// called for one without a first state.
	Sound, Starts bool

	// Unreached is set where findings about an unreachable state are printed.
	// All other rules are silent there.
	Unreached bool

	// SilencedBy says next to which findings of other rules this one adds
	// nothing.
	SilencedBy []Silence
}

// FrontEnd is the record of a rule that the front end applies while it resolves names and types:
// an error.
func FrontEnd(name, summary, fix string) *Rule {
	return &Rule{Name: name, Group: Names, Severity: diag.Error, Summary: summary, Fix: fix}
}

//go:embed rule/*/page.md
var pages embed.FS

// Page is the page of r, as Markdown: what it means, a failing example, a passing one, how to fix
// it.
func (r *Rule) Page() string {
	text, err := pages.ReadFile("rule/" + r.Name + "/page.md")
	if err != nil {
		panic("check: rule " + r.Name + " has no page")
	}
	return string(text)
}

// Silence says that a finding of Rule makes another one superfluous.
type Silence struct {
	Rule string
	At   Scope
}

// Scope says what two findings must share for one to silence the other.
type Scope int

const (
	SameMachine Scope = iota
	SamePlace         // Finding.Span
	SameState         // Finding.State, or one of Finding.Also
	SameInput         // one of Finding.Inputs
	SameField         // Finding.Field
	RestsOn           // one of Finding.Rests is one of the other's Inputs
)
