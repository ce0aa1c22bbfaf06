package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/httpapi"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// stuckSite has a run that is stuck, one that is paused, and one that has ended.
func stuckSite(t *testing.T, change func(*Options)) *site {
	s := newSite(t, approval, func(o *Options) {
		o.Health = runtime.HealthQuery{Stuck: time.Nanosecond}
		if change != nil {
			change(o)
		}
	})
	for _, id := range []string{"doc-1", "doc-2", "doc-3", "doc-4"} {
		s.start(id, `{"title": "A"}`)
	}
	if _, err := s.engine.Pause(t.Context(), "doc-3", runtime.Operator{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.engine.Cancel(t.Context(), "doc-4", runtime.CancelOptions{}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Millisecond) // longer than a run may be in its state
	return s
}

// TestProblemButtons: each problem has the buttons that its run would take, which ask first.
func TestProblemButtons(t *testing.T) {
	s := stuckSite(t, nil)
	page := s.get("/problems", 200)
	s.has(page, `<input type="hidden" name="run" value="doc-1"><button name="command" value="cancel" class="danger" title="fsmc cancel doc-1" aria-label="Cancel doc-1">Cancel…</button>`,
		`<input type="hidden" name="run" value="doc-1"><input type="hidden" name="run" value="doc-2"><button name="command" value="cancel" class="danger">Cancel all 2…</button>`)
	s.hasNot(page, `value="retry"`, `value="pause"`, "doc-3", "doc-4") // there is nothing to try again
	page = s.post("/bulk", url.Values{"command": {"cancel"}, "run": {"doc-1"}}, 200)
	s.has(page, "1 run is meant. Nothing has been done yet.", "Why? It stands in the history", " required>")
	if v, err := s.engine.Get(t.Context(), "doc-1"); err != nil || v.Status != machine.Running {
		t.Errorf("it was cancelled at once: %v %v", v.Status, err)
	}
}

// TestAdvice: what is said to help is a command that does help. No message is delivered without --outbox.
func TestAdvice(t *testing.T) {
	for kind, want := range map[runtime.ProblemKind]string{
		runtime.OverdueTimer: "fsmc serve --work", runtime.NoWorker: "--activities DIR", runtime.UnstoredEnd: "the executable of a guard", runtime.OutboxLag: "--outbox CMD", runtime.StuckRun: "", runtime.PausedRun: "resume them",
	} {
		g := problemGroup{Kind: kind}
		if got := g.Advice(); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// TestOverviewLine: the line on the first page counts runs, each once, and says where there is more than it shows.
func TestOverviewLine(t *testing.T) {
	s := stuckSite(t, func(o *Options) { o.Health.Limit = 1 })
	s.has(s.get("/", 200), "<strong>1 or more runs need a look:</strong>", `<a href="/problems">1 stuck in Approval.Waiting</a>.`)
	h := runtime.Health{Problems: []runtime.Problem{
		{Kind: runtime.StuckRun, Run: "doc-1", Machine: "Approval", State: "A"}, {Kind: runtime.NoWorker, Run: "doc-1", Machine: "Approval", State: "A"},
	}}
	for _, state := range strings.Fields("B C D E F G") {
		h.Problems = append(h.Problems, runtime.Problem{Kind: runtime.StuckRun, Run: "of-" + state, Machine: "Approval", State: state})
	}
	var page strings.Builder
	if err := templates()["overview"].ExecuteTemplate(&page, "page", map[string]any{"Base": "/", "Page": &overviewData{Groups: groups(&h), Total: affected(h.Problems)}}); err != nil {
		t.Fatal(err)
	}
	s.has(page.String(), "<strong>7 runs need a look:</strong>", `, <a href="/problems">…</a></p>`)
	if n := strings.Count(page.String(), `href="/problems"`); n != 7 {
		t.Errorf("%d links", n)
	}
}

// TestProblemButtonsOfReaders: who may only look has none.
func TestProblemButtonsOfReaders(t *testing.T) {
	page := stuckSite(t, func(o *Options) { o.ReadOnly = true })
	page.hasNot(page.get("/problems", 200), "<button name", `action="/bulk"`, "What helps")

	s := stuckSite(t, nil)
	token := strings.Repeat("x", 40)
	tokens, err := httpapi.ParseTokens("read: " + token + "\n")
	if err != nil {
		t.Fatal(err)
	}
	guarded := (&httpapi.Guard{Hosts: []string{"example.com"}, User: "serve:ada", Tokens: tokens}).Wrap(s.site)
	r := httptest.NewRequest(http.MethodGet, "/problems", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	guarded.ServeHTTP(w, r)
	if w.Code != 200 {
		t.Fatalf("status %d", w.Code)
	}
	s.has(w.Body.String(), "doc-1")
	s.hasNot(w.Body.String(), "<button name", `action="/bulk"`)
}

// TestCommandsOfProblems: what helps depends on what is wrong.
func TestCommandsOfProblems(t *testing.T) {
	s := stuckSite(t, nil)
	for kind, want := range map[runtime.ProblemKind]string{
		runtime.HaltedRun: "cancel", runtime.OverBudget: "pause cancel", runtime.NoWorker: "cancel", runtime.OutboxLag: "", runtime.DamagedRun: "", runtime.LargeShare: "",
		runtime.PausedRun: "cancel", // it is not paused
	} {
		g := groups(&runtime.Health{Problems: []runtime.Problem{{Kind: kind, Run: "doc-1"}, {Kind: kind}, {Kind: kind, Run: "nobody"}}})
		s.site.findCommands(t.Context(), g[0])
		var got []string
		for _, c := range g[0].Problems[0].Commands {
			got = append(got, c.Name)
		}
		if strings.Join(got, " ") != want || len(g[0].Problems[1].Commands)+len(g[0].Problems[2].Commands) > 0 {
			t.Errorf("%s: %v, want %q", kind, got, want)
		}
	}
}
