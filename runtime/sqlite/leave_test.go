//go:build cgo

package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestStoreInBubble: what a store in a bubble of testing/synctest has made is never used outside it:
// Go ends the whole process then.
func TestStoreInBubble(t *testing.T) {
	work := func(t *testing.T, s *Store) {
		ctx, cancel := context.WithCancel(context.Background()) // of someone who may leave
		defer cancel()
		var callers sync.WaitGroup
		for range 20 {
			callers.Go(func() {
				call := store.NewCall(ctx, time.Minute, errors.New("too long"))
				if _, err := s.Definition(call, "none"); !errors.Is(err, store.ErrNotFound) {
					t.Error(err)
				}
				if err := s.PutDefinition(call, store.DefinitionRow{Hash: "one", Machine: "M", Definition: []byte("{}")}); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
	}
	dir := t.TempDir()
	outside := openAt(t, filepath.Join(dir, "outside.db"))
	for range 5 {
		synctest.Test(t, func(t *testing.T) {
			inside, err := Open(t.Context(), filepath.Join(dir, "inside.db"))
			must(t, err)
			work(t, inside)
			if err := inside.Close(); err != nil {
				t.Error(err)
			}
		})
		work(t, outside)
	}
}
