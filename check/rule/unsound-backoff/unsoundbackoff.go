// Package unsoundbackoff finds waits and bounds whose numbers make no sense.
package unsoundbackoff

import (
	"math/big"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Rule is the record of unsound-backoff.
var Rule = &check.Rule{
	Name:     "unsound-backoff",
	Group:    check.Promises,
	Severity: diag.Error,
	Summary:  "a backoff, a jitter or a bound whose numbers make no sense",
	Run:      run,
}

func run(p *check.Pass) {
	for _, a := range p.Machine.Arms {
		judgeBound(p, a)
		if b := a.Backoff; b != nil {
			judgeWaits(p, a, b)
			judgeJitter(p, a.State, b.Jitter, b.Span)
		}
	}
	for _, t := range p.Machine.Timers {
		judgeJitter(p, t.State, t.Jitter, t.Span)
	}
	for _, d := range p.Machine.Dos {
		judgeLimits(p, d)
	}
}

// judgeLimits reports limits of no time: the runtime takes none.
func judgeLimits(p *check.Pass, d *ir.Do) {
	for _, l := range d.Limits() {
		if l.After <= 0 {
			p.Report(check.Finding{State: d.State, Span: d.Span, Message: "\"" + l.Word + " 0s\" leaves an attempt no time",
				Help: "Write a time over 0s, or remove it."})
		}
	}
}

// judgeBound reports a bound of none at all.
func judgeBound(p *check.Pass, a *ir.Arm) {
	if a.Max == nil || *a.Max > 0 {
		return
	}
	f := check.Finding{State: a.State, Span: a.Span, Message: "\"max 0\" never lets this arm be taken",
		Help: "Allow it at least once, or remove the arm."}
	if a.Kind == ir.Retry {
		f.Message = "\"retry 0\" never runs the activity again"
		f.Help = "Allow at least one more attempt, or remove the retry."
	}
	p.Report(f)
}

// judgeWaits reports waits that get shorter. Without numbers of its own a
// backoff has the usual ones, which are sound.
func judgeWaits(p *check.Pass, a *ir.Arm, b *ir.Backoff) {
	if b.By != nil {
		return
	}
	if b.First > b.Last {
		first, last := ir.FormatDuration(b.First), ir.FormatDuration(b.Last)
		p.Report(check.Finding{
			State:   a.State,
			Span:    b.Span,
			Message: "the first wait of this backoff, " + check.Quote(first) + ", is longer than its last, " + check.Quote(last),
			Help:    "Write the shorter one first: `backoff " + last + ".." + first + "`.",
		})
	}
	if b.Factor.Cmp(one) < 0 {
		p.Report(check.Finding{
			State:   a.State,
			Span:    b.Span,
			Message: "factor " + check.Quote(ir.DecimalText(b.Factor)) + " makes each wait shorter than the one before",
			Help:    "Write a factor of 1 or more; 1 keeps the wait as it is, and 2 doubles it each time.",
		})
	}
}

var one = big.NewRat(1, 1)

// judgeJitter reports a jitter that is no share; nil is none.
func judgeJitter(p *check.Pass, s *ir.State, jitter *big.Rat, span token.Span) {
	if jitter == nil || jitter.Sign() >= 0 && jitter.Cmp(one) <= 0 {
		return
	}
	p.Report(check.Finding{
		State:   s,
		Span:    span,
		Message: "jitter " + check.Quote(ir.DecimalText(jitter)) + " is no share of a wait",
		Help:    "Write a share from 0, which is none, to 1, which is the whole wait; 0.2 is a fifth of it.",
	})
}
