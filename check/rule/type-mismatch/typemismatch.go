// Package typemismatch documents type-mismatch, which the front end reports.
package typemismatch

import "github.com/fsmc-dev/fsmc/check"

// Rule is the record of type-mismatch.
var Rule = check.FrontEnd("type-mismatch", "a value with the wrong type", "writes the nearest field")
