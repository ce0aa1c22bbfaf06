// Package syntax documents syntax, which the front end reports.
package syntax

import "github.com/fsmc-dev/fsmc/check"

// Rule is the record of syntax.
var Rule = check.FrontEnd("syntax", "the text is not in the language", "")
