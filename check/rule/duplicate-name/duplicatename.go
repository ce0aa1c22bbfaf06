// Package duplicatename documents duplicate-name, which the front end reports.
package duplicatename

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Rule is the record of duplicate-name.
var Rule = &check.Rule{
	Name:     "duplicate-name",
	Group:    check.Names,
	Severity: diag.Error,
	Summary:  "two things have one name, or a name is not allowed",
}
