package cli

import (
	"time"

	"github.com/spf13/cobra"
)

// ageFlag adds a flag that takes how long ago something was, as parse reads it.
func ageFlag(c *cobra.Command, into *time.Duration, parse func(string) (time.Duration, error), name, usage string) {
	c.Flags().Func(name, usage, func(text string) (err error) {
		*into, err = parse(text)
		return err
	})
}
