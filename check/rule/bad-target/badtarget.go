// Package badtarget documents bad-target, which the front end reports.
package badtarget

import "github.com/fsmc-dev/fsmc/check"

// Rule is the record of bad-target.
var Rule = check.FrontEnd("bad-target", "an arm, a scope or an assertion that names no state", "writes the nearest state or its path, or declares the terminal")
