// Package syntax documents syntax, which the front end reports.
package syntax

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Rule is the record of syntax.
var Rule = &check.Rule{
	Name:     "syntax",
	Group:    check.Names,
	Severity: diag.Error,
	Summary:  "the text is not in the language",
}
