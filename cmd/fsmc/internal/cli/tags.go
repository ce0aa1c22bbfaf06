package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// tagFlag adds --tag.
func tagFlag(c *cobra.Command, into *[]string, usage string) {
	c.Flags().StringArrayVar(into, "tag", nil, usage)
}

// readTags reads what --tag has been given; nil for nothing.
func readTags(given []string) (map[string]string, error) {
	var tags map[string]string
	for _, text := range given {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--tag %s: write NAME=VALUE", text)
		}
		if _, twice := tags[name]; twice {
			return nil, fmt.Errorf("--tag %s: the tag %q is given twice", text, name)
		}
		if tags == nil {
			tags = map[string]string{}
		}
		tags[name] = value
	}
	if err := machine.CheckTags(tags); err != nil {
		return nil, fmt.Errorf("--tag: %w", err)
	}
	return tags, nil
}
