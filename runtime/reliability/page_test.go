//go:build unix && cgo

package reliability

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// TestDamagedPage overwrites one page of a sound database after the other, and
// opens it, replays all runs, and steps one. What is met of the damage is said:
// sqlite.ErrDamaged, or the record or snapshot that does not replay. What is not
// met, because nothing stands on the page yet, SQLite's own check finds.
func TestDamagedPage(t *testing.T) {
	dir := t.TempDir()
	s, err := openStation(dir, "first", 0)
	must(t, err)
	for _, run := range []string{"a", "b", "c"} {
		must(t, errOf(s.Start(t.Context(), "Order", run, []byte(`{"size": 2}`))))
		must(t, errOf(s.RunUntilIdle(t.Context(), run)))
	}
	must(t, s.close())
	sound, err := os.ReadFile(databaseIn(dir))
	must(t, err)
	size := int(binary.BigEndian.Uint16(sound[16:]))
	pages, met := len(sound)/size, 0
	for page := range pages {
		damaged := bytes.Clone(sound)
		for i := range size {
			damaged[page*size+i] = byte(rand.Uint32())
		}
		if meetDamage(t, damaged) {
			met++
		}
	}
	if met == 0 {
		t.Error("no damage was met: the test sees nothing")
	}
	t.Logf("figure: damaged pages = %d", pages)
	t.Logf("figure: damaged pages that were met = %d", met)
}

// meetDamage reports whether the damage was met.
func meetDamage(t *testing.T, file []byte) (met bool) {
	dir := t.TempDir()
	must(t, os.WriteFile(databaseIn(dir), file, 0o600))
	said := func(what string, err error) {
		var differs *runtime.Difference
		switch {
		case err == nil:
			return
		case !errors.Is(err, sqlite.ErrDamaged) && !errors.Is(err, sqlite.ErrForeign) && !errors.Is(err, sqlite.ErrStopped) &&
			!errors.Is(err, runtime.ErrNotFound) && !errors.As(err, &differs):
			t.Errorf("%s says nothing of damage: %v", what, err)
		}
		met = true
	}
	s, err := openStation(dir, "second", 0)
	if said("opening", err); err != nil {
		return met
	}
	defer func() {
		if err := s.close(); err != nil && !met {
			t.Error(err)
		}
	}()
	said("replaying", s.ReplayAll(t.Context(), runtime.RunFilter{}, func(_ *runtime.RunRow, err error) error {
		said("replaying a run", err)
		return nil
	}))
	_, err = s.Send(t.Context(), "b", runtime.ExternalEvent{Name: "Note", ID: "n", Data: []byte(`{"text": "x"}`)})
	if said("sending", err); err == nil {
		said("replaying what was sent", s.Replay(t.Context(), "b"))
	}
	if !met && integrity(databaseIn(dir)) == nil {
		t.Error("damage is neither met nor found")
	}
	return met
}
