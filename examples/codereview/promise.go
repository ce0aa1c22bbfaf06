package main

import "fmt"

// promise is something that must be so at the end.
type promise struct {
	kept bool
	text string
}

// keep prints promises with what has become of them, and gives errWrong where
// one is broken.
func keep(promises []promise) error {
	var broken error
	for _, p := range promises {
		mark := "ok  "
		if !p.kept {
			mark, broken = "FAIL", errWrong
		}
		fmt.Printf("  %s  %s\n", mark, p.text)
	}
	return broken
}
