package web

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestWeek: a machine's card says how its runs ended in the last seven days, day by day.
func TestWeek(t *testing.T) {
	today := store.DayOf(time.Now())
	s := newSite(t, approval, func(o *Options) {
		busy := &busyStore{Store: o.Store}
		for _, c := range []store.StepCount{{Day: today - 1, To: "Approved", Steps: 3}, {Day: today - 1, To: "Rejected", Steps: 1},
			{Day: today - 6, To: "Approved", Steps: 4}, {Day: today - 7, To: "Rejected", Steps: 1000}} {
			c.Machine, c.From, c.Kind, c.Input, c.Effect = "Approval", "Waiting", machine.EventInput, "Approve", machine.Moved
			busy.more.Steps = append(busy.more.Steps, c)
		}
		o.Store, o.Engine = busy, runtime.NewEngine(busy)
	})
	s.start("doc-1", `{"title": "A"}`)
	page := s.get("/", 200)
	s.has(page, "Seven days: 8 ended, 88&nbsp;% with success, 12&nbsp;% with failure</p>", ": 75 % of 4 with success</title>", ": 100 % of 4 with success</title>")
	if n := strings.Count(page, `class="day"`); n != 7 {
		t.Errorf("%d days", n)
	}
	s.hasNot(page, "of 1000")
}

// TestShareOfFailures: a failure is set beside all steps that were taken in its state.
func TestShareOfFailures(t *testing.T) {
	s := newSite(t, approval, func(o *Options) {
		busy := &busyStore{Store: o.Store}
		busy.more.Steps = []store.StepCount{{Machine: "Approval", Day: store.DayOf(time.Now()), From: "Waiting", To: "Rejected", Kind: machine.FailureInput, Input: "failed(timeout)", Effect: machine.Moved, Steps: 1}}
		o.Store, o.Engine = busy, runtime.NewEngine(busy)
	})
	s.start("doc-1", `{"title": "A"}`)
	s.post("/runs/doc-1/send", url.Values{"event": {"Reject"}}, 303)
	s.has(s.get("/machines/Approval", 200), `<td>failed(timeout)</td><td>→ Rejected</td><td class="num">1</td><td class="num">50.0 %</td>`)
}

const loop = `machine Loop {
    budget { steps 1, time 2h, usd 0.5 }
    event Go
    activity pay(n int) cost usd 0.1
    initial Here
    state Here { on Go -> There }
    state There { on Go -> Here }
}
`

// TestAgainstTheBudget: costs stand beside what the budget allows a run, and runs that are over it are listed.
func TestAgainstTheBudget(t *testing.T) {
	s := newSite(t, loop, func(o *Options) {
		busy := &busyStore{Store: o.Store}
		busy.more.Costs = []store.CostCount{{Machine: "Loop", Day: store.DayOf(time.Now()), Name: "usd", Amount: "1.25"}}
		o.Store, o.Engine = busy, runtime.NewEngine(busy)
	})
	for _, id := range []string{"l1", "l2"} {
		if _, err := s.engine.Start(t.Context(), "Loop", id, nil); err != nil {
			t.Fatal(err)
		}
	}
	s.hasNot(s.get("/", 200), "over budget")
	for range 2 {
		s.post("/runs/l1/send", url.Values{"event": {"Go"}}, 303)
	}
	s.has(s.get("/", 200), `<a href="/machines/Loop#over">1 over budget</a>`)
	page := s.get("/machines/Loop", 200)
	s.has(page, "The budget allows a run: 1 step, 2h, 0.5 usd</p>", `usd 1.25 <span class="quiet">as much as 2.5 runs may use</span>`,
		`<a href="/runs/l1"><bdi>l1</bdi></a>, in Here: it has taken 2 steps of its budget of 1`)
	_, over, _ := strings.Cut(page, `id="over"`)
	s.hasNot(over, "l2")
}

// TestPercent: a share that is not all is not 100 %, and one that is not none is not 0 %.
func TestPercent(t *testing.T) {
	for _, c := range [][3]int64{{0, 7, 0}, {7, 7, 100}, {9, 51, 18}, {42, 51, 82}, {1, 1000, 1}, {999, 1000, 99}, {1, 2, 50}, {7, 8, 88}, {1, 8, 12}} {
		if got := percentOf(c[0], c[1]); got != c[2] {
			t.Errorf("%d of %d are %d %%, wanted %d", c[0], c[1], got, c[2])
		}
	}
}
