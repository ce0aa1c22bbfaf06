// Package seldom has a test, and what it starts, collect garbage seldom, unless GOGC says
// otherwise: tests and compilers allocate much, and soon end. Where most of a test is computing,
// collecting was a quarter of its work. A test imports it, and calls nothing.
package seldom

import (
	"os"
	"runtime/debug"
)

func init() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(400)
	_ = os.Setenv("GOGC", "400")
	if os.Getenv("GOMEMLIMIT") == "" { // near two gigabytes it is collected as often as need be
		debug.SetMemoryLimit(1792 << 20)
	}
}
