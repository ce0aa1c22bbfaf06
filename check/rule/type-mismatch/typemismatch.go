// Package typemismatch documents type-mismatch, which the front end reports.
package typemismatch

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Rule is the record of type-mismatch.
var Rule = &check.Rule{
	Name:     "type-mismatch",
	Group:    check.Names,
	Severity: diag.Error,
	Summary:  "a value with the wrong type",
	Fix:      "writes the nearest field",
}
