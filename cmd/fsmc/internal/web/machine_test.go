package web

import (
	"context"
	"encoding/xml"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/httpapi"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// busyStore is a store that has counted more.
type busyStore struct {
	runtime.Store
	more store.Counts
}

func (s *busyStore) Counts(ctx context.Context, machine string, since time.Time) (store.Counts, error) {
	c, err := s.Store.Counts(ctx, machine, since)
	c.Steps, c.Stays = append(c.Steps, s.more.Steps...), append(c.Stays, s.more.Stays...)
	c.Costs = append(c.Costs, s.more.Costs...)
	return c, err
}

// TestFiguresOfMachine: its page shows how long visits lasted, and which attempts were lost.
func TestFiguresOfMachine(t *testing.T) {
	s := newSite(t, approval, func(o *Options) {
		busy := &busyStore{Store: o.Store}
		busy.more.Steps = []store.StepCount{{Machine: "Approval", From: "Waiting", To: "Waiting", Kind: machine.LostInput, Input: "lost", Steps: 7, Checkpoint: true}}
		busy.more.Stays = []store.StayCount{
			{Machine: "Approval", State: "Waiting", Bucket: store.BucketOf(90 * time.Second), Visits: 3},
			{Machine: "Approval", State: "Waiting", Bucket: store.BucketOf(30 * 24 * time.Hour), Visits: 1},
		}
		o.Store, o.Engine = busy, runtime.NewEngine(busy)
	})
	s.start("doc-1", `{"title": "A"}`)
	s.has(s.get("/machines/Approval", 200), "<title>3 visits up to 2m, 1 longer than 168h</title>",
		`<td>its worker was lost</td><td class="num">7</td><td class="num">7</td>`)
}

// TestDaysOfOlderVersions: a run that ended in a terminal which the newest version does not have has ended.
func TestDaysOfOlderVersions(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	s.post("/runs/doc-1/send", url.Values{"event": {"Reject"}}, 303)
	s.register(strings.ReplaceAll(approval, "Rejected", "Refused"))
	s.start("doc-2", `{"title": "A"}`)
	_, row, _ := strings.Cut(s.get("/machines/Approval", 200), `<rect class="failure"`)
	s.has(row, `</svg></td><td class="num">0</td><td class="num">1</td><td class="num">0</td><td class="num">3</td>`)
}

// TestVersionsOfMachine: its page says of each version how many runs are under way.
func TestVersionsOfMachine(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	s.start("doc-2", `{"title": "A"}`)
	s.start("doc-3", `{"title": "A"}`)
	s.post("/runs/doc-3/send", url.Values{"event": {"Reject"}}, 303)
	s.hasNot(s.get("/machines/Approval", 200), "active run")
	s.register(strings.ReplaceAll(approval, "Rejected", "Refused"))
	s.start("doc-4", `{"title": "A"}`)
	s.site.now = func() time.Time { return time.Now().Add(surveyAge) }
	page := s.get("/machines/Approval", 200)
	_, older, _ := strings.Cut(page, "Older versions")
	s.has(page, "</code> with 1 active run ·")
	s.has(older, "</code></a>, 2 active runs, oldest run <time", "newest run <time")
}

// TestCancelledAreNowhere: a run that was cancelled in a state, which no arm handles, is not in it any more.
func TestCancelledAreNowhere(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	s.start("doc-2", `{"title": "A"}`)
	s.post("/runs/doc-1/cancel", url.Values{"reason": {"x"}}, 303)
	page := s.get("/machines/Approval", 200)
	s.has(page, `<td>1<td>100 %<td>`, "1 run in Waiting")
	s.hasNot(page, "2 runs in Waiting")
}

// TestDrawings: the page of a machine has the compact drawing, and the full one behind a link.
func TestDrawings(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	compact := s.get("/machines/Approval", 200)
	s.has(compact, `href="/machines/Approval?full=1"`, ">Approve</text>")
	s.hasNot(compact, "event.level &gt; 1")
	full := s.get("/machines/Approval?full=1", 200)
	s.has(full, `href="/machines/Approval"`, "event.level &gt; 1", "1 run in Waiting")
}

// TestArrowsOfFailures: an arrow that failures took says how often, and one that was taken otherwise does not.
func TestArrowsOfFailures(t *testing.T) {
	busy := &busyStore{}
	s := newSite(t, `machine Job {
	event Skip
	activity work()
	initial Working
	state Working {
		do work() timeout 1m
		on done -> Done
		on Skip -> Skipped
		on failed retry 2 backoff 1s..2s else -> Failed
	}
	terminal Done
	terminal Skipped failure
	terminal Failed failure
}
`, func(o *Options) {
		busy.Store = o.Store
		o.Store, o.Engine = busy, runtime.NewEngine(busy)
	})
	count := func(kind machine.InputKind, to string, effect machine.Effect, n int64) {
		busy.more.Steps = append(busy.more.Steps, store.StepCount{Machine: "Job", Day: store.DayOf(time.Now()), Kind: kind, From: "Working", To: to, Effect: effect, Steps: n})
	}
	count(machine.FailureInput, "Working", machine.Retried, 7)
	count(machine.FailureInput, "Failed", machine.Moved, 5)
	count(machine.EventInput, "Skipped", machine.Moved, 3)
	count(machine.DoneInput, "Done", machine.Moved, 90)
	if _, err := s.engine.Start(t.Context(), "Job", "job-1", nil); err != nil {
		t.Fatal(err)
	}
	page := s.get("/machines/Job", 200)
	for id, times := range map[string]string{"Working-Working-retry": "7", "Working-Failed": "5", "Working-Skipped": "", "Working-Done": ""} {
		_, arrow, found := strings.Cut(page, `<g id="arrow-`+id+`"`)
		arrow, _, _ = strings.Cut(arrow, "</g>")
		if _, n, has := strings.Cut(arrow, `<text class="times`); !found || has != (times != "") || has && !strings.HasSuffix(n, ">"+times+"</text>") {
			t.Errorf("%s has %q, want the number %q", id, arrow, times)
		}
	}
}

// TestDiagramAlone: a drawing that is no part of a page says that it is SVG, and one within a page need not.
func TestDiagramAlone(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	versions, err := s.engine.Versions(t.Context())
	if err != nil || len(versions) != 1 {
		t.Fatal(versions, err)
	}
	text, err := s.site.Diagram(t.Context(), &versions[0], httpapi.Picture{})
	if err != nil || !strings.HasPrefix(string(text), `<svg xmlns="http://www.w3.org/2000/svg" class="machine"`) {
		t.Errorf("%.200s %v", text, err)
	}
	if err := xml.Unmarshal(text, new(struct{})); err != nil {
		t.Error(err)
	}
	s.hasNot(s.get("/runs/doc-1", 200), "xmlns")
}

// TestOutbox: a message that nobody has delivered is on the page of its run.
func TestOutbox(t *testing.T) {
	s := newSite(t, strings.NewReplacer("event Reject\n", "event Reject\n    event Told\n", "on Reject -> Rejected", "on Reject -> Rejected { publish Told }").Replace(approval), nil)
	s.start("doc-1", `{"title": "A"}`)
	s.hasNot(s.get("/runs/doc-1", 200), "Outbox")
	s.post("/runs/doc-1/send", url.Values{"event": {"Reject"}}, 303)
	s.has(s.get("/runs/doc-1", 200), "<strong>Told</strong> of step 2 is not delivered")
	s.hasNot(s.get("/runs/doc-1/at/2", 200), "Outbox")
}

// TestProgress: the page of a run says when a running attempt last made progress, and read-only answers have it.
func TestProgress(t *testing.T) {
	s := newSite(t, strings.NewReplacer("    event Reject\n", "    event Read\n    activity read() -> Read\n    event Reject\n",
		"    state Waiting {\n", "    state Waiting {\n        do read()\n        on Read -> Approved\n        on failed -> Rejected\n").Replace(approval), nil)
	s.start("doc-1", `{"title": "A"}`)
	tasks, err := s.store.Tasks(t.Context(), "doc-1")
	if err != nil || len(tasks) != 1 {
		t.Fatal(tasks, err)
	}
	now := time.Now()
	tasks, err = s.store.Claim(t.Context(), store.ClaimQuery{Worker: "w", Now: now, Until: now.Add(time.Minute), Limit: 1,
		Activities: []store.Claimable{{Definition: tasks[0].Definition, Activity: "read"}}})
	if err != nil || len(tasks) != 1 {
		t.Fatal(tasks, err)
	}
	s.hasNot(s.get("/runs/doc-1", 200), "last progress")
	if _, err := s.store.Renew(t.Context(), tasks[0].Claim(), now, now.Add(time.Minute), []byte(`{"at":1}`)); err != nil {
		t.Fatal(err)
	}
	s.has(s.get("/runs/doc-1?before=9", 200), "<li>last sign of life <time", "<li>last progress <time", "Checkpoint, 8 bytes")
}

// hidingStore is a store that cannot read one definition, for as long as hidden names it.
type hidingStore struct {
	runtime.Store
	hidden string
	why    error
	asked  int
}

func (s *hidingStore) Definition(ctx context.Context, hash string) (store.DefinitionRow, error) {
	if hash == s.hidden {
		s.asked++
		return store.DefinitionRow{}, s.why
	}
	return s.Store.Definition(ctx, hash)
}

// TestChildThatCouldNotBeRead: what a machine calls is read again for its next page, unless it is not there.
func TestChildThatCouldNotBeRead(t *testing.T) {
	for why, again := range map[error]bool{context.DeadlineExceeded: true, runtime.ErrUnavailable: true, runtime.ErrNotFound: false} {
		t.Run(why.Error(), func(t *testing.T) { testUnread(t, why, again) })
	}
}

func testUnread(t *testing.T, why error, again bool) {
	const child = "machine Child {\n initial Begun\n state Begun { after 1s -> Ended }\n terminal Ended\n}\n"
	const parent = "import \"child.fsm\"\n" + "machine Parent {\n initial Calling\n state Calling {\n  do machine Child() timeout 1h\n  on done -> Ended\n  on failed -> Lost\n }\n terminal Ended\n terminal Lost failure\n}\n"
	hiding := &hidingStore{why: why}
	s := newSite(t, approval, around(hiding, &hiding.Store))
	engine := runtime.NewEngine(hiding.Store)
	for _, m := range tabletest.Machines(t, child+strings.SplitN(parent, "\n", 2)[1]) {
		text := child
		if m.Definition().Name == "Parent" {
			text = parent
		} else {
			hiding.hidden = m.Hash()
		}
		if err := engine.Register(m, text, runtime.Handlers{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := engine.Start(t.Context(), "Parent", "p-1", nil); err != nil {
		t.Fatal(err)
	}
	const partly = `id="state-Calling" class="choice"` // nothing is known to run there
	s.has(s.get("/machines/Parent", 200), partly)
	asked := hiding.asked
	s.has(s.get("/machines/Parent?soon", 200), partly)
	if (hiding.asked > asked) != again {
		t.Errorf("read %d times, and then %d times", asked, hiding.asked-asked)
	}
	if hiding.hidden = ""; again {
		s.hasNot(s.get("/machines/Parent?again", 200), partly)
	}
}
