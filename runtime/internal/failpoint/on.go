//go:build failpoint && unix

package failpoint

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// Enabled says whether Hit can kill.
const Enabled = true

var (
	target, last = told(os.Getenv(Variable))
	hits         atomic.Int64
)

func told(text string) (Site, int64) {
	if text == "" {
		return "", 0
	}
	name, count, _ := strings.Cut(text, ":")
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil || n < 1 {
		panic(fmt.Sprintf("%s is %q, expected a site and a number, such as %q", Variable, text, Begun+":3"))
	}
	return Site(name), n
}

// Hit kills the process with SIGKILL where this is the hit of the site that the
// environment names.
func Hit(s Site) {
	if s != target || hits.Add(1) != last {
		return
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		panic(err)
	}
	select {} // until the signal has arrived
}
