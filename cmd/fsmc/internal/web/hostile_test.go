package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// brokenStore is a store of which parts do not answer, or give what is damaged.
type brokenStore struct {
	runtime.Store
	gone, damaged, stopped bool
	torn                   bool // the record of step 5
	reads                  int  // of history
}

func (s *brokenStore) History(ctx context.Context, run string, after int64, limit int) ([]store.HistoryRow, error) {
	s.reads++
	rows, err := s.Store.History(ctx, run, after, limit)
	for i := range rows {
		if s.torn && rows[i].Seq == 5 {
			rows[i].Record = json.RawMessage(`{"broken":`)
		}
	}
	return rows, err
}

var errGone = errors.New("the database is gone")

func (s *brokenStore) Load(ctx context.Context, run string) (runtime.RunRow, error) {
	if s.gone {
		return runtime.RunRow{}, errGone
	}
	row, err := s.Store.Load(ctx, run)
	if s.damaged {
		row.Snapshot = json.RawMessage(`{"broken":`)
	}
	return row, err
}

func (s *brokenStore) Counts(ctx context.Context, machine string, since time.Time) (store.Counts, error) {
	if s.gone {
		return store.Counts{}, errGone
	}
	return s.Store.Counts(ctx, machine, since)
}

func (s *brokenStore) FeedEnd(ctx context.Context) (int64, error) {
	if s.gone {
		return 0, errGone
	}
	return s.Store.FeedEnd(ctx)
}

func (s *brokenStore) Commit(ctx context.Context, c *store.Commit) error {
	if s.stopped {
		return fmt.Errorf("%w: the file is not there any more", store.ErrStoreStopped)
	}
	return s.Store.Commit(ctx, c)
}

// newBroken is a site over a broken store, with a run.
func newBroken(t *testing.T) (*site, *brokenStore) {
	t.Helper()
	broken := &brokenStore{}
	s := newSite(t, approval, around(broken, &broken.Store))
	s.start("doc-1", `{"title": "A"}`)
	return s, broken
}

// TestRenderedOnce: a page is rendered once for a step, and who has taken one sees it.
func TestRenderedOnce(t *testing.T) {
	loads := &countingStore{}
	s := newSite(t, approval, around(loads, &loads.Store))
	s.start("doc-1", `{"title": "A"}`)
	at := time.Now()
	s.site.now = func() time.Time { return at }
	for range 50 {
		s.get("/runs/doc-1", 200)
	}
	if n := loads.loads.Load(); n == 0 || n > 10 {
		t.Errorf("50 looks have loaded the run %d times", n)
	}
	s.post("/runs/doc-1/send", url.Values{"event": {"Comment"}, "f.text": {"new"}}, 303)
	s.has(s.get("/runs/doc-1", 200), `id="s2"`)
}

// countingStore counts how often a run is loaded.
type countingStore struct {
	runtime.Store
	loads atomic.Int64
}

func (s *countingStore) Load(ctx context.Context, run string) (runtime.RunRow, error) {
	s.loads.Add(1)
	return s.Store.Load(ctx, run)
}

func TestDamagedRun(t *testing.T) {
	s, broken := newBroken(t)
	broken.damaged = true
	page := s.get("/runs/doc-1", 200)
	s.has(page, "This run cannot be shown whole", `id="s1"`, "state-Waiting")
	s.hasNot(page, `class="primary"`)
	s.get("/runs/doc-1/at/1", 200)
}

// TestTornHistory: a page of a run reads its last steps once, and has them where an older one cannot be read.
func TestTornHistory(t *testing.T) {
	s, broken := newBroken(t)
	for range 250 {
		if _, err := s.engine.Send(t.Context(), "doc-1", runtime.NewEvent("Comment", json.RawMessage(`{"text": "x"}`))); err != nil {
			t.Fatal(err)
		}
	}
	page := s.get("/runs/doc-1", 200)
	s.has(page, `id="s251"`, `class="arrow initial"`) // which is no part of the last 200 steps
	if broken.reads != 1 {
		t.Errorf("its history was read %d times", broken.reads)
	}
	s.has(s.get("/runs/doc-1/at/150", 200), `class="arrow initial taken"`)
	broken.torn = true
	s.has(s.get("/runs/doc-1?full=1", 200), `id="s251"`, `id="s237"`, "before=237#history")
	s.has(s.get("/runs/doc-1?before=60", 200), "This run cannot be shown whole")
}

