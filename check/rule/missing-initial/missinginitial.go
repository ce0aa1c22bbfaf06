// Package missinginitial documents missing-initial, which the front end reports.
package missinginitial

import "github.com/fsmc-dev/fsmc/check"

// Rule is the record of missing-initial.
var Rule = check.FrontEnd("missing-initial", "a machine or composite state without an `initial`", "adds `initial …`, or writes the nearest state")
