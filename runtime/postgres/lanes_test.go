package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// openAt opens a database that may forget.
func openAt(t *testing.T, url string) *Store {
	t.Helper()
	s, err := Open(t.Context(), url, Relaxed())
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// stepOf is a commit that takes a run on, from the state A to A.
func stepOf(row store.RunRow) *store.Commit {
	c := &store.Commit{Run: row, Expect: row.Seq}
	c.Run.Seq++
	c.Run.Updated = noon.Add(time.Duration(c.Run.Seq) * time.Second)
	c.Run.Snapshot = []byte(`{}`)
	c.History = []store.HistoryRow{{Run: row.Run, Seq: c.Run.Seq, At: c.Run.Updated, Kind: machine.EventInput, Input: "Go",
		From: "A", To: "A", Effect: machine.Moved, Record: []byte(`{}`)}}
	return c
}

func newRun(run string) *store.Commit {
	c := stepOf(store.RunRow{Run: run, Machine: "M", Definition: "h", State: "A", Status: machine.Running, Started: noon, Entered: noon})
	c.History[0].From = ""
	return c
}

// together writes commits as one batch.
func together(s *Store, commits ...*store.Commit) []error {
	var all []*request
	for i, c := range commits {
		all = append(all, &request{commit: &commit{Commit: c, token: int64(i)}, reply: make(chan error, 1)})
	}
	s.writeBatch(all)
	return column(all, func(r **request) error { return (*r).err })
}

// made is a store with a definition and runs at 1, each with a task of the do "d".
func made(t *testing.T, url string, runs ...string) *Store {
	t.Helper()
	s := openAt(t, url)
	err := s.PutDefinition(t.Context(), store.DefinitionRow{Hash: "h", Machine: "M", Definition: []byte(`{}`)})
	for _, run := range runs {
		c := newRun(run)
		c.EventID = "first"
		c.Start = []store.TaskRow{{Run: run, Machine: "M", Definition: "h", Do: "d", Activity: "a", Key: run, Seq: 1}}
		err = errors.Join(err, s.Commit(t.Context(), c))
	}
	must(t, err)
	return s
}

// claim has a worker claim the task of a run.
func claim(t *testing.T, s *Store, run string) *store.Claim {
	t.Helper()
	rows, err := s.Claim(t.Context(), store.ClaimQuery{Worker: "w", Now: noon.Add(time.Minute), Until: noon.Add(time.Hour), Limit: 1,
		Activities: []store.Claimable{{Definition: "h", Activity: "a"}}, Run: run})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d tasks, %v", len(rows), err)
	}
	c := rows[0].Claim()
	return &c
}

func load(t *testing.T, s *Store, run string) store.RunRow {
	t.Helper()
	row, err := s.Load(t.Context(), run)
	must(t, err)
	return row
}

// TestBatchRefuses: one batch with a refusal of each kind, and good ones between them. What is
// refused is not written, and is not counted.
func TestBatchRefuses(t *testing.T) {
	s := made(t, pgtest.URL(t, "synchronous_commit=off"), "a", "b", "c", "d", "e", "f", "j", "k")
	row := func(run string) store.RunRow { return load(t, s, run) }
	stale := stepOf(row("k"))
	must(t, s.Commit(t.Context(), stepOf(row("k"))))
	commits := []*store.Commit{stepOf(row("a")), stepOf(row("b")), newRun("c"), stepOf(row("d")), stepOf(row("e")), stepOf(row("f")), newRun("g"), newRun("h"),
		stepOf(row("j")), stale}
	commits[1].EventID = "first"
	commits[3].Run.Started = noon.Add(-time.Second)
	commits[4].Claim = claim(t, s, "e")
	commits[4].Claim.Epoch++
	commits[5].Claim = claim(t, s, "f")
	commits[7].Run.Definition = "never put"
	commits[8].Claim = claim(t, s, "j")
	commits[8].Claim.Seq++
	for _, c := range commits {
		c.Cancel = []string{"d"}
		c.Set = []store.TimerRow{{Run: c.Run.Run, Name: "after 1h", Due: noon}}
		c.Publish = []store.MessageRow{{ID: "m" + c.Run.Run, Run: c.Run.Run, Seq: c.Run.Seq, N: 1, At: noon}}
	}
	errs := together(s, commits...)
	want := []error{nil, machine.ErrDuplicate, machine.ErrExists, store.ErrConflict, machine.ErrFenced, nil, nil, store.ErrNotFound,
		machine.ErrFenced, store.ErrConflict}
	steps := int64(9)
	for i, c := range commits {
		if !errors.Is(errs[i], want[i]) {
			t.Errorf("%s: %v, want %v", c.Run.Run, errs[i], want[i])
		}
		written := 0
		if want[i] == nil {
			written, steps = 1, steps+1
		}
		run := c.Run.Run
		history, _ := s.History(t.Context(), run, c.Expect, 0)
		timers, _ := s.Timers(t.Context(), run)
		messages, _ := s.Outbox(t.Context(), run, 0)
		tasks, _ := s.Tasks(t.Context(), run)
		if run != "c" && run != "k" && len(history) != written || len(timers) != written || len(messages) != written ||
			i < 6 && len(tasks) != 1-written {
			t.Errorf("%s: %d records, %d timers, %d messages, %d tasks", run, len(history), len(timers), len(messages), len(tasks))
		}
	}
	counts, err := s.Counts(t.Context(), "M", noon)
	var counted int64
	for _, n := range counts.Steps {
		counted += n.Steps
	}
	if err != nil || counted != steps || len(counts.Runs) != 1 || counts.Runs[0].Runs != 9 {
		t.Errorf("%d steps, want %d; %+v, %v", counted, steps, counts.Runs, err)
	}
}

