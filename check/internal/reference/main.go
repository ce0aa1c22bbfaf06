// Reference writes docs/rules, the reference of the rules, from their records
// and pages. It is run by `go generate ./check/all`.
package main

import (
	"fmt"
	"os"

	"github.com/fsmc-dev/fsmc/check/all"
)

func main() {
	if err := write("../../docs/rules", reference(all.Rules)); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}
