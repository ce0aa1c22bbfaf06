// Package guardtoorich documents guard-too-rich, which the front end reports.
package guardtoorich

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Rule is the record of guard-too-rich.
var Rule = &check.Rule{
	Name:     "guard-too-rich",
	Group:    check.Names,
	Severity: diag.Error,
	Summary:  "a guard that the checker cannot decide",
}
