// Package longretry finds retries that wait longer than a run has time.
package longretry

import (
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of long-retry.
var Rule = &check.Rule{
	Name:     "long-retry",
	Group:    check.Promises,
	Severity: diag.Hint,
	Summary:  "a retry waits longer than there is time, or than a week",
	Run:      run,
	Absence:  true, // the part that could not be read may be the wait
	SilencedBy: []check.Silence{
		{Rule: "never-fires", At: check.SamePlace},
		{Rule: "dead-arm", At: check.SamePlace},
	},
}

// long is how much waiting is hardly ever meant.
const long = int64(7 * 24 * time.Hour)

func run(p *check.Pass) {
	for _, a := range p.Machine.Arms {
		if a.Kind == ir.Retry && a.Backoff != nil && a.Max != nil && *a.Max > 0 {
			judge(p, a)
		}
	}
}

// judge reports the first of what makes the waits of a too long.
func judge(p *check.Pass, a *ir.Arm) {
	f := check.Finding{State: a.State, Span: a.Span}
	least := timing.LeastWaits(a)
	waits := "the waits of this retry add up to " + check.Quote(ir.FormatDuration(least))
	if t := ended(p, a, least); t != nil {
		f.Message = waits + ", and " + check.Quote(t.Text()) + " comes first: its last attempts are never made"
		f.Help = "Retry less often, wait less between, or give the state more time."
		f.Related = []diag.Related{{Span: t.Span, Message: "this one comes first"}}
	} else if b := p.Machine.Budget; b != nil && b.Time != nil && *b.Time < least {
		f.Message = waits + ", and the budget of a run is " + check.Quote(ir.FormatDuration(*b.Time))
		f.Help = "Retry less often, wait less between, or give the run more time."
		f.Related = []diag.Related{{Span: b.TimeSpan, Message: "this is all the time that a run has"}}
	} else if most, bounded := timing.LongestWaits(a); bounded && most > long {
		f.Message = "the waits of this retry add up to " + check.Quote(ir.FormatDuration(most)) + ": nobody may notice for so long that it fails"
		f.Help = "Retry less often, wait less between, or hand over to a person sooner; suppress this finding if it is meant."
	} else {
		return
	}
	p.Report(f)
}

// ended is a timer that always ends the visit before a has waited so long; nil where there
// is none, or the waits are those of several visits.
func ended(p *check.Pass, a *ir.Arm, waits int64) *ir.Timer {
	if flat.CountsBeyondVisit(a) {
		return nil
	}
	for _, leaf := range p.Leaves() {
		if len(leaf.Dos) == 0 || !leaf.Inside(a.State) {
			continue
		}
		if t := timing.EndsBefore(leaf, waits); t != nil && !t.Budget {
			return t
		}
	}
	return nil
}
