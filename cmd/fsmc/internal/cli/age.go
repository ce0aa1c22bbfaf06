package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
)

// age is the value of a flag that takes how long ago something was.
type age struct{ into *time.Duration }

func ageFlag(c *cobra.Command, into *time.Duration, name, usage string) {
	c.Flags().Var(&age{into}, name, usage)
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
	*a.into, err = runtime.ParseAge(text)
	return err
}
