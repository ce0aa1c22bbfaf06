package enginetest_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/runtime/enginetest"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

var (
	count = flag.Int("machines", 0, "how many random machines are played; 200, or 40 with -short, unless said; on PostgreSQL 30 and 5")
	first = flag.Uint64("seed", 1, "the first seed")
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func inMemory(*testing.T) store.Store { return memstore.New() }

// onPostgres plays each tape in a schema of its own.
func onPostgres(t *testing.T, tape *enginetest.Tape) *enginetest.Trace {
	url := pgtest.URL(t, "synchronous_commit=off") // none of it is about durability
	return enginetest.OnStore(func(t *testing.T) store.Store {
		s, err := postgres.Open(t.Context(), url, postgres.Relaxed())
		if err != nil {
			t.Fatal(err)
		}
		return deaf{s}
	})(t, tape)
}

// deaf is a store without its hints and its clock: who listens on a connection is never at rest, so
// that no time would pass in the bubble.
type deaf struct{ store.Store }

// TestAgain plays tapes twice on one engine: what differs then is no engine's fault.
func TestAgain(t *testing.T) { compare(t, enginetest.OnStore(inMemory), 200, 40) }

func TestPostgres(t *testing.T) {
	pgtest.URL(t) // skips the test where there is no server
	compare(t, onPostgres, 30, 5)
}

// compare plays tapes in memory and on another engine: of the examples' machines, and of n random
// ones, or in short tests of few.
func compare(t *testing.T, other enginetest.Player, n, few int) {
	tapes := uint64(3)
	if testing.Short() {
		n, tapes = few, 1
	}
	if *count > 0 {
		n = *count
	}
	for name, machines := range byName(examples(t)) {
		for seed := range tapes {
			t.Run(fmt.Sprint(name, seed), func(t *testing.T) { playBoth(t, enginetest.Random(machines, seed), other) })
		}
	}
	for seed := *first; seed < *first+uint64(n); seed++ {
		source, machines := generate(seed)
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) { playBoth(t, enginetest.Random(machines, seed), other) }) {
			t.Logf("the machine of seed %d:\n%s", seed, source)
		}
	}
}

func byName(all map[string][]*machine.Machine) func(func(string, []*machine.Machine) bool) {
	return func(yield func(string, []*machine.Machine) bool) {
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if !yield(name, all[name]) {
				return
			}
		}
	}
}

func playBoth(t *testing.T, tape *enginetest.Tape, other enginetest.Player) {
	want := enginetest.OnStore(inMemory)(t, tape)
	if want == nil || t.Failed() {
		return
	}
	got := other(t, tape)
	if got == nil {
		t.Fatal("it goes on without end")
	}
	for _, difference := range enginetest.Differences(want, got) {
		t.Error(difference)
	}
}
