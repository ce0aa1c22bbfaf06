//go:build hook

package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/fsmc-dev/fsmc/runtime"
)

// The binary of the hooks of pre-commit checks and formats. It is built on the user's machine, while a
// commit waits, so what takes longest to compile is left out of it: what speaks to a network, and
// what knows the formats of others.

func newImport(*streams) *cobra.Command { return nil }
func newExport(*streams) *cobra.Command { return nil }
func newServe(*streams) *cobra.Command  { return nil }
func newMCP(*streams) *cobra.Command    { return nil }
func newLSP(*streams) *cobra.Command    { return nil }
func newMove(*streams) *cobra.Command   { return nil }
func newDB(*streams) *cobra.Command     { return nil }

var errServer = errors.New("the binary of the hooks knows no server")

func isServer(string) bool { return false }

func openPostgres(context.Context, string, mode) (runtime.Store, error) { return nil, errServer }