// TestBatchSpoiled: one that breaks a constraint has all others of its batch go alone, and
// nothing of the batch is there.
func TestBatchSpoiled(t *testing.T) {
	s := made(t, pgtest.URL(t, "synchronous_commit=off"), "a", "b")
	bad, good := stepOf(load(t, s, "a")), stepOf(load(t, s, "b"))
	bad.Start = []store.TaskRow{{Run: "a", Machine: "M", Definition: "h", Do: "d", Activity: "a", Key: "k", Seq: 2}}
	for _, err := range together(s, bad, good) {
		if err != errAlone {
			t.Errorf("got %v", err)
		}
	}
	if a, b := load(t, s, "a"), load(t, s, "b"); a.Seq != 1 || b.Seq != 1 {
		t.Errorf("they are at %d and %d", a.Seq, b.Seq)
	}
	if err := s.Commit(t.Context(), good); err != nil {
		t.Error(err)
	}
	if err := s.Commit(t.Context(), bad); err == nil {
		t.Error("two tasks of one do")
	}
}

// TestBatchWaitsForNone: a run that another process has locked holds no other up. Its own step waits.
func TestBatchWaitsForNone(t *testing.T) {
	url := pgtest.URL(t, "synchronous_commit=off")
	s, other := made(t, url, "a", "b"), openAt(t, url)
	locked, release, done := make(chan bool), make(chan bool), make(chan error, 1)
	go func() {
		done <- other.write(context.Background(), func(ctx context.Context, x *tx) error {
			_, _, err := sqlrow.First(ctx, x, sqlrow.One[int], lockRun, "a")
			locked <- true
			<-release
			return err
		})
	}()
	<-locked
	waits, goes := stepOf(load(t, s, "a")), stepOf(load(t, s, "b"))
	if errs := together(s, waits, goes); errs[0] != errAlone || errs[1] != nil {
		t.Errorf("got %v", errs)
	}
	if b := load(t, s, "b"); b.Seq != 2 {
		t.Errorf("b is at %d", b.Seq)
	}
	waiting := make(chan error, 1)
	go func() { waiting <- s.Commit(context.Background(), waits) }()
	release <- true
	if err := errors.Join(<-waiting, <-done); err != nil {
		t.Error(err)
	}
	if a := load(t, s, "a"); a.Seq != 2 {
		t.Errorf("a is at %d", a.Seq)
	}
}

// TestBatchForgetful: a process that knows nothing of a run counts its step as well as one that
// has moved it, and so does one that knows how it stood some steps ago.
func TestBatchForgetful(t *testing.T) {
	url := pgtest.URL(t, "synchronous_commit=off")
	s := made(t, url, "a")
	stale, fresh := openAt(t, url), openAt(t, url)
	first := stepOf(load(t, stale, "a"))
	first.Run.State, first.Run.Entered, first.History[0].To = "B", noon.Add(time.Minute), "B"
	must(t, s.Commit(t.Context(), first))
	row := first.Run
	for i, of := range []*Store{fresh, stale} {
		c := stepOf(row)
		c.Run.State, c.Run.Entered = fmt.Sprint("C", i), noon.Add(time.Duration(i+2)*time.Minute)
		c.History[0].From, c.History[0].To, c.History[0].At = row.State, c.Run.State, c.Run.Entered
		if errs := together(of, c); errs[0] != nil {
			t.Fatal(errs)
		}
		row = c.Run
	}
	counts, err := s.Counts(t.Context(), "M", noon)
	if err != nil || len(counts.Runs) != 1 || counts.Runs[0].State != "C1" || counts.Runs[0].Runs != 1 {
		t.Errorf("%+v, %v", counts.Runs, err)
	}
	minute := store.StayCount{Machine: "M", State: "B", Bucket: store.BucketOf(time.Minute), Visits: 1}
	if !slices.Contains(counts.Stays, minute) {
		t.Errorf("%+v", counts.Stays)
	}
}

// TestHintPayload: what does not go into one hint names no run.
func TestHintPayload(t *testing.T) {
	h := newHints()
	runs := map[string]struct{}{`a "name"`: {}}
	if got, want := h.payload(runs), `["`+h.sender+`","a \"name\""]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for i := range 60 {
		runs[fmt.Sprintf("%0200d", i)] = struct{}{}
	}
	if got, want := h.payload(runs), `["`+h.sender+`"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestLeave: a caller whose context ends while it waits for a lane has written nothing.
func TestLeave(t *testing.T) {
	s := made(t, pgtest.URL(t, "synchronous_commit=off"), "a", "b")
	s.lanes.mu.Lock()
	s.lanes.moving["a"] = struct{}{} // as if a batch with it were under way
	s.lanes.mu.Unlock()
	ctx, cancel := context.WithCancelCause(t.Context())
	left := make(chan error, 1)
	go func() { left <- s.Commit(ctx, stepOf(load(t, s, "a"))) }()
	if err := s.Commit(t.Context(), stepOf(load(t, s, "b"))); err != nil {
		t.Error(err)
	}
	gone := errors.New("gone")
	cancel(gone)
	if err := <-left; !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
	s.lanes.free([]*request{{commit: &commit{Commit: stepOf(store.RunRow{Run: "a"})}}})
	if err := s.Commit(t.Context(), stepOf(load(t, s, "b"))); err != nil {
		t.Error(err)
	}
	s.lanes.mu.Lock()
	defer s.lanes.mu.Unlock()
	if a, n := load(t, s, "a"), len(s.lanes.queue); a.Seq != 1 || n > 0 {
		t.Errorf("a is at %d, %d wait", a.Seq, n)
	}
}
