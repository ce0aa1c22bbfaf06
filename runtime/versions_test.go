package runtime_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// TestStartOfStoredVersion: an engine with which nothing is registered starts runs of what is stored.
func TestStartOfStoredVersion(t *testing.T) {
	db := memstore.New()
	e := knowing(t, db, door(t))
	start(t, e, "r", `{"owner":"me"}`)

	other := NewEngine(db)
	v, err := other.Start(t.Context(), "M", "s", json.RawMessage(`{"owner":"you"}`))
	if err != nil || v.State != "Shut" || v.Definition != door(t).Hash() {
		t.Fatalf("%+v, %v", v, err)
	}
	versions, err := other.Versions(t.Context())
	if err != nil || len(versions) != 1 || !versions[0].Current || versions[0].Hash != door(t).Hash() || !versions[0].Last.Equal(v.Started) {
		t.Errorf("%+v, %v", versions, err)
	}
	_, err = other.Start(t.Context(), "m", "t", nil)
	if !errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), `did you mean "M"?`) {
		t.Errorf("%v", err)
	}
}

// TestVersionsOfNoRun: what is registered is a version before its first run.
func TestVersionsOfNoRun(t *testing.T) {
	e := knowing(t, memstore.New(), door(t))
	versions, err := e.Versions(t.Context())
	if err != nil || len(versions) != 1 || !versions[0].Current || !versions[0].Last.IsZero() || versions[0].Machine == nil {
		t.Errorf("%+v, %v", versions, err)
	}
	if _, err := e.Version(t.Context(), "none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
}

// TestCommands holds what a run takes of operators against what it refuses.
func TestCommands(t *testing.T) {
	e := knowing(t, memstore.New(), door(t))
	want := func(kinds ...InputKind) {
		t.Helper()
		got, err := e.Commands(t.Context(), "r")
		if err != nil || !slices.Equal(got, kinds) {
			t.Errorf("%v, %v, want %v", got, err, kinds)
		}
	}
	start(t, e, "r", `{"owner":"me"}`)
	want(machine.PauseInput, machine.CancelInput)
	must(t, errOf(e.Pause(t.Context(), "r", Operator{})))
	want(machine.ResumeInput, machine.CancelInput)
	var meant []string
	each := func(r *RunRow) error { meant = append(meant, r.Run); return nil }
	for _, kind := range []InputKind{machine.ResumeInput, machine.RetryInput} {
		must(t, e.EachMeant(t.Context(), RunFilter{Machine: "M"}, kind, each))
	}
	if !slices.Equal(meant, []string{"r"}) {
		t.Errorf("%v is paused", meant)
	}
	if err := e.EachMeant(t.Context(), RunFilter{}, machine.EventInput, each); err == nil {
		t.Error("an event is for many runs")
	}
	must(t, errOf(e.Cancel(t.Context(), "r", CancelOptions{})))
	want()
	if _, err := e.Commands(t.Context(), "none"); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
}
