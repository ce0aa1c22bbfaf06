// Scaffold makes the folder of a new rule, with files that compile and a test
// that says what is still to be written, and lists the rule in check/all. From
// the root of the repository:
//
//	go run ./check/internal/scaffold NAME "summary"
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, `usage: go run ./check/internal/scaffold NAME "summary"`)
		os.Exit(2)
	}
	if err := scaffold("check", os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "scaffold:", err)
		os.Exit(1)
	}
	fmt.Println("made check/rule/" + os.Args[1] + ": write run, the page and the machines in testdata")
}
