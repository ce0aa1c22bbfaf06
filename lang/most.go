package lang

import (
	"fmt"

	"github.com/fsmc-dev/fsmc/lang/diag"
)

// maxSyntax is how many syntax errors of a file are listed. Whoever corrects so many knows more
// than what stands behind them would say.
const maxSyntax = 20

// most leaves out of what the parser found, sorted by place in each file, the syntax errors of each file past the first
// maxSyntax, but for one that says how many there are.
func most(list diag.List) diag.List {
	count := map[string]int{} // of syntax errors, by file
	for _, d := range list {
		if d.Rule == "syntax" {
			count[d.Span.Start.Filename]++
		}
	}
	listed := map[string]int{}
	out := list[:0]
	for _, d := range list {
		file := d.Span.Start.Filename
		if d.Rule == "syntax" && count[file] > maxSyntax+1 {
			listed[file]++
			if listed[file] > maxSyntax+1 {
				continue
			}
			if listed[file] > maxSyntax {
				d = diag.Diagnostic{
					Rule: d.Rule, Severity: d.Severity, Machine: d.Machine, Span: d.Span,
					Message: fmt.Sprintf("%d more syntax errors from here to the end of the file are left out", count[file]-maxSyntax),
					Help:    "Correct those before it first.",
				}
			}
		}
		out = append(out, d)
	}
	return out
}
