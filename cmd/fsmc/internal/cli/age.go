package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
)

// ageFlag adds a flag that takes how long ago something was, as parse reads it.
func ageFlag(c *cobra.Command, into *time.Duration, parse func(string) (time.Duration, error), name, usage string) {
	c.Flags().Func(name, usage, func(text string) (err error) {
		*into, err = parse(text)
		return err
	})
}

// parseSomeAge reads an age that is not none.
func parseSomeAge(text string) (time.Duration, error) {
	d, err := runtime.ParseAge(text)
	if err == nil && d == 0 {
		err = fmt.Errorf("%q is not more than 0s", text)
	}
	return d, err
}
