package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
)

// age is the value of a flag that takes how long ago something was.
type age struct {
	into *time.Duration
	some bool // it must be some time
}

func ageFlag(c *cobra.Command, into *time.Duration, name, usage string) {
	c.Flags().Var(&age{into: into}, name, usage)
}

// String, Set and Type make it the value of a flag.
func (a *age) String() string {
	if a.into == nil || *a.into == 0 {
		return ""
	}
	return a.into.String()
}

func (a *age) Type() string { return "age" }

func (a *age) Set(text string) (err error) {
	parse := runtime.ParseAge
	if a.some {
		parse = parseSomeAge
	}
	*a.into, err = parse(text)
	return err
}

// parseSomeAge reads an age that is not none.
func parseSomeAge(text string) (time.Duration, error) {
	d, err := runtime.ParseAge(text)
	if err == nil && d == 0 {
		err = fmt.Errorf("%q is no time at all", text)
	}
	return d, err
}
