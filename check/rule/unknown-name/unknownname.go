// Package unknownname documents unknown-name, which the front end reports.
package unknownname

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Rule is the record of unknown-name.
var Rule = &check.Rule{
	Name:     "unknown-name",
	Group:    check.Names,
	Severity: diag.Error,
	Summary:  "a name that nothing declares",
	Fix:      "writes the nearest name, or declares the event",
}
