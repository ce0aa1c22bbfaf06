// Command fsmc checks, draws, compiles and runs workflows written as finite
// state machines.
package main

import (
	"os"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
