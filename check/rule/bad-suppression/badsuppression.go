// Package badsuppression finds suppressions that are not what they should be.
package badsuppression

import (
	_ "embed"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Rule is the record of bad-suppression.
var Rule = &check.Rule{
	Name:     "bad-suppression",
	Group:    check.Comments,
	Severity: diag.Warning,
	Summary:  "a suppression without a reason, or one that suppresses nothing",
	Page:     page,
	RunLast:  run,
}

//go:embed page.md
var page string

func run(p *check.Pass) {
	// What names and types or the syntax have spoilt hides findings that the
	// suppression may be there for.
	whole := !p.Machine.Broken && !p.Machine.Incomplete
	for _, s := range p.Suppressions() {
		report := func(message, help string) {
			p.Report(check.Finding{Span: s.Span, Message: message, Help: help})
		}
		switch {
		case s.Rule == "":
			report("this suppression names no rule", "Write `//fsmc:allow RULE because …`, with the name at the end of the finding.")
		case s.Named == nil:
			report("there is no rule "+check.Quote(s.Rule), unknownHelp(s.Nearest))
		case s.Named.Severity == diag.Error:
			report(check.Quote(s.Rule)+" is an error, and errors cannot be suppressed", "Fix what it finds, and remove this comment.")
		case !s.CanSilence():
			report(check.Quote(s.Rule)+" cannot be suppressed", "Fix the suppression that it finds, and remove this comment.")
		case s.Reason == "":
			report("this suppression of "+check.Quote(s.Rule)+" gives no reason", "Write the reason after `because`.")
		case s.Silenced == 0 && whole:
			report("this suppression silences nothing: there is no "+check.Quote(s.Rule)+" here", "Remove it, or put it on the line above the place of the finding.")
		}
	}
}

func unknownHelp(nearest string) string {
	if nearest == "" {
		return "Name one of the rules that `fsmc explain` lists."
	}
	return "Did you mean " + check.Quote(nearest) + "?"
}
