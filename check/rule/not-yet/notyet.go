// Package notyet documents not-yet, which the front end reports.
package notyet

import "github.com/fsmc-dev/fsmc/check"

// Rule is the record of not-yet.
var Rule = check.FrontEnd("not-yet", "something that this version does not have yet", "")