func TestDatabaseGone(t *testing.T) {
	s, broken := newBroken(t)
	broken.gone = true
	s.has(s.get("/runs/doc-1", 500), "The database is gone")
	s.has(s.get("/runs", 200), "The database does not answer", `href="/runs/doc-1"`) // reads that can go on do
	broken.gone = false
	s.hasNot(s.get("/runs/doc-1", 200), "does not answer")
}

// A payload of a megabyte is cut on the page, and a form of more than that is refused.
func TestLargePayload(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	large := strings.Repeat("é</script>", 90_000)
	if _, err := s.engine.Send(t.Context(), "doc-1", runtime.NewEvent("Comment", json.RawMessage(fmt.Sprintf(`{"text": %q}`, large)))); err != nil {
		t.Fatal(err)
	}
	page := s.get("/runs/doc-1", 200)
	if len(page) > 300_000 {
		t.Errorf("the page has %d bytes", len(page))
	}
	s.has(page, "bytes in all")
	s.hasNot(page, "é</script>")
	s.post("/runs/doc-1/send", url.Values{"event": {"Comment"}, "f.text": {strings.Repeat("x", mostBody)}}, http.StatusRequestEntityTooLarge)
}

// A long history is shown by its last steps, and the rest by links.
func TestLongHistory(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	for i := range 1100 {
		if _, err := s.engine.Send(t.Context(), "doc-1", runtime.NewEvent("Comment", json.RawMessage(fmt.Sprintf(`{"text": "%d"}`, i)))); err != nil {
			t.Fatal(err)
		}
	}
	page := s.get("/runs/doc-1", 200)
	if n := strings.Count(page, `<tr id="s`); n != historyFirst {
		t.Errorf("the page shows %d steps", n)
	}
	if whole(page) >= mostWeight {
		t.Errorf("it weighs %d bytes, the page %d", whole(page), len(page))
	}
	s.has(page, "before=1087#history")
	page = s.get("/runs/doc-1?before=1087", 200)
	if n := strings.Count(page, `<tr id="s`); n != historyShown {
		t.Errorf("an older page shows %d steps", n)
	}
	s.has(page, `id="s1086"`, `id="s887"`, "before=887#history")
	if n := strings.Count(s.get("/runs/doc-1?state=Waiting", 200), `<tr id="s`); n != historyShown {
		t.Errorf("%d steps of a state are shown", n)
	}
	s.has(s.get("/runs/doc-1?before=902", 200), `id="s901"`, `id="s702"`)
	s.has(s.get("/runs/doc-1/at/500", 200), "Step 500 of 1101", `id="s500"`)
	s.get("/runs/doc-1?before=x", 400)
}

// A machine with more states than a drawing shows has a table of them.
func TestManyStates(t *testing.T) {
	var text strings.Builder
	text.WriteString("machine Approval(title string) {\n    event Go\n    initial S0\n")
	for i := range mostDrawn + 1 {
		fmt.Fprintf(&text, "    state S%d {\n        on Go -> S%d\n    }\n", i, i+1)
	}
	fmt.Fprintf(&text, "    terminal S%d\n}\n", mostDrawn+1)
	s := newSite(t, text.String(), nil)
	s.start("doc-1", `{"title": "A"}`)
	s.has(s.get("/machines/Approval", 200), "There is no drawing", "state%3dS2000")
	s.has(s.get("/runs/doc-1", 200), "too many states", ">Go</button>")
}

// A store that has stopped writing shows what it has, and says on each page that it takes nothing.
func TestWriterStopped(t *testing.T) {
	s, broken := newBroken(t)
	broken.stopped = true
	s.has(s.post("/runs/doc-1/pause", url.Values{}, 503), "the store has stopped writing", "writes nothing more")
	s.has(s.get("/runs/doc-1?before=3", 200), "writes nothing more", `id="s1"`)
	s.has(s.get("/problems", 200), "writes nothing more")
}

// TestFormShownAgain: what this server cannot send is no error of it, and what was typed is kept.
func TestFormShownAgain(t *testing.T) {
	s := newSite(t, `
machine Approval {
    event Ask { who string }
    guard allowed(who string)
    initial Waiting
    state Waiting { on Ask when allowed(event.who) -> Out else -> Waiting unbounded }
    terminal Out
}
`, nil)
	s.start("r", "")
	for id, want := range map[string]string{
		" ":  "the id of an event is not blank",
		"e1": "no function is registered for it; this server has no program that answers it: fsmc serve --activities DIR",
	} {
		s.has(s.post("/runs/r/send", url.Values{"event": {"Ask"}, "f.who": {"ada"}, "event_id": {id}}, 409), want, `value="ada"`)
	}
}
