//go:build cgo

package enginetest_test

import (
	"path/filepath"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/enginetest"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

func TestSQLite(t *testing.T) {
	compare(t, func(t *testing.T, tape *enginetest.Tape) *enginetest.Trace {
		path := filepath.Join(t.TempDir(), "runs.db")
		return enginetest.OnStore(func(t *testing.T) store.Store {
			s, err := sqlite.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			return s
		})(t, tape)
	}, 500, 40)
}
