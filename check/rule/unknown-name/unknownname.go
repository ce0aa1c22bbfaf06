// Package unknownname documents unknown-name, which the front end reports.
package unknownname

import "github.com/fsmc-dev/fsmc/check"

// Rule is the record of unknown-name.
var Rule = check.FrontEnd("unknown-name", "a name that nothing declares", "writes the nearest name, or declares the event")
