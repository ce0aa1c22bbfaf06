// Reference writes docs/rules/README.md, the list of the rules, from their records. It is run by `go generate ./check/all`.
package main

import (
	"fmt"
	"os"

	"github.com/fsmc-dev/fsmc/check/all"
)

func main() {
	if err := os.WriteFile("../../docs/rules/README.md", []byte(index(all.Rules)), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}
