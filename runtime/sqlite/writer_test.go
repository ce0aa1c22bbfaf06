//go:build cgo

package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestGroupCommit counts transactions with SQLite's own hook.
func TestGroupCommit(t *testing.T) {
	s := openAt(t, made(t))
	commits := countCommits(t, s)
	const callers, steps = 64, 10
	var wait sync.WaitGroup
	for i := range callers {
		wait.Go(func() {
			c := firstStep(fmt.Sprintf("r%d", i))
			for range steps {
				if err := s.Commit(context.Background(), c); err != nil {
					t.Error(err)
				}
				c = nextStep(c.Run)
			}
		})
	}
	wait.Wait()
	if err := s.Close(); err != nil { // the hook's last write happens before
		t.Fatal(err)
	}
	t.Logf("%d commits in %d transactions", callers*steps, *commits)
	if *commits == 0 || *commits > callers*steps/4 {
		t.Errorf("%d transactions for %d commits of %d callers", *commits, callers*steps, callers)
	}
}

// countCommits counts transactions with SQLite's own hook, which runs in the
// goroutine that leads: the count is to be read when the store is closed. A disk that
// takes no time would let one caller after the other end, where there is
// one processor.
func countCommits(t *testing.T, s *Store) *int {
	t.Helper()
	n := new(int)
	err := s.writer.conn.Raw(func(conn any) error {
		conn.(*sqlite3.SQLiteConn).RegisterCommitHook(func() int {
			*n++
			time.Sleep(time.Millisecond)
			return 0
		})
		return nil
	})
	must(t, err)
	return n
}

// block makes the writer wait within a transaction until free is called.
func block(t *testing.T, s *Store) (free func()) {
	t.Helper()
	entered, leave, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- s.writer.do(context.Background(), 0, func(*tx) error {
			close(entered)
			<-leave
			return nil
		})
	}()
	select {
	case <-entered:
	case err := <-done: // it was not even begun
		t.Fatal(err)
	}
	return func() {
		close(leave)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// queued waits until so many requests wait. Where they do not the test has failed, and
// goes on: the writer that is blocked must be freed, or it is waited for in vain.
func queued(t *testing.T, s *Store, n int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); len(s.writer.queue) < n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("%d requests wait, and not %d", len(s.writer.queue), n)
			return
		}
	}
}

