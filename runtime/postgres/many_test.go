package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestManyStores: 64 committers on 8 runs from 4 stores, each with a store as another process
// has it. Every acknowledged step is in history, once, and every message is delivered.
func TestManyStores(t *testing.T) {
	url := pgtest.URL(t, "synchronous_commit=off")
	var stores []*postgres.Store
	for range 4 {
		stores = append(stores, open(t, url, postgres.Relaxed()))
	}
	const runs, committers, steps = 8, 64, 6
	for i := range runs {
		begin(t, stores[0], fmt.Sprintf("r%d", i))
	}
	var wait sync.WaitGroup
	for i := range committers {
		s, run := stores[i%len(stores)], fmt.Sprintf("r%d", i%runs)
		wait.Go(func() {
			for done := 0; done < steps; {
				row, err := s.Load(context.Background(), run)
				if err != nil {
					t.Error(err)
					return
				}
				c := step(row)
				c.EventID = ""
				c.Publish = []store.MessageRow{{ID: fmt.Sprintf("%s/%d", run, c.Run.Seq), Run: run, Seq: c.Run.Seq, N: 1, At: noon}}
				switch err := s.Commit(context.Background(), c); {
				case err == nil:
					done++
				case !errors.Is(err, store.ErrConflict):
					t.Error(err)
					return
				}
			}
		})
	}
	delivered, published := make(chan int), make(chan struct{})
	go func() { delivered <- deliver(t, stores[1], committers*steps, published) }()
	wait.Wait()
	close(published)
	for i := range runs {
		history, err := stores[0].History(t.Context(), fmt.Sprintf("r%d", i), 0, 0)
		if want := 1 + committers/runs*steps; err != nil || len(history) != want {
			t.Errorf("r%d has %d records, %v; want %d", i, len(history), err, want)
		}
	}
	if n := <-delivered; n != committers*steps {
		t.Errorf("%d messages were delivered, of %d", n, committers*steps)
	}
	counts, err := stores[2].Counts(t.Context(), "Order", noon)
	if err != nil || len(counts.Runs) != 1 || counts.Runs[0].Runs != runs {
		t.Errorf("%+v, %v", counts.Runs, err)
	}
}

// deliver takes messages and marks them as delivered, while others publish, until there have
// been so many, or all are published and no more come. Each run's come in order: a mark that was
// lost between a step and a delivery would leave the rest for good.
func deliver(t *testing.T, s store.Store, want int, published <-chan struct{}) (n int) {
	last := map[string]int64{}
	for empty := 0; n < want && empty < 2000; empty++ {
		select {
		case <-published:
		default:
			empty = 0
		}
		rows, err := s.TakeMessages(context.Background(), store.MessageQuery{Worker: "w", Now: noon, Until: noon.AddDate(0, 0, 1), Limit: 10})
		if err != nil {
			t.Error(err)
			return n
		}
		for _, m := range rows {
			if m.Seq <= last[m.Run] {
				t.Errorf("%s: message %d behind %d", m.Run, m.Seq, last[m.Run])
			}
			last[m.Run] = m.Seq
			if err := s.Delivered(context.Background(), m.ID, m.Attempt, noon); err != nil {
				t.Error(err)
				return n
			}
			n, empty = n+1, 0
		}
	}
	return n
}

// TestFold: what many commits have counted is added up, and counts the same.
func TestFold(t *testing.T) {
	url := pgtest.URL(t, "synchronous_commit=off")
	s := open(t, url, postgres.Relaxed())
	begin(t, s, "r")
	const steps = 1100
	c := next(t, s, "r")
	for range steps {
		c.EventID = ""
		must(t, s.Commit(t.Context(), c))
		c = step(c.Run)
	}
	left := "DO 'BEGIN IF (SELECT count(*) FROM @.count_log) > 200 THEN RAISE ''the log is as long as before''; END IF; END'"
	if err := pgtest.Exec(t.Context(), url, strings.ReplaceAll(left, "@", pgtest.SchemaOf(t, url))); err != nil {
		t.Error(err)
	}
	counts, err := s.Counts(t.Context(), "", noon)
	must(t, err)
	var all int64
	for _, n := range counts.Steps {
		all += n.Steps
	}
	if all != steps+1 || len(counts.Runs) != 1 || counts.Runs[0] != (store.RunCount{
		Machine: "Order", State: "Idle", Status: machine.Running, Runs: 1}) {
		t.Errorf("%d steps, %+v", all, counts.Runs)
	}
}
