// Package missinginitial documents missing-initial, which the front end reports.
package missinginitial

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Rule is the record of missing-initial.
var Rule = &check.Rule{
	Name:     "missing-initial",
	Group:    check.Names,
	Severity: diag.Error,
	Summary:  "a machine or composite state without an `initial`",
	Fix:      "adds `initial …`, or writes the nearest state",
}
