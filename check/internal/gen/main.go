// Gen writes check/all/all.go. It is run by `go generate ./check/all`.
package main

import (
	"fmt"
	"os"

	"github.com/fsmc-dev/fsmc/check/internal/rulelist"
)

func main() {
	if err := rulelist.Write(".."); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}