// TestGivenUp: a caller that gives up while it waits has written nothing.
func TestGivenUp(t *testing.T) {
	s := openAt(t, made(t))
	row := load(t, s, "r")
	free := block(t, s)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := s.Commit(ctx, nextStep(row)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	free()
	commit(t, s, nextStep(row)) // would be a conflict
}

// TestBackPressure: with a full queue callers wait, and can give up.
func TestBackPressure(t *testing.T) {
	s := openAt(t, made(t))
	free := block(t, s)
	var wait sync.WaitGroup
	for range queueLength {
		wait.Go(func() {
			if err := s.writer.do(context.Background(), 0, func(*tx) error { return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	queued(t, s, queueLength)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := s.writer.do(ctx, 0, func(*tx) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	free()
	wait.Wait()
}

// TestOneOfBatchFails: the others in its transaction are written.
func TestOneOfBatchFails(t *testing.T) {
	s := openAt(t, made(t))
	free := block(t, s)
	var wait sync.WaitGroup
	for i := range 5 {
		wait.Go(func() {
			err := s.writer.do(context.Background(), 0, func(x *tx) error {
				if err := x.commit(context.Background(), firstStep(fmt.Sprintf("b%d", i))); err != nil {
					return err
				}
				if i == 2 {
					_, err := x.exec(`INSERT INTO runs (run) VALUES (NULL)`)
					return err
				}
				return nil
			})
			if (err != nil) != (i == 2) {
				t.Errorf("b%d: %v", i, err)
			}
		})
	}
	queued(t, s, 5)
	free()
	wait.Wait()
	for i := range 5 {
		_, err := s.Load(t.Context(), fmt.Sprintf("b%d", i))
		if errors.Is(err, store.ErrNotFound) != (i == 2) {
			t.Errorf("b%d: %v", i, err)
		}
	}
}

// TestRefusedOfBatch: a request that is refused takes nothing back from the
// others of its transaction, which are not run again.
func TestRefusedOfBatch(t *testing.T) {
	s := openAt(t, made(t))
	rolledBack := 0 // the hook runs in the goroutine that leads
	err := s.writer.conn.Raw(func(conn any) error {
		conn.(*sqlite3.SQLiteConn).RegisterRollbackHook(func() { rolledBack++ })
		return nil
	})
	must(t, err)
	row := load(t, s, "r")
	fenced, conflict := nextStep(row), nextStep(row)
	fenced.Claim = &store.Claim{Run: "r", Do: "work", Seq: 1, Epoch: 7}
	conflict.Expect, conflict.Run.Seq, conflict.History[0].Seq = 8, 9, 9
	free := block(t, s)
	var wait sync.WaitGroup
	for want, c := range map[error]*store.Commit{
		machine.ErrFenced: fenced, store.ErrConflict: conflict, nil: firstStep("other"),
	} {
		wait.Go(func() {
			if err := s.Commit(context.Background(), c); !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		})
	}
	queued(t, s, 3)
	free()
	wait.Wait()
	if err := s.Close(); err != nil { // the hook's last write happens before
		t.Fatal(err)
	}
	if rolledBack > 0 {
		t.Errorf("%d transactions were rolled back", rolledBack)
	}
}

// TestOvertaken: a run that this writer has moved last is moved, or deleted, by
// another process (another connection, which is the same to SQLite). A step that
// does not know of it is refused as a whole.
func TestOvertaken(t *testing.T) {
	path := made(t)
	ours, theirs := openAt(t, path), openAt(t, path)
	claimed := firstStep("c")
	claimed.Start = []store.TaskRow{{Run: "c", Machine: "Order", Definition: "h", Do: "work", Seq: 1, Activity: "work", Key: "k", Attempt: 1, NotBefore: noon}}
	commit(t, ours, claimed)
	commit(t, ours, firstStep("d"))
	commit(t, theirs, nextStep(claimed.Run))

	late := nextStep(claimed.Run)
	late.EventID, late.Publish, late.Cancel = "", nil, []string{"work"}
	if err := ours.Commit(t.Context(), late); !errors.Is(err, store.ErrConflict) {
		t.Errorf("got %v", err)
	}
	late.Claim = &store.Claim{Run: "c", Do: "work", Seq: 1, Epoch: 99}
	if err := ours.Commit(t.Context(), late); !errors.Is(err, store.ErrConflict) { // before ErrFenced
		t.Errorf("got %v", err)
	}
	if tasks, err := ours.Tasks(t.Context(), "c"); err != nil || len(tasks) != 1 {
		t.Errorf("%d tasks are left, %v", len(tasks), err)
	}
	row, err := ours.Load(t.Context(), "c")
	if err != nil || row.Seq != 2 {
		t.Fatalf("the run is at %d, %v", row.Seq, err)
	}
	commit(t, ours, nextStep(row))

	afterwards := nextStep(firstStep("d").Run)
	afterwards.EventID = ""
	ended := nextStep(firstStep("d").Run)
	ended.Run.Status, ended.Run.Outcome, ended.Publish = machine.Finished, machine.Success, nil
	commit(t, theirs, ended)
	err = theirs.write(t.Context(), func(t *tx) error {
		if _, err := t.exec("DELETE FROM outbox WHERE run = ?", "d"); err != nil {
			return err
		}
		return t.delete(context.Background(), &prunable{run: "d", end: end{seq: 2}})
	})
	must(t, err)
	if err := ours.Commit(t.Context(), afterwards); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

// TestIDAgain: a run that has the id of one that was pruned is not taken for that
// one, at whatever sequence number.
func TestIDAgain(t *testing.T) {
	path := made(t)
	ours, theirs := openAt(t, path), openAt(t, path)
	in := func(state string, c *store.Commit) *store.Commit {
		c.EventID, c.Publish, c.Set = "", nil, nil
		c.History[0].To, c.Run.State = state, state
		return c
	}
	first := in("Draft", firstStep("x"))
	commit(t, ours, first)
	known := in("Working", nextStep(first.Run))
	commit(t, ours, known)
	end := in("Done", nextStep(known.Run))
	end.Run.Status, end.Run.Outcome = machine.Finished, machine.Success
	commit(t, theirs, end)
	if done, err := theirs.Prune(t.Context(), store.PruneQuery{Before: noon.Add(time.Hour), Limit: 10, Now: noon}); err != nil || done.Runs != 1 {
		t.Fatal(done, err)
	}
	again := in("Draft", firstStep("x"))
	again.Run.Started = noon.Add(time.Minute)
	commit(t, theirs, again)
	commit(t, theirs, in("Draft", nextStep(again.Run)))

	if err := ours.Commit(t.Context(), in("Done", nextStep(known.Run))); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a step of the run that is gone: %v", err)
	}
	row := load(t, ours, "x")
	commit(t, ours, in("Working", nextStep(row)))
	if row = load(t, ours, "x"); row.State != "Working" {
		t.Errorf("the run reads as in %q", row.State)
	}
	if n := query[int](t, ours, `SELECT count(*) FROM runs WHERE state = 'Working'`); n != 1 {
		t.Errorf("%d runs are listed as working", n)
	}
}

// TestLargeRollback: what a transaction has written that is larger than the cache,
// and is rolled back, is not written over what another process commits after it.
func TestLargeRollback(t *testing.T) {
	path := made(t)
	ours, err := Open(t.Context(), path)
	must(t, err)
	theirs := openAt(t, path)
	for _, s := range []*Store{ours, theirs} {
		s.writer.wal.every.Store(1 << 40)
	}
	refused := errors.New("refused after all")
	large := json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
	err = ours.write(t.Context(), func(x *tx) error {
		for n := range 20 {
			c := firstStep(fmt.Sprint("large", n))
			c.Run.Snapshot = large
			if err := x.commit(context.Background(), c); err != nil {
				return err
			}
		}
		return refused
	})
	if !errors.Is(err, refused) {
		t.Fatal(err)
	}
	for n := range 20 {
		c := firstStep(fmt.Sprint("theirs", n))
		c.Run.Snapshot = json.RawMessage(strings.ReplaceAll(string(large), "x", string(rune('a'+n))))
		commit(t, theirs, c)
	}
	if err := ours.Close(); err != nil {
		t.Error(err)
	}
	for n := range 20 {
		row, err := theirs.Load(t.Context(), fmt.Sprint("theirs", n))
		if err != nil || strings.Count(string(row.Snapshot), string(rune('a'+n))) != 1<<20 {
			t.Errorf("run %d has changed, %v", n, err)
		}
	}
	if found := query[string](t, theirs, "PRAGMA integrity_check(1)"); found != "ok" {
		t.Error(found)
	}
}

// TestLargeBatch: requests that write much do not all go into one transaction.
func TestLargeBatch(t *testing.T) {
	s := openAt(t, made(t))
	transactions := countCommits(t, s)
	large := json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
	free := block(t, s)
	const callers = 32
	var wait sync.WaitGroup
	for n := range callers {
		wait.Go(func() {
			c := firstStep(fmt.Sprint("large", n))
			c.Run.Snapshot = large
			if err := s.Commit(context.Background(), c); err != nil {
				t.Error(err)
			}
		})
	}
	queued(t, s, callers)
	free()
	wait.Wait()
	if err := s.Close(); err != nil { // the hook's last write happens before
		t.Fatal(err)
	}
	if *transactions < callers<<20/maxBytes {
		t.Errorf("%d transactions for %d MiB", *transactions, callers)
	}
}

// TestBusy has another process's lock (of another connection, which is the
// same to SQLite) last for longer than the writer is patient.
func TestBusy(t *testing.T) {
	path := made(t)
	s := openAt(t, path, BusyTimeout(20*time.Millisecond))
	row := load(t, s, "r")
	free := block(t, openAt(t, path))
	if err := s.Commit(t.Context(), nextStep(row)); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v", err)
	}
	free()
	commit(t, s, nextStep(row)) // and it goes on afterwards
}

// stopped expects that writing has ended, with the reason in each error, and
// that reading has not.
func stopped(t *testing.T, s *Store, first error, cause sqlite3.ErrNo) {
	t.Helper()
	for i, err := range []error{first, s.PutDefinition(t.Context(), store.DefinitionRow{Hash: "x", Definition: []byte("1")})} {
		if !errors.Is(err, ErrStopped) || code(err) != cause {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if _, err := s.Claim(t.Context(), store.ClaimQuery{Worker: "w", Limit: 1}); !errors.Is(err, ErrStopped) || code(err) != cause {
		t.Errorf("a claim of an idle worker gives %v", err)
	}
	if row, err := s.Load(t.Context(), "r"); err != nil || row.Seq != 1 {
		t.Errorf("reading: %+v, %v", row, err)
	}
}

// TestFullDisk: what finds no room leaves nothing, and what comes once there is room is
// written; nothing has to be opened again for that.
func TestFullDisk(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	if _, err := s.writer.conn.ExecContext(t.Context(), "PRAGMA max_page_count = 1"); err != nil {
		t.Fatal(err) // the present size, as the least there can be
	}
	row := load(t, s, "r")
	c := nextStep(row)
	c.Run.Snapshot = []byte(`"` + strings.Repeat("x", 1<<20) + `"`)
	for range 2 {
		if err := s.Commit(t.Context(), c); !errors.Is(err, ErrFull) || errors.Is(err, ErrStopped) || code(err) != sqlite3.ErrFull {
			t.Errorf("got %v", err)
		}
		if row := load(t, s, "r"); row.Seq != 1 {
			t.Errorf("the run reads as step %d", row.Seq)
		}
	}
	must(t, errOf(s.writer.conn.ExecContext(t.Context(), "PRAGMA max_page_count = 1000000")))
	commit(t, s, c)
	if found := query[string](t, s, "PRAGMA integrity_check(1)"); found != "ok" {
		t.Error(found)
	}
}

func TestDamagedPage(t *testing.T) {
	path := made(t)
	s := openAt(t, path, ReadOnly())
	root := query[int64](t, s, `SELECT rootpage FROM sqlite_schema WHERE name = 'inbox'`)
	must(t, s.Close())
	patch(t, path, (root-1)*4096, []byte(strings.Repeat("\xff", 4096)))
	s = openAt(t, path)
	row := load(t, s, "r")
	err := s.Commit(t.Context(), nextStep(row))
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
	stopped(t, s, err, sqlite3.ErrCorrupt)
	if _, _, err := s.Accepted(t.Context(), "r", "1"); !errors.Is(err, ErrDamaged) {
		t.Errorf("reading the page: %v", err)
	}
}

// BenchmarkCommit has the disk's own rate beside it: overwriting and syncing
// one block of 4 KiB, one after the other.
func BenchmarkCommit(b *testing.B) {
	b.Run("disk", func(b *testing.B) {
		f, err := os.Create(filepath.Join(b.TempDir(), "block"))
		must(b, err)
		defer f.Close()
		block := make([]byte, 4096)
		for i := 0; b.Loop(); i++ {
			block[0] = byte(i)
			must(b, errOf(f.WriteAt(block, 0)))
			must(b, f.Sync())
		}
	})
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			s := openAt(b, filepath.Join(b.TempDir(), "runs.db"))
			putDefinition(b, s)
			todo := make(chan struct{})
			var wait sync.WaitGroup
			for i := range callers {
				c := firstStep(fmt.Sprintf("r%d", i))
				wait.Go(func() {
					for range todo {
						c.Publish, c.EventID = nil, ""
						if err := s.Commit(context.Background(), c); err != nil {
							b.Error(err)
						}
						c = nextStep(c.Run)
					}
				})
			}
			for b.Loop() {
				todo <- struct{}{}
			}
			close(todo)
			wait.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
		})
	}
}
