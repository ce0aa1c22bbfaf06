//go:build cgo

package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestCountsOfTwoWriters: what history has to be counted is added up exactly,
// whoever has written it and whoever adds it up. What a writer knows without
// reading must not be taken for what is there, even where the numbers of rows
// are the same. Rows that are pruned before they are counted have been counted,
// and those that then have their ids are.
func TestCountsOfTwoWriters(t *testing.T) {
	path := made(t)
	a, b := openAt(t, path, Relaxed()), openAt(t, path, Relaxed())
	want := map[string]int64{}
	runs := 0
	write := func(s *Store, input string, rows int) {
		t.Helper()
		runs++
		commit(t, s, longStep(fmt.Sprint("r", runs), input, rows))
		want[input] += int64(rows)
	}
	look := func() {
		t.Helper()
		for name, s := range map[string]*Store{"a": a, "b": b} {
			got := stepsByInput(t, s)
			if got["a"] != want["a"] || got["b"] != want["b"] {
				t.Fatalf("%s counts %v, want %v", name, got, want)
			}
			if n := query[int](t, s, brokenLinks); n != 0 {
				t.Fatalf("%s finds %d broken links", name, n)
			}
		}
	}
	for _, turn := range []struct {
		who  *Store
		rows int
	}{
		{b, foldAt - 2}, {b, 1}, // made has left one, and this adds it up
		{a, foldAt}, {a, 1}, {a, foldAt}, // alone: without reading what is there
		{a, 5}, {b, foldAt - 5}, {b, 5}, // as many as a has written
		{a, foldAt - 5}, {a, foldAt - 1}, {b, 1}, {a, 3},
	} {
		name := map[*Store]string{a: "a", b: "b"}[turn.who]
		write(turn.who, name, turn.rows)
		look()
	}
	for _, rows := range []int{7, 2 * foldAt, foldAt, 3} {
		done, err := b.Prune(t.Context(), store.PruneQuery{Before: noon.Add(240 * time.Hour), Limit: 100, Now: noon})
		if err != nil || done.Runs == 0 {
			t.Fatal(done, err)
		}
		look()
		write(a, "a", rows)
		look()
		write(b, "b", rows)
		look()
	}
	if n := query[int](t, a, `SELECT max(history.id) - min(counted.history) FROM history, counted`); n > 2*foldAt {
		t.Errorf("%d rows are not added up", n)
	}
}

// TestCountsOfFailedFold: a batch that has added up what another process counts,
// and then fails, has not.
func TestCountsOfFailedFold(t *testing.T) {
	path := made(t)
	ours, theirs := openAt(t, path), openAt(t, path)
	commit(t, ours, longStep("first", "first", foldAt))
	commit(t, theirs, longStep("theirs", "theirs", 10))
	exec := func(text string) {
		t.Helper()
		must(t, ours.write(t.Context(), func(t *tx) error { _, err := t.exec(text); return err }))
	}
	exec(`CREATE TRIGGER fault BEFORE INSERT ON cost_counts BEGIN SELECT RAISE(ABORT, 'a fault'); END`)
	costly := longStep("costly", "first", foldAt) // with names that are known
	costly.History[0].Record = json.RawMessage(`{"input":{"cost":[{"name":"usd","amount":"1"}]}}`)
	if err := ours.Commit(t.Context(), costly); err == nil || !strings.Contains(err.Error(), "a fault") {
		t.Fatalf("got %v", err)
	}
	exec(`DROP TRIGGER fault`)
	commit(t, ours, longStep("last", "last", foldAt))
	got := stepsByInput(t, ours)
	if want := map[string]int64{"Go": 1, "first": foldAt, "theirs": 10, "last": foldAt}; !maps.Equal(got, want) {
		t.Errorf("counted %v, want %v", got, want)
	}
}

// stepsByInput is how many steps each input took.
func stepsByInput(t *testing.T, s *Store) map[string]int64 {
	t.Helper()
	counts, err := s.Counts(t.Context(), "", time.Time{})
	must(t, err)
	steps := map[string]int64{}
	for i := range counts.Steps {
		steps[counts.Steps[i].Input] += counts.Steps[i].Steps
	}
	return steps
}

// longStep is a commit of a run that ends after so many records.
func longStep(run, input string, records int) *store.Commit {
	c := firstStep(run)
	c.Publish, c.EventID, c.Set = nil, "", nil
	for len(c.History) < records {
		c.History = append(c.History, c.History[0])
	}
	for n := range c.History {
		c.History[n].Seq, c.History[n].Input = int64(n+1), input
	}
	c.Run.Seq = int64(records)
	c.Run.Status, c.Run.Outcome = machine.Finished, machine.Success
	return c
}

// TestCountsOfSpoiledBatch: what was named for the first time in a batch is still
// known by its name when a later request of the batch has been rolled back.
func TestCountsOfSpoiledBatch(t *testing.T) {
	s := openAt(t, made(t))
	commit(t, s, longStep("first", "first", foldAt)) // so that what follows is not read
	free := block(t, s)
	var wait sync.WaitGroup
	for n, run := range []func(*tx) error{
		func(t *tx) error { return t.commit(context.Background(), longStep("new", "new", foldAt)) },
		func(t *tx) error {
			if err := t.commit(context.Background(), longStep("other", "other", 2)); err != nil {
				return err
			}
			return errors.New("refused after all")
		},
	} {
		wait.Go(func() {
			if err := s.writer.do(context.Background(), 0, run); (err != nil) != (n == 1) {
				t.Error(n, err)
			}
		})
		queued(t, s, n+1)
	}
	free()
	wait.Wait()
	commit(t, s, longStep("last", "other", foldAt))
	got := stepsByInput(t, s)
	if got["new"] != foldAt || got["other"] != foldAt {
		t.Errorf("counted %v", got)
	}
	if broken, left := query[int](t, s, brokenLinks), query[int](t, s, `SELECT max(id) - count(*) FROM history`); broken != 0 || left != 0 {
		t.Errorf("%d links are broken, and %d ids left out", broken, left)
	}
}
