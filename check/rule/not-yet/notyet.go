// Package notyet documents not-yet, which the front end reports.
package notyet

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Rule is the record of not-yet.
var Rule = &check.Rule{
	Name:     "not-yet",
	Group:    check.Names,
	Severity: diag.Error,
	Summary:  "something that this version does not have yet",
}
