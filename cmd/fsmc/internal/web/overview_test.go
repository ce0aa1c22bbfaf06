package web

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestOverviewFigures: a machine's card has what its runs did in the last hour, and what they cost today.
func TestOverviewFigures(t *testing.T) {
	s := newSite(t, approval, func(o *Options) {
		busy := &busyStore{Store: o.Store}
		today := store.DayOf(time.Now())
		for _, c := range []store.CostCount{{Day: today, Name: "usd", Amount: "0.1"}, {Day: today, Name: "usd", Amount: "0.07"},
			{Day: today, Name: "tokens", Amount: "900"}, {Day: today - 1, Name: "usd", Amount: "5"}} {
			c.Machine = "Approval"
			busy.more.Costs = append(busy.more.Costs, c)
		}
		o.Store, o.Engine = busy, runtime.NewEngine(busy)
	})
	s.start("doc-1", `{"title": "A"}`)
	s.start("doc-2", `{"title": "A"}`)
	s.post("/runs/doc-1/send", url.Values{"event": {"Reject"}}, 303)
	page := s.get("/", 200)
	s.has(page, "Last hour: 3 steps, 2 started, 1 ended</p>", "Cost of today, UTC: tokens 900, usd 0.17</p>")
	if n := strings.Count(page, ` started, `) - 1; n < 1 || n > 2 || // one, unless a minute has just ended
		!strings.Contains(page, `viewBox="0 0 300 37"`) {
		t.Errorf("%d minutes in which something happened", n)
	}
	s.hasNot(page, "so far")
	s.has(s.get("/machines/Approval", 200), "tokens 900 usd 0.17", "usd 5")
}

// TestOverviewWeight: the first page stays light with many machines, of which some have been busy for an hour.
func TestOverviewWeight(t *testing.T) {
	var cards []*card
	for i := range 12 {
		c := &card{Name: fmt.Sprintf("Machine%02d", i), Week: &week{}}
		for k := range 60 {
			m := store.MinuteCount{Minute: time.Now()}
			if i < 4 {
				m.Steps, m.Started, m.Ended = int64(1000+k), 10, 10
			}
			c.Hour = append(c.Hour, m)
		}
		cards = append(cards, c)
	}
	var page strings.Builder
	if err := templates()["overview"].ExecuteTemplate(&page, "page", map[string]any{"Base": "/", "Page": &overviewData{Cards: cards}}); err != nil {
		t.Fatal(err)
	}
	if n := whole(page.String()); n >= mostWeight {
		t.Errorf("the page and what it loads are %d bytes", n)
	}
}

// TestOverviewLongest: who has been longest in its state is on the first page, and beside the state.
func TestOverviewLongest(t *testing.T) {
	s := newSite(t, approval, nil)
	for _, id := range []string{"doc-1", "doc-2", "doc-3"} {
		s.start(id, `{"title": "A"}`)
	}
	s.post("/runs/doc-1/send", url.Values{"event": {"Reject"}}, 303)
	_, longest, _ := strings.Cut(s.get("/", 200), `<h2>Longest in their state</h2>`)
	longest, _, _ = strings.Cut(longest, "</section>")
	s.has(longest, "doc-2", "doc-3")
	s.hasNot(longest, "doc-1")
	if strings.Index(longest, "doc-2") > strings.Index(longest, "doc-3") {
		t.Error("the younger one comes first")
	}
	s.has(s.get("/machines/Approval", 200), `</time>, <a href="/runs/doc-2">`)
}

// unfed is a store that gives no feed, as a standby does.
type unfed struct{ runtime.Store }

func (unfed) FeedEnd(context.Context) (int64, error) { return 0, errors.New("a standby has no feed") }

// TestOverviewWithoutFeed: where the last hour is not known, all else is shown.
func TestOverviewWithoutFeed(t *testing.T) {
	s := newSite(t, approval, func(o *Options) {
		o.Store = unfed{o.Store}
		o.Engine = runtime.NewEngine(o.Store)
	})
	s.start("doc-1", `{"title": "A"}`)
	page := s.get("/", 200)
	s.has(page, "<strong>1</strong> active", "doc-1")
	s.hasNot(page, "Last hour", "does not answer")
}

// TestAfter: a page says up to which step it knows, so that its stream begins behind that.
func TestAfter(t *testing.T) {
	s := newSite(t, approval, nil)
	s.start("doc-1", `{"title": "A"}`)
	s.has(s.get("/runs/doc-1", 200), `data-after="1"`)
	s.start("doc-2", `{"title": "A"}`)
	s.has(s.get("/", 200), `data-after="2"`)
}

// TestNarrowBars: attempts of a visit whose bar is too narrow are one, which says how many there were.
func TestNarrowBars(t *testing.T) {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	step := func(seq int64, after time.Duration, kind machine.InputKind, effect machine.Effect, from, to string) runtime.StepView {
		v := runtime.StepView{Seq: seq, At: at.Add(after), Kind: kind, Effect: effect, From: from, To: to}
		if from != "" && kind != machine.EventInput {
			v.Activity, v.Attempt, v.Took = "fetch", int(seq), "1s"
		}
		return v
	}
	steps := []runtime.StepView{
		step(1, 0, machine.StartInput, machine.Moved, "", "Fetching"),
		step(2, time.Second, machine.FailureInput, machine.Retried, "Fetching", "Fetching"),
		step(3, 3*time.Second, machine.ResultInput, machine.Moved, "Fetching", "Waiting"),
	}
	wide, narrow := string(bars(steps, nil, at.Add(10*time.Second))), string(bars(steps, nil, at.Add(time.Hour)))
	if strings.Count(wide, "fetch, attempt") != 2 || strings.Contains(wide, "2 attempts") {
		t.Error(wide)
	}
	if strings.Count(narrow, "fetch, attempt") != 0 || !strings.Contains(narrow, `class="failed"`) || !strings.Contains(narrow, "2 attempts, 1 failed") {
		t.Error(narrow)
	}
}
