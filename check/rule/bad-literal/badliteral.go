// Package badliteral documents bad-literal, which the front end reports.
package badliteral

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Rule is the record of bad-literal.
var Rule = &check.Rule{
	Name:     "bad-literal",
	Group:    check.Names,
	Severity: diag.Error,
	Summary:  "a literal that does not fit its type",
}
