//go:build cgo

package runtime_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestAcceptedCanBeReadFromFile: what runs were given is read from a file, and from
// a backup of it.
func TestAcceptedCanBeReadFromFile(t *testing.T) {
	dir := t.TempDir()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, "runs.db"))
	must(t, err)
	defer db.Close()
	accepted := 0
	for i, j := range append(hard, nested(machine.MaxNesting-1), nested(machine.MaxNesting-5), nested(machine.MaxNesting)) {
		if boxed(t, db, fmt.Sprint(i), j, quotedText(t, j)) {
			accepted++
		}
	}
	replayed := 0
	check := func(ctx context.Context, s *sqlite.Store) error {
		return NewEngine(s).ReplayAll(ctx, store.RunFilter{}, func(_ *store.RunRow, err error) error {
			replayed++
			return err
		})
	}
	if _, err := db.Backup(t.Context(), filepath.Join(dir, "backup.db"), check); err != nil {
		t.Error(err)
	}
	if accepted < 20 || replayed != accepted {
		t.Errorf("%d were accepted, and %d replayed from the backup", accepted, replayed)
	}
}
