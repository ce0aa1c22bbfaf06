// Package nestedterminal documents nested-terminal, which the front end reports.
package nestedterminal

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Rule is the record of nested-terminal.
var Rule = &check.Rule{
	Name:     "nested-terminal",
	Group:    check.Names,
	Severity: diag.Error,
	Summary:  "a terminal state inside a state",
}
