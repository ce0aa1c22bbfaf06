package cli

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang"
)

// gitPrefix begins an OLD that stands in git.
const gitPrefix = "git:"

// older reads the older machines.
func (b *breaker) older(paths []string) (*lang.Unit, error) {
	if ref, ok := strings.CutPrefix(b.against, gitPrefix); ok {
		return fromGit(ref, paths)
	}
	return b.load([]string{b.against})
}
