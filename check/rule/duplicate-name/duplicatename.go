// Package duplicatename documents duplicate-name, which the front end reports.
package duplicatename

import "github.com/fsmc-dev/fsmc/check"

// Rule is the record of duplicate-name.
var Rule = check.FrontEnd("duplicate-name", "two things have one name, or a name is not allowed", "")
