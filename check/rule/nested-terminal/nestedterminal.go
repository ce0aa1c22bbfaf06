// Package nestedterminal documents nested-terminal, which the front end reports.
package nestedterminal

import "github.com/fsmc-dev/fsmc/check"

// Rule is the record of nested-terminal.
var Rule = check.FrontEnd("nested-terminal", "a terminal state inside a state", "")
