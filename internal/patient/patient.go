// Package patient is for tests that wait more than they compute: at least eight of those that may
// run beside each other do, unless -parallel says otherwise. A test imports it, and calls nothing.
package patient

import (
	"flag"
	"runtime"
	"strconv"
	"testing"
)

func init() {
	testing.Init()
	if err := flag.Set("test.parallel", strconv.Itoa(max(8, runtime.GOMAXPROCS(0)))); err != nil {
		panic(err)
	}
}
