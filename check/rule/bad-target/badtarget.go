// Package badtarget documents bad-target, which the front end reports.
package badtarget

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Rule is the record of bad-target.
var Rule = &check.Rule{
	Name:     "bad-target",
	Group:    check.Names,
	Severity: diag.Error,
	Summary:  "an arm, a scope or an assertion that names no state",
	Fix:      "writes the nearest state or its path, or declares the terminal",
}
