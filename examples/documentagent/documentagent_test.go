package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/examples/internal/transcript"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

func TestMain(m *testing.M) { transcript.Main(m, main) }

// TestThreeDays runs the whole example, and looks into the database with eyes of
// its own: both repairs stand in the histories, as what they were.
func TestThreeDays(t *testing.T) {
	t.Parallel() // it mostly waits for the disk
	s := show{dir: t.TempDir()}
	sessions := "300"
	if testing.Short() {
		sessions = "100"
	}
	out := transcript.Run(t, "-sessions", sessions, "-dir", s.dir)
	transcript.Check(t, "README.md", "go run ./examples/documentagent", out)
	if !testing.Short() {
		showsFigures(t, out)
	}

	store, err := sqlite.Open(t.Context(), s.database(), sqlite.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	engine := runtime.NewEngine(store)
	for run, want := range map[string]string{
		"damaged-row":    "WritingSections>WritingSections",
		"careless-draft": "WritingSections>GeneratingOutline",
	} {
		steps, err := engine.History(t.Context(), run, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, step := range steps {
			if step.Kind == machine.RepairInput {
				got += step.From + ">" + step.To
				if step.Actor != "ada" || step.Reason == "" {
					t.Errorf("%s: repaired by %q, because %q", run, step.Actor, step.Reason)
				}
			}
		}
		if got != want {
			t.Errorf("%s: repaired %q, not %q", run, got, want)
		}
	}
}

// showsFigures holds the README's table against the output, figure by figure: they
// come from the seed.
func showsFigures(t *testing.T, out string) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "```\n  STATE ")
	table, _, closed := strings.Cut(table, "```")
	if !found || !closed {
		t.Fatal("the README does not show where the sessions stand")
	}
	for line := range strings.Lines(table) {
		if !strings.Contains(out, strings.TrimSpace(line)) {
			t.Errorf("the README has %q; the output is\n%s", line, out)
		}
	}
}

// TestSeed: the same seed gives the same three days, another seed other ones.
func TestSeed(t *testing.T) {
	t.Parallel()
	days := func(seed uint64) []runtime.StateStats {
		s := show{dir: t.TempDir(), sessions: 25, seed: seed}
		if err := s.open(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer s.store.Close()
		if err := s.play(t.Context()); err != nil {
			t.Fatal(err)
		}
		stats, err := runtime.NewEngine(s.store).Stats(t.Context(), runtime.StatsQuery{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range stats.States { // it tells how long the computer took for a visit, too
			stats.States[i].Mean = ""
		}
		return stats.States
	}
	first := days(7)
	if d := cmp.Diff(first, days(7)); d != "" {
		t.Errorf("the same seed:\n%s", d)
	}
	if cmp.Equal(first, days(8)) {
		t.Error("another seed gives the same days")
	}
}

// TestRefusesAnOldFolder keeps earlier sessions from being mixed up with new ones.
func TestRefusesAnOldFolder(t *testing.T) {
	s := show{dir: t.TempDir()}
	if err := os.WriteFile(s.database(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.run(t.Context()); err == nil || !strings.Contains(err.Error(), "holds earlier sessions") {
		t.Errorf("%v", err)
	}
}
