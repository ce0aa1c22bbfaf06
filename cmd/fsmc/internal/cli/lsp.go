//go:build !hook

package cli

import (
	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp"
	"github.com/fsmc-dev/fsmc/lang"
)

func newLSP(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor: the language server protocol on standard input and output",
		Long: `An editor starts lsp, which speaks the language server protocol on standard input and
output until the editor ends it. docs/editors.md has the settings of editors.

The files of a folder are checked together, as by fsmc check. Errors of syntax and names
appear with each key; the findings of the rules appear 150 ms after the last key.

Exit status 1: the editor ended the conversation without a shutdown.`,
		Example: `  fsmc lsp`,
		RunE: func(c *cobra.Command, _ []string) error {
			err := lsp.Serve(c.Context(), s.in, s.out, lsp.Options{Version: version(), Load: s.loadOpen, Root: projectOf})
			if err != nil {
				return findingf("%v", err)
			}
			return nil
		},
	}
}

// loadOpen is load with its trees, and with open texts in place of what the files at
// those paths have in them.
func (s *streams) loadOpen(paths []string, open map[string][]byte) (*lang.Unit, error) {
	if open == nil {
		open = map[string][]byte{}
	}
	r, err := (&streams{in: s.in, out: s.out, err: s.err, open: open}).readSources(paths)
	if err != nil {
		return nil, err
	}
	return lang.LoadFrom(r.sources, r.find), nil
}
