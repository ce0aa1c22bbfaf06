// Package unknownname documents unknown-name, which the front end reports.
package unknownname

import (
	_ "embed"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

// Rule is the record of unknown-name.
var Rule = &check.Rule{
	Name:     "unknown-name",
	Group:    check.Names,
	Severity: diag.Error,
	Summary:  "a name that nothing declares",
	Page:     page,
	Fix:      "writes the nearest name, or declares the event",
}

//go:embed page.md
var page string
