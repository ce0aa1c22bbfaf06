// Package guardtoorich documents guard-too-rich, which the front end reports.
package guardtoorich

import "github.com/fsmc-dev/fsmc/check"

// Rule is the record of guard-too-rich.
var Rule = check.FrontEnd("guard-too-rich", "a guard that the checker cannot decide", "")
