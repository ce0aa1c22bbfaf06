package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/examples/internal/program"
	"github.com/fsmc-dev/fsmc/examples/internal/transcript"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestSwarm lets a small swarm live over a real database, and reads what it
// says: everything that is told of has happened, and nothing that must not.
func TestSwarm(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	if err := run(context.Background(), config{agents: 60, tasks: 60, seed: 1, dir: dir}, &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	t.Log(out.String())
	for _, want := range []string{
		`crash +[1-9]`, `hang +[1-9]`, `livelock +[1-9]`, `freeze +[1-9]`, `bug +[1-9]`,
		`failed\(silent\) +-> Stalled +[1-9]`, `failed\(stalled\) +-> Stalled +[1-9]`,
		`failed\(transient\) +retry +[1-9]`, `failed\(auth\) +-> Paused.Rotating +[1-9]`,
		`failed\(schema\) +-> Respecifying +[1-9]`, `failed\(logic\) +-> Repairing +[1-9]`,
		`failed\(preempted\) +-> Unassigned +[1-9]`,
		`offers: [1-9]\d* declined, [1-9]\d* accepted too late`,
		`cut off for 5 minutes: [1-9]\d* of its attempts were taken over`,
		`ok    60 tasks: [1-9]`, `ok    0 tasks orphaned`, `ok    0 batches written twice; [1-9]\d* were asked for again`,
		`ok    [1-9]\d* zombies came back to deliver: 0 of their results were taken, 0 of their checkpoints; [1-9]\d* late results stand in history as refused`,
		`ok    [1-9]\d* tasks cleaned up after a cancellation, 0 of them while`,
		`ok    60 histories replayed, 0 differ`,
	} {
		if !regexp.MustCompile(want).Match(out.Bytes()) {
			t.Errorf("the output has nothing like %q", want)
		}
	}
	healthy(t, dir)
	shown(t, out.String())
}

func TestMain(m *testing.M) {
	if os.Getenv(hostVariable) != "" {
		program.Main("tasklifecycle", beHost)
		return
	}
	os.Exit(pgtest.Main(m))
}

// TestHosts lets a small swarm live on four processes and PostgreSQL, with its time a hundred
// times faster, and nothing but hosts in trouble. Every promise is kept, and what befalls two hosts leaves them without attempts.
func TestHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes ten seconds")
	}
	var out bytes.Buffer
	if err := hostsOn(t.Context(), config{agents: 40, tasks: 40, seed: 14, calm: true}, pgtest.URL(t), 100, &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	t.Log(out.String())
	for _, want := range []string{
		`ok    40 tasks: [1-9]`, `ok    0 tasks orphaned`, `ok    0 batches written twice`, `ok    0 completed tasks with a row missing`,
		`ok    40 histories replayed, 0 differ`, `host-4 was stopped.* [1-9]\d* of its attempts were taken over`,
	} {
		if !regexp.MustCompile(want).Match(out.Bytes()) {
			t.Errorf("the output has nothing like %q", want)
		}
	}
	transcript.Check(t, "README.md", "go run ./examples/tasklifecycle -hosts", out.String())
}

