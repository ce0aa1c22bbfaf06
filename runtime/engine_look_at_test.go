//go:build cgo

package runtime_test

import (
	"errors"
	"testing"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestAt looks at a run that was migrated twice as it was after each step: in the state that history
// says, by the machine of then.
func TestAt(t *testing.T) {
	onEachStore(t, func(t *testing.T, db store.Store, e *Engine, clock *ManualClock) {
		versions := threeVersions(t)
		migrateTwice(t, e, versions)
		steps, err := e.History(t.Context(), "r", 0, 0)
		if err != nil || len(steps) != 6 {
			t.Fatal(steps, err)
		}
		e = NewEngine(db)
		data := []string{`{"n":1}`, `{"n":2}`, `{"n":2}`, `{"n":3}`, `{"n":3}`, `{"n":4}`}
		for i, version := range []int{0, 0, 1, 1, 2, 2} {
			seq := steps[i].Seq
			m, s, err := e.At(t.Context(), "r", seq)
			if err != nil {
				t.Fatalf("step %d: %v", seq, err)
			}
			v := m.View(s)
			if v.Seq != seq || v.State != steps[i].To || string(v.Data) != data[i] || m.Hash() != versions[version].Hash() {
				t.Errorf("step %d: %+v by %s", seq, v, m.Hash())
			}
		}
		if _, s, err := e.At(t.Context(), "r", 0); err != nil || s.Seq != 6 {
			t.Errorf("as it is: %v, %v", s, err)
		}
		for _, seq := range []int64{-1, 7} {
			if _, _, err := e.At(t.Context(), "r", seq); err == nil {
				t.Errorf("there is a step %d", seq)
			}
		}
		if _, _, err := e.At(t.Context(), "nobody", 1); !errors.Is(err, ErrNotFound) {
			t.Error(err)
		}
		damaged := NewEngine(&tamper{db, func(r *store.RunRow) { r.Snapshot = []byte("{}") }})
		var differs *machine.Difference
		if _, _, err := damaged.At(t.Context(), "r", 2); err == nil || errors.As(err, &differs) {
			t.Errorf("a damaged snapshot: %v", err)
		}
	})
}
