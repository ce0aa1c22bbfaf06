// Package badliteral documents bad-literal, which the front end reports.
package badliteral

import "github.com/fsmc-dev/fsmc/check"

// Rule is the record of bad-literal.
var Rule = check.FrontEnd("bad-literal", "a literal that does not fit its type", "")