// healthy: nothing is left that an operator would have to look at.
func healthy(t *testing.T, dir string) {
	t.Helper()
	store, err := sqlite.Open(context.Background(), database(dir), sqlite.ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	health, err := runtime.NewEngine(store).Health(context.Background(), runtime.HealthQuery{Stuck: time.Minute})
	if err != nil || len(health.Problems) > 0 {
		t.Errorf("%v, %+v", err, health)
	}
}

// shown holds the output that the README shows against what the program says,
// but for figures.
func shown(t *testing.T, out string) {
	t.Helper()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	figures := regexp.MustCompile(`[\d.]+(m\d+)?s?\b| {2,}`)
	_, block, _ := strings.Cut(string(page), "```console\n")
	block, _, _ = strings.Cut(block, "```\n")
	said := figures.ReplaceAllString(out, "#")
	lines := 0
	for line := range strings.Lines(block) {
		if lines++; strings.Contains(line, "failed(") {
			continue // how often what happens decides their order, and whether they are there
		}
		if line = figures.ReplaceAllString(line, "#"); !strings.Contains(said, line) {
			t.Errorf("README.md shows %q, which the program does not say", line)
		}
	}
	if lines < 30 {
		t.Errorf("%d lines of the README's output: the test sees nothing", lines)
	}
}

// TestCheckpointsSave: the same swarm repeats far less when it continues from
// checkpoints than when it begins from zero, and completes as much.
func TestCheckpointsSave(t *testing.T) {
	lived := func(cold bool) tally {
		t.Helper()
		store := memstore.New()
		defer store.Close()
		s, err := live(context.Background(), config{agents: 30, tasks: 30, seed: 2, cold: cold}, store, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		promises, err := s.audit(context.Background(), s.lead.engine)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range promises {
			if !p.Kept {
				t.Errorf("cold: %v: %s", cold, p.Text)
			}
		}
		return s.tally
	}
	warm, cold := lived(false), lived(true)
	if warm.Recoveries == 0 || warm.Repeated*5 > warm.WouldRepeat || warm.Remaining >= warm.RemainingIfCold {
		t.Errorf("from checkpoints: %+v", warm)
	}
	if cold.Repeated != cold.WouldRepeat || cold.Remaining != cold.RemainingIfCold {
		t.Errorf("from the beginning: %+v", cold)
	}
}

// TestFates: the same seed, the same fates.
func TestFates(t *testing.T) {
	all := cmp.AllowUnexported(fate{}, mishap{})
	if diff := cmp.Diff(fates(50, 7), fates(50, 7), all); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(fates(50, 7), fates(50, 8), all) {
		t.Error("another seed changes nothing")
	}
}

// TestTable: a key tells a repeat from a second batch, and an attempt that was
// replaced writes nothing. Without the same key a batch is there twice.
func TestTable(t *testing.T) {
	table := newTable()
	write := func(want error, key string, attempt, row int) {
		t.Helper()
		if err := table.write("t", key, attempt, row); !errors.Is(err, want) {
			t.Errorf("%s, attempt %d, row %d: %v", key, attempt, row, err)
		}
	}
	write(nil, "k", 1, 0)
	write(nil, "k", 2, 0)
	write(errOld, "k", 1, 500)
	if table.twice() != 0 || table.repeats != 1 || table.refused != 1 || table.whole("t") {
		t.Errorf("%+v", table)
	}
	for row := batch; row < rows; row += batch {
		write(nil, "k", 2, row)
	}
	if !table.whole("t") {
		t.Error("every row is there")
	}
	write(nil, "another", 1, 0)
	if table.twice() != 1 {
		t.Errorf("%d batches twice", table.twice())
	}
	table.close("t")
	write(errOld, "k", 3, 0)
}

// TestLink: nothing gets through a link that is cut.
func TestLink(t *testing.T) {
	db := memstore.New()
	defer db.Close()
	l := &link{Store: db}
	ctx := context.Background()
	if _, err := l.Load(ctx, "r"); !errors.Is(err, runtime.ErrNotFound) {
		t.Error(err)
	}
	l.cut.Store(true)
	if _, err := l.Load(ctx, "r"); !errors.Is(err, errCut) {
		t.Error(err)
	}
	if err := l.Commit(ctx, &store.Commit{}); !errors.Is(err, errCut) {
		t.Error(err)
	}
}

// TestRefusesAnOldFolder keeps an earlier swarm from being mixed up with a new one.
func TestRefusesAnOldFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tasks.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := run(context.Background(), config{agents: 1, tasks: 1, dir: dir}, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "holds an earlier swarm") {
		t.Error(err)
	}
}
