//go:build !hook

package cli

import (
	"context"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
)

// isServer reports whether a database is that of a server, and not a file.
func isServer(db string) bool { return postgres.IsURL(db) }

// errServer is in the error of a server that does not answer.
var errServer = postgres.ErrServer

// openPostgres opens the database at a URL.
func openPostgres(ctx context.Context, url string, m mode) (runtime.Store, error) {
	options := map[mode][]postgres.Option{readOnly: {postgres.ReadOnly()}, readWrite: {postgres.Existing()}}
	store, err := postgres.Open(ctx, url, options[m]...)
	if err != nil { // and no store that is nil and has a type
		return nil, err
	}
	return store, nil
}
