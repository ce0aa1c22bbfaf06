package ir

import (
	"strings"
)

// Exported is name in Go's exported form: the parts between underscores, each
// with its first letter in upper case, joined. Two names of one name space
// with one exported form are a duplicate-name, so that generated code can use
// this form without a clash. It is empty for a name of underscores alone.
func Exported(name string) string {
	if name == "" || "A" <= name[:1] && name[:1] <= "Z" && !strings.Contains(name, "_") {
		return name
	}
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]))
			b.WriteString(part[1:])
		}
	}
	return b.String()
}
