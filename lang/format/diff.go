package format

import "github.com/rogpeppe/go-internal/diff"

// Diff is what formatting changes in the file called name, as a unified diff
// with three lines of context; nil where before and after are equal. It takes
// time in n log n for texts of n lines.
func Diff(name string, before, after []byte) []byte {
	return diff.Diff(name+".orig", before, name, after)
}
