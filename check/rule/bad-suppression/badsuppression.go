// Package badsuppression finds suppressions that are not what they should be.
package badsuppression

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Rule is the record of bad-suppression.
var Rule = &check.Rule{
	Name:     "bad-suppression",
	Group:    check.Comments,
	Severity: diag.Warning,
	Summary:  "a suppression without a reason, or one that suppresses nothing",
	Fix:      "removes the comment, or corrects the name of the rule",
	RunLast:  run,
}

func run(p *check.Pass) {
	// What names and types or the syntax have spoilt hides findings that the
	// suppression may be there for.
	whole := !p.Machine.Broken && !p.Machine.Incomplete
	for _, s := range p.Suppressions() {
		report := func(message, help string, fixes []diag.Fix) {
			p.Report(check.Finding{Span: s.Span, Message: message, Help: help, Fixes: fixes})
		}
		remove := check.Remove("the comment", s.Span, true)
		switch {
		case s.Rule == "":
			report("this suppression names no rule", "Write `//fsmc:allow RULE because …`, with the name at the end of the finding.", remove)
		case s.Named == nil:
			report("there is no rule "+check.Quote(s.Rule), unknownHelp(s.Nearest), renamed(s))
		case s.Named.Severity == diag.Error && s.Silenced == 0:
			report(check.Quote(s.Rule)+" is an error, and errors cannot be suppressed", "Fix what it finds, and remove this comment.", remove)
		case !s.CanSilence():
			report(check.Quote(s.Rule)+" cannot be suppressed", "Fix the suppression that it finds, and remove this comment.", remove)
		case s.Reason == "":
			report("this suppression of "+check.Quote(s.Rule)+" gives no reason", "Write the reason after `because`.", nil)
		case s.Silenced == 0 && whole:
			report("this suppression silences nothing: there is no "+check.Quote(s.Rule)+" here", "Remove it, or put it on the line above the place of the finding.", remove)
		}
	}
}

func unknownHelp(nearest string) string {
	if nearest == "" {
		return "Name one of the rules that `fsmc explain` lists."
	}
	return "Did you mean " + check.Quote(nearest) + "?"
}

// renamed is s with the rule that is called most like it.
func renamed(s check.Suppression) []diag.Fix {
	if s.Nearest == "" {
		return nil
	}
	text := "//fsmc:allow " + s.Nearest
	if s.Reason != "" {
		text += " because " + s.Reason
	}
	return []diag.Fix{{Message: "write " + check.Quote(s.Nearest), Safe: true, Edits: []diag.Edit{{Span: s.Span, Text: text}}}}
}
